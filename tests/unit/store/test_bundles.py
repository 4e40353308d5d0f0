"""Bundles on disk: the three forms are one, and nothing in them leads outside or beyond a bound."""

import io
import json
import os
import stat
import zipfile

import pytest

from diagnose.errors import InputError
from diagnose.judge import diagnose
from diagnose.store import bundles
from diagnose.store.bundles import read_bundle, write_bundle

TOOLS = [{"name": "pick_apples", "inputSchema": {"type": "object"}}]
DOCUMENT = {
    "schema": "diagnose.bundle/1",
    "createdAt": "2026-11-30T12:00:00.000Z",
    "target": {"transport": "http", "endpoint": "https://orchard.test/mcp"},
    "layers": {"origin": {"file": "layers/origin.json"}, "registry": {"inline": {"tools": TOOLS}}},
}
FILES = {"bundle.json": json.dumps(DOCUMENT).encode(), "layers/origin.json": json.dumps({"tools": TOOLS}).encode()}


def folder(tmp_path, files=FILES):
    for name, data in files.items():
        place = tmp_path / "case" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return tmp_path / "case"


def zipped(tmp_path, *entries):
    path = tmp_path / "case.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return str(path)


def alone(tmp_path):
    path = tmp_path / "one.json"
    inline = {**DOCUMENT["layers"], "origin": {"inline": {"tools": TOOLS}}}
    path.write_text(json.dumps({**DOCUMENT, "layers": inline}))
    return str(path)


def test_folder_zip_and_file_are_one_bundle(tmp_path):
    write_bundle(str(tmp_path / "written.zip"), FILES)
    forms = [str(folder(tmp_path)), str(tmp_path / "written.zip"), alone(tmp_path)]
    first, *others = (diagnose(read_bundle(form)) for form in forms)
    assert first.verdict.state == "in-sync"
    assert all(other == first for other in others)


def test_a_zip_may_hold_one_folder(tmp_path):
    path = zipped(tmp_path, *((f"case/{name}", data) for name, data in FILES.items()))
    assert read_bundle(path).origin is not None


def test_the_same_evidence_gives_the_same_bytes_for_its_owner_alone(tmp_path):
    paths = [tmp_path / name for name in ("a.zip", "b.zip")]
    write_bundle(str(paths[0]), FILES)
    write_bundle(str(paths[1]), dict(reversed(FILES.items())))
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert stat.S_IMODE(paths[0].stat().st_mode) == 0o600


OUTSIDE = ["../secret.json", "/etc/passwd", "a/../../secret.json", "C:\\secret", "a\\b", "C:/x", "nul\0x", ""]


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_name_leads_outside_a_folder(tmp_path, name):
    (tmp_path / "secret.json").write_text(json.dumps({"tools": TOOLS}))
    files = {"bundle.json": json.dumps({**DOCUMENT, "layers": {"origin": {"file": name}}}).encode()}
    with pytest.raises(InputError, match="no name within"):
        read_bundle(str(folder(tmp_path, files)))


@pytest.mark.parametrize("name", ["../evil.json", "/evil.json", "a/../../evil.json", "a\\..\\evil.json"])
def test_a_zip_with_a_name_that_leads_outside_is_refused_whole(tmp_path, name):
    with pytest.raises(InputError, match="no name within"):
        read_bundle(zipped(tmp_path, *FILES.items(), (name, b"{}")))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="links are needed")
def test_no_link_is_followed(tmp_path):
    place = folder(tmp_path)
    (tmp_path / "outside.json").write_text(json.dumps({"tools": TOOLS}))
    (place / "layers" / "origin.json").unlink()
    (place / "layers" / "origin.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(InputError, match="is a link"):
        read_bundle(str(place))
    link = zipfile.ZipInfo("layers/origin.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed = tmp_path / "link.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bundle.json", FILES["bundle.json"])
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match="is a link"):
        read_bundle(str(packed))


def test_a_name_that_stands_twice_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = zipped(tmp_path, *FILES.items(), ("bundle.json", b"{}"))
    with pytest.raises(InputError, match="twice"):
        read_bundle(path)
    with pytest.raises(InputError, match="twice"):
        read_bundle(zipped(tmp_path, *FILES.items(), ("LAYERS/origin.json", b"{}")))


def test_a_bomb_is_unpacked_to_a_bound_and_no_further(tmp_path, monkeypatch):
    monkeypatch.setattr(bundles, "MAX_FILE", 1 << 20)
    path = zipped(tmp_path, ("bundle.json", FILES["bundle.json"]), ("layers/origin.json", b" " * (64 << 20)))
    assert len((tmp_path / "case.zip").read_bytes()) < 1 << 20
    with pytest.raises(InputError, match="unpacks to more"):
        read_bundle(path)


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_cannot_be_unpacked_piece_by_piece_is_refused(tmp_path, packing):
    path = tmp_path / "case.zip"
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, data in FILES.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="packed in a way"):
        read_bundle(str(path))


def test_more_files_than_are_read_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bundles, "MAX_FILES", 3)
    with pytest.raises(InputError, match="at most 3"):
        read_bundle(zipped(tmp_path, *FILES.items(), ("a", b""), ("b", b"")))


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04 and then nothing", b"", b"[]", b"{", b'{"schema": "diagnose.bundle/2"}'], ids=repr
)
def test_what_is_no_bundle_is_said(tmp_path, data):
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(InputError):
        read_bundle(str(path))


def test_a_damaged_zip_is_said(tmp_path):
    write_bundle(str(tmp_path / "a.zip"), FILES)
    whole = (tmp_path / "a.zip").read_bytes()
    for cut in range(4, len(whole), 7):
        damaged = io.BytesIO(whole[:cut] + b"\xff" + whole[cut + 1 :]).getvalue()
        (tmp_path / "b.zip").write_bytes(damaged)
        try:
            read_bundle(str(tmp_path / "b.zip"))
        except InputError:
            continue


def test_a_file_that_is_named_and_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match="does not hold it"):
        read_bundle(zipped(tmp_path, ("bundle.json", FILES["bundle.json"])))


def test_what_is_no_json_is_said_with_the_name_of_its_file(tmp_path):
    bundle = json.loads(FILES["bundle.json"])
    bundle["layers"] = {"origin": {"file": "origin.json"}}
    named = ("bundle.json", json.dumps(bundle).encode())
    with pytest.raises(InputError, match=r"layers/origin: the bundle's 'origin\.json' cannot be read: expected JSON"):
        read_bundle(zipped(tmp_path, named, ("origin.json", b"oops")))
    (tmp_path / "alone.json").write_bytes(b"oops")
    with pytest.raises(InputError, match=r"alone\.json cannot be read: expected JSON"):
        read_bundle(str(tmp_path / "alone.json"))

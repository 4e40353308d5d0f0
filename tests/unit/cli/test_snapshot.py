"""`diagnose snapshot` from the command line: what is taken is found, compared, sent, taken in, and let go."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from support.mcp_http import Said, answering, error, legacy, modern

from diagnose.cli import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Call = "Callable[..., tuple[int, str, str]]"

SECRET = "opaque-s3cret-value"


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)

    def call(*args: str, stdin: str = "", **env: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        env = {"DIAGNOSE_DATA": str(tmp_path / "data"), "DIAGNOSE_CONFIG": str(tmp_path / "config"), **env}
        code = run(list(args), out, err, stdin=io.StringIO(stdin), env=env)
        assert SECRET not in out.getvalue() + err.getvalue()
        return code, out.getvalue(), err.getvalue()

    return call


def _listed(call: Call, *args: str) -> list[dict[str, Any]]:
    code, out, err = call("snapshot", "list", "--format", "json", *args)
    assert code == 0, err
    document = json.loads(out)
    assert next(iter(document)) == "schema"
    found: list[dict[str, Any]] = document["snapshots"]
    return found


def _take(call: Call, *args: str, **env: str) -> str:
    code, out, err = call("snapshot", "take", "--format", "json", *args, **env)
    assert code == 0, err
    name: str = json.loads(out)["snapshots"][0]["id"]
    return name


def test_from_take_to_prune(call: Call, tmp_path: Path) -> None:
    server = modern()
    with answering(server) as url:
        first = _take(call, url)
        server.answers.update(modern(tools=[{"name": "press_cider", "description": "Press them."}]).answers)
        second = _take(call, url)
        assert call("diff", "snapshot:latest", url)[0] == 0
        assert call("diff", f"snapshot:{first}", url)[0] == 1
    assert [each["id"] for each in _listed(call)] == [first, second]
    assert [each["id"] for each in _listed(call, url)] == [first, second]
    assert _listed(call, "other.test/mcp") == []

    code, out, _ = call("diff", f"snapshot:{first[:8]}", "snapshot:latest")
    assert (code, out.splitlines()[0]) == (1, "different (breaking): 3 tools removed, 1 added")

    code, out, _ = call("snapshot", "show", f"snapshot:{first}")
    assert [line.strip() for line in out.splitlines()[-3:]] == ["pick_apples", "prune_tree", "ripen"]

    assert call("snapshot", "show", "latest")[1] == call("snapshot", "show", second)[1] != out

    assert call("snapshot", "prune", "--keep", "1")[1].startswith("would remove 1 of 2 snapshots:")
    assert len(_listed(call)) == 2
    assert (
        call("snapshot", "prune", "--keep", "1", "--older-than", "1h", "--yes")[1]
        == "nothing to remove: all 2 snapshots stay\n"
    )
    assert call("snapshot", "prune", "--keep", "1", "--yes")[1].startswith("removed 1 of 2 snapshots:")
    assert [each["id"] for each in _listed(call)] == [second]


def test_snapshots_go_to_another_machine_and_back(call: Call, tmp_path: Path) -> None:
    with answering(legacy()) as url:
        name = _take(call, url, "--era", "legacy")
    assert call("snapshot", "export", "-o", "all.json") == (0, "", "wrote all.json\n")
    code, out, _ = call("snapshot", "export", name)
    assert out == (tmp_path / "all.json").read_text()
    assert call("snapshot", "export", "latest")[1] == call("snapshot", "export", f"snapshot:{name[:5]}")[1] == out
    code, out, err = call("snapshot", "import", "-", "--format", "json", "--store", "other.sqlite3", stdin=out)
    assert (code, json.loads(out)["added"]) == (0, 1), err
    code, out, err = call("snapshot", "import", "all.json", "--store", "other.sqlite3")
    assert out.startswith("0 of 1 snapshots are new\n")
    assert [each["id"] for each in _listed(call, "--store", "other.sqlite3")] == [name]
    assert call("diff", "all.json", f"snapshot:{name}")[0] == 0


def test_no_credential_comes_into_the_database_nor_out_of_it(call: Call, tmp_path: Path) -> None:
    """The server repeats what it was sent, in its tools and beside them."""
    tools = [{"name": "pick", "description": f"Use {SECRET}.", "inputSchema": {"type": "object"}}]
    server = modern(tools=tools)
    with answering(server) as url:
        name = _take(call, url, "--auth", "env:TOKEN", TOKEN=SECRET)
        assert any(SECRET in asked.headers.get("authorization", "") for asked in server.asked)
    data = (tmp_path / "data" / "snapshots.sqlite3").read_bytes()
    assert SECRET.encode() not in data
    (record,) = _listed(call)
    assert record["principal"].startswith("fp:")
    shown = json.loads(call("snapshot", "show", name, "--format", "json")[1])
    assert shown["snapshots"][0]["tools"][0]["$redacted"] is True
    exported = call("snapshot", "export")[1]
    assert call("snapshot", "import", "-", "--store", "other.sqlite3", stdin=exported)[0] == 0


def test_a_list_that_cannot_be_read_is_no_snapshot(call: Call, tmp_path: Path) -> None:
    for answer, code in ((lambda asked: error(asked, -32603), 3), (Said(status=401), 4)):
        with answering(modern(tools__list=answer)) as url:
            got, out, err = call("snapshot", "take", url)
        assert (got, out) == (code, ""), err
        assert err.startswith("diagnose: ")
    assert not (tmp_path / "data" / "snapshots.sqlite3").exists()


def test_a_damaged_database_is_said_and_left(call: Call, tmp_path: Path) -> None:
    place = tmp_path / "mine.sqlite3"
    place.write_text("not a database, but dear to somebody\n" * 100)
    before = place.read_bytes()
    for args in (("list",), ("show", "ab"), ("prune", "--keep", "0", "--yes"), ("export",)):
        code, out, err = call("snapshot", *args, DIAGNOSE_STORE=str(place))
        assert (code, out) == (2, "")
        assert "is no SQLite database" in err
    assert place.read_bytes() == before


def test_a_past_that_cannot_be_read_is_not_taken_for_one_that_there_is_not(call: Call, tmp_path: Path) -> None:
    place = tmp_path / "mine.sqlite3"
    place.write_text("not a database, but dear to somebody\n" * 100)
    with answering(legacy()) as url:
        code, out, err = call("surface", url, "--format", "json", DIAGNOSE_STORE=str(place))
    document = json.loads(out)
    assert code == 0, err
    past = document["layers"][-1]
    assert (past["layer"], past["observed"]) == ("baseline", False)
    assert "is no SQLite database" in past["why"]
    assert f"Baseline was not observed: {past['why']}." in document["verdict"]["limits"]
    assert "--save" not in str(document["verdict"]["next"])


def test_who_has_just_stored_the_list_is_not_told_to_store_it(call: Call, tmp_path: Path) -> None:
    with answering(legacy()) as url:
        for saving, told in (((), True), (("--save",), False)):
            code, out, err = call(
                "surface", url, *saving, "--format", "json", DIAGNOSE_STORE=str(tmp_path / "s.sqlite3")
            )
            assert code == 0, err
            assert ("--save" in str(json.loads(out)["verdict"]["next"])) is told


def test_a_store_without_a_folder_is_said_with_how_it_was_named(call: Call, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with answering(legacy()) as url:
        code, out, err = call("snapshot", "take", url, "--store", str(tmp_path / "link" / "mine.sqlite3"))
    assert (code, out) == (2, "")
    assert "cannot be made" in err
    assert "--store" in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("prune",), "nothing says which snapshots may go"),
        (("prune", "--keep", "all"), "--keep takes a number"),
        (("prune", "--older-than", "soon"), "--older-than takes a number"),
        (("show", "abc"), "there is no snapshot abc"),
        (("show", "latest"), "there is no snapshot in"),
        (("export", "abc"), "there is no snapshot abc"),
        (("export", "latest"), "there is no snapshot in"),
        (("import", "none.json"), "it does not exist"),
        (("list", "--format", "sarif"), "--format takes text or json"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(call: Call, args: tuple[str, ...], words: str) -> None:
    code, out, err = call("snapshot", *args)
    assert (code, out) == (2, "")
    assert words in err


def test_who_is_told_by_the_address_is_kept_apart_like_anybody_else(call: Call) -> None:
    """A token may stand in the query as well: two of them are two principals of one server."""
    with answering(modern()) as url:
        for token in ("one-s3cret-value", "two-s3cret-value", "one-s3cret-value"):
            _take(call, f"{url}?token={token}")
    owners = [(each["target"]["id"], each["principal"]) for each in _listed(call)]
    assert owners[0] == owners[2] != owners[1]
    assert all(principal.startswith("fp:") for _, principal in owners)
    assert len({target for target, _ in owners}) == 1


def test_reading_makes_no_folder(call: Call, tmp_path: Path) -> None:
    assert call("snapshot", "list") == (0, "no snapshots\n", "")
    assert call("snapshot", "prune", "--keep", "1")[1] == "nothing to remove: all 0 snapshots stay\n"
    assert not (tmp_path / "data").exists()

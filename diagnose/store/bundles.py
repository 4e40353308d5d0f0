"""Bundles on disk: a folder with `bundle.json`, a zip of one, or that file alone (contract, Bundle).

A bundle comes from somebody else's machine: its names lead nowhere outside of it, and what it holds is bounded.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from diagnose.errors import InputError
from diagnose.evidence.bundle_form import DEPTH, ReadFile, bundle_of, no_file
from diagnose.store.files import read_bounded, reason, write_whole
from diagnose.surface import JsonError, parse_json

if TYPE_CHECKING:
    from diagnose.evidence.bundle import Bundle

NAME = "bundle.json"
#: The most of one file, of all files together, and of their number.
MAX_FILE = 256 * 1024 * 1024
MAX_ALL = 512 * 1024 * 1024
MAX_FILES = 1000
_LONGEST_NAME = 300
#: A fixed time for every entry that is written, so that the same evidence gives the same bytes.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_CHUNK = 1 << 20
#: Ways of packing that can be undone piece by piece. zipfile unpacks bzip2 and LZMA without a bound: a megabyte of either
#: may be terabytes, in memory at once and before anything can be counted.
_PACKINGS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


def read_bundle(path: str) -> Bundle:
    """Return the bundle at a path. Raises `InputError` where there is none, or it is not one that may be read."""
    place = Path(path)
    if place.is_dir():
        folder = _Folder(place)
        return _parsed(folder(NAME), folder, place / NAME)
    if _is_zip(place):
        return _of_zip(place)
    return _parsed(read_bounded(place, MAX_FILE), no_file, place)


def write_bundle(path: str, files: Mapping[str, bytes]) -> None:
    """Write a zip of these files, `bundle.json` first: whole or not at all, and only for its owner to read.

    Raises `UsageError` where it cannot be written.
    """
    import io

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files, key=lambda each: (each != NAME, each)):
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            archive.writestr(entry, files[name])
    write_whole(path, packed.getvalue())


def _parsed(data: bytes, read_file: ReadFile, source: Path) -> Bundle:
    try:
        value = parse_json(data, max_bytes=MAX_FILE, max_depth=DEPTH).value
    except JsonError as error:
        raise InputError(f"{source} cannot be read: {error}") from error
    return bundle_of(value, read_file)


def _is_zip(place: Path) -> bool:
    try:
        with place.open("rb") as file:
            return file.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}
    except OSError as error:
        raise InputError(f"{place} cannot be read: {reason(error)}") from error


def checked_name(name: str) -> PurePosixPath:
    """Return the name of a file of a bundle as a path within it.

    Raises:
        InputError: it is absolute, leads upwards, or is written as no portable name is.

    """
    path = PurePosixPath(name)
    strange = "\\" in name or ":" in name or any(ord(each) < ord(" ") for each in name) or len(name) > _LONGEST_NAME
    if not name or strange or path.is_absolute() or ".." in path.parts or not path.parts:
        raise InputError(f"the bundle names the file {name[:80]!r}, which is no name within it")
    return path


class _Folder:
    """Reads files of one folder, and of none beside it: no link is followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = MAX_ALL

    def __call__(self, name: str) -> bytes:
        """Return the bytes of a file."""
        place = self._folder
        for part in checked_name(name).parts:
            place = place / part
            if place.is_symlink():
                raise InputError(f"the bundle's {name!r} is a link, and links are not followed")
        try:
            kind = place.stat().st_mode
        except OSError as error:
            raise InputError(f"the bundle's {name!r} cannot be read: {reason(error)}") from error
        if not stat.S_ISREG(kind):
            raise InputError(f"the bundle's {name!r} is no file")
        data = read_bounded(place, min(MAX_FILE, self._left))
        self._left -= len(data)
        return data


def _of_zip(place: Path) -> Bundle:
    try:
        with zipfile.ZipFile(place) as archive:
            reader = _Zip(archive)
            return _parsed(reader(NAME), reader, place / NAME)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, zlib.error, OSError) as error:
        raise InputError(f"{place} is no zip that can be read: {error}") from error


class _Zip:
    """Reads files of one zip by what they really unpack to, whatever their headers promise."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = MAX_ALL
        self._entries: dict[str, zipfile.ZipInfo] = {}
        entries = archive.infolist()
        if len(entries) > MAX_FILES:
            raise InputError(f"the bundle holds {len(entries)} files, and at most {MAX_FILES} are read")
        for entry in entries:
            self._take(entry)
        self._root = self._found_root()

    def _take(self, entry: zipfile.ZipInfo) -> None:
        if entry.is_dir():
            checked_name(entry.filename.rstrip("/"))
            return
        name = str(checked_name(entry.orig_filename))
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise InputError(f"the bundle's {name!r} is a link, and links are not followed")
        if entry.flag_bits & 0x1:
            raise InputError(f"the bundle's {name!r} is encrypted")
        if entry.compress_type not in _PACKINGS:
            raise InputError(
                f"the bundle's {name!r} is packed in a way that is not read",
                advice="Zip it with stored or deflated files.",
            )
        if name.casefold() in self._entries:
            raise InputError(f"the bundle holds {name!r} twice")
        self._entries[name.casefold()] = entry

    def _found_root(self) -> str:
        """Return the one folder that all of it may lie in, with its slash; "" for none."""
        if NAME in self._entries:
            return ""
        tops = {name.partition("/")[0] for name in self._entries}
        root = f"{next(iter(tops))}/" if len(tops) == 1 else ""
        if root + NAME not in self._entries:
            raise InputError(f"this is no bundle: the zip holds no {NAME}")
        return root

    def __call__(self, name: str) -> bytes:
        """Return the bytes of a file."""
        entry = self._entries.get(self._root + str(checked_name(name)).casefold())
        if entry is None:
            raise InputError(f"the bundle names the file {name[:80]!r}, and does not hold it")
        parts: list[bytes] = []
        bound = min(MAX_FILE, self._left)
        with self._archive.open(entry) as file:
            while part := file.read(_CHUNK):
                parts.append(part)
                bound -= len(part)
                if bound < 0:
                    raise InputError(f"the bundle's {name!r} unpacks to more than is read")
        data = b"".join(parts)
        self._left -= len(data)
        return data

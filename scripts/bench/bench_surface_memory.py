"""Peak memory of reading, hashing and comparing two surfaces of 10,000 tools, against the size of one manifest."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import manifest
from ratios import Figure, main, peak


def measure() -> list[Figure]:
    """Let a fresh process compare two files, and ask it for its footprint before and after."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("old.json", "new.json")]
        tools = manifest.ordinary()
        for file, content in zip(files, (tools, manifest.with_changes(tools)), strict=True):
            file.write_text(json.dumps(content))
        size = files[0].stat().st_size
        command = [sys.executable, __file__, "child", *map(str, files)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    before, after = map(int, run.stdout.split())
    what = f"peak memory over start-up of a comparison of {len(tools)} tools / size of one manifest"
    return [Figure(what=what, ratio=(after - before) / size, limit=15)]


def child(old: str, new: str) -> None:
    """Compare two files and print the footprint at the start and at its peak, in bytes."""
    from diagnose.surface import Surface, difference, parse_json

    before = peak()
    surfaces = [Surface.of(parse_json(Path(file).read_bytes()).value) for file in (old, new)]
    changes = difference(*surfaces)
    assert changes
    assert all(surface.revision for surface in surfaces)
    print(before, peak())


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
    else:
        raise SystemExit(main(measure))

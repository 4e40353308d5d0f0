"""The taps as programs, before the servers of others."""

import json
import subprocess
import sys
from contextlib import contextmanager

from diagnose.evidence.recording import Recording

TAP = (sys.executable, "-P", "-m", "diagnose", "tap")


@contextmanager
def http_tap(url, path, *options):
    """Run a tap before the server at this URL; yields its own URL, and what it has said is in the list at the end."""
    command = [*TAP, "http", "--listen", "127.0.0.1:0", "--to", url, "-o", str(path), *options]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said = Said()
    try:
        line = ""
        while "give the client " not in line:
            line = child.stderr.readline()
            assert line, "".join(said)
            said.append(line)
        said.url = line.split("give the client ")[1].split()[0]
        yield said
    finally:
        child.terminate()
        said.append(child.communicate(timeout=20)[1])


class Said(list):
    """What a tap said; ``url`` is the one that clients are given."""

    url = ""


def recording_of(path):
    """Read what was recorded; every line of it must be one."""
    recording = Recording.of_lines(path.read_bytes().splitlines(keepends=True))
    assert recording.notes == ()
    return recording


def json_of(command, **options):
    """Run a client program of ours and return what it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)

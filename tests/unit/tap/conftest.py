"""A tap on a real child, and what it recorded."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diagnose.evidence.recording import Recording

DIAGNOSE = (sys.executable, "-P", "-m", "diagnose")


class Tap:
    """The command `diagnose tap stdio`, as a client starts it."""

    def __init__(self, folder: Path):
        self.path = folder / "session.jsonl"
        self.env = {"PATH": os.environ["PATH"], "DIAGNOSE_DATA": str(folder / "data")}
        self._started = []

    def command(self, *server, options=()):
        return [*DIAGNOSE, "tap", "stdio", "-o", str(self.path), *options, "--", *server]

    def start(self, *server, options=(), env=None, **popen):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        child = subprocess.Popen(
            self.command(*server, options=options), env=self.env if env is None else env, **{**pipes, **popen}
        )
        self._started.append(child)
        return child

    def run(self, data, *server, options=(), env=None):
        """Return what came out for this input, what was said, and the exit code."""
        child = self.start(*server, options=options, env=env)
        out, err = child.communicate(data, timeout=60)
        return out, err, child.returncode

    def lines(self):
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]

    def recording(self):
        with self.path.open("rb") as lines:
            return Recording.of_lines(lines)

    def close(self):
        for child in self._started:
            if child.poll() is None:
                child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()


@pytest.fixture
def tap(tmp_path):
    started = Tap(tmp_path)
    yield started
    started.close()

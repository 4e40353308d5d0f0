"""What the transport loads, and when: the start-up budget as sets of modules."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SHOW = "import sys, json; print(json.dumps(sorted(sys.modules)))"


def loaded(code):
    done = subprocess.run([sys.executable, "-c", f"{code}\n{SHOW}"], capture_output=True, check=True, timeout=60)
    return set(json.loads(done.stdout))


def test_the_names_of_the_room_load_nothing_heavy():
    heavy = {"httpx", "httpcore", "ssl", "subprocess", "asyncio", "urllib.request", "idna"}
    assert not loaded("import diagnose.transport") & heavy


def test_a_request_does_not_load_the_command_line_of_httpx():
    pytest.importorskip("click")
    code = """
from diagnose.errors import ObservationError
from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient
try:
    HttpClient(timeout=5, deadline=Deadline(5)).fetch("GET", "http://127.0.0.1:1/", retry=False)
except ObservationError:
    pass
"""
    modules = loaded(code)
    assert "httpx" in modules
    assert not modules & {"click", "rich", "pygments", "asyncio", "httpx._main"}


def test_httpx_that_is_there_already_is_left_alone():
    code = "import httpx; from diagnose.transport.lean import load_httpx; load_httpx(); assert httpx.main"
    assert "httpx" in loaded(code)

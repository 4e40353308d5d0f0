"""Every fault of state over stdio, in both eras: too many processes for the unit tests, which have the same over HTTP."""

import sys

import pytest
from support.state import STATE_FAULTS, holds_to_its_name, looked

from diagnose.jobs import statesync as job

SERVE = ("--", sys.executable, "-P", "-m", "diagnose", "serve", "--stdio", "--fault")
OVER_STDIO = [(name, era) for name, fault in STATE_FAULTS.items() if "stdio" in fault.transports for era in fault.eras]


@pytest.mark.parametrize(("name", "era"), OVER_STDIO)
def test_a_fault_over_stdio_is_found_under_its_name(monkeypatch, tmp_path, name, era):
    monkeypatch.setattr(job, "SETTLE", 0.3)
    monkeypatch.setattr(job, "PATIENCE", 0.3)
    holds_to_its_name(looked(name, era, tmp_path, *SERVE, name, callers=False), name)

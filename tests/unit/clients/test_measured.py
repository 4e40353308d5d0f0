"""The measured rows: whole, of known clients, and in step with what the playbook says beside them."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from diagnose.clients import client
from diagnose.clients.measured import SETUPS, rows, rows_of
from diagnose.judge.bench import MEASURES

ROOT = Path(__file__).resolve().parents[3]
ROWS = rows_of()
EACH = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.setup)


def test_every_file_is_a_row_and_every_row_has_its_setup():
    files = {path.stem for path in Path(rows.__file__ or "").parent.glob("*.py")} - {"__init__"}
    assert files == {setup.replace("-", "_") for setup in SETUPS}
    assert [row.setup for row in ROWS] == list(SETUPS)


def test_every_setup_can_be_measured_again(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    spec = importlib.util.spec_from_file_location("measure_clients", ROOT / "scripts" / "measure_clients.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, script)
    spec.loader.exec_module(script)
    assert set(script.ALL) == set(SETUPS)
    assert {row.setup: (row.client, row.how) for row in ROWS} == {
        name: (setup.client, setup.how) for name, setup in script.ALL.items()
    }


def test_many_clients_were_measured():
    assert len({row.client for row in ROWS}) >= 5


@EACH
def test_a_row_has_client_version_date_and_every_answer(row):
    assert client(row.client) is not None
    assert re.fullmatch(r"\d+(\.\d+)+", row.version)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", row.date)
    assert {each.name for each in row.results} == set(MEASURES)
    assert all(each.says.strip() for each in row.results)


@EACH
def test_a_measured_client_did_not_merely_stay_away(row):
    assert sum(each.answer != "not-shown" for each in row.results) >= 2


@pytest.mark.parametrize("name", sorted({row.client for row in ROWS}))
def test_what_was_measured_does_not_contradict_what_the_playbook_says(name):
    entry = client(name)
    assert entry is not None
    for behaviour, question in ((entry.list_changed, "declared"), (entry.cursors, "pages"), (entry.modern, "era")):
        seen = {row.result(question).answer for row in rows_of(entry.id)} - {"not-shown"}
        if behaviour.answer == "no":
            assert "yes" not in seen, question
        if behaviour.answer == "yes" and behaviour.since is None:
            assert "no" not in seen, question

"""The client bench with real clients: what was measured of them holds, as long as they are the versions that were measured."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest
from interop.conftest import ROOT, clean_environment
from support.program import diagnose

from diagnose.clients.measured import rows_of


def _script():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        spec = importlib.util.spec_from_file_location("measure_clients", ROOT / "scripts" / "measure_clients.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(ROOT / "scripts"))


SCRIPT = _script()


@pytest.mark.parametrize(
    ("name", "only"),
    [
        ("codex", ("pages", "declared", "lost-session", "schema-no-schema")),
        ("mcp-python-2", ("pages", "ttl")),
        ("mcp-typescript-2", ("pages", "declared", "undeclared")),
        ("inspector", ("pages", "declared")),
    ],
)
def test_a_client_does_what_its_row_says(peer, node, tmp_path, name, only):
    setup = SCRIPT.ALL[name]
    peer(setup.peer)
    words = setup.words()
    named = [word for each in only for word in ("--only", each)]
    cut = words.index("--") if "--" in words else len(words)
    env = clean_environment(PATH=os.pathsep.join([str(Path(node).parent), os.environ["PATH"]]))
    env["DIAGNOSE_DATA"] = str(tmp_path)
    ran = diagnose(*words[:cut], *named, "--format", "json", *words[cut:], env=env)
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    row = next(each for each in rows_of(setup.client) if each.setup == name)
    if document["client"]["version"] != row.version:
        pytest.skip(f"{setup.client} is {document['client']['version']} here, and {row.version} was measured")
    told = {each["name"]: each["answer"] for each in document["measurements"]}
    assert told == {each: row.result(each).answer for each in told}
    assert set(only) <= set(told)

"""`diagnose serve`: its options, before anything is started; and the list of faults."""

from __future__ import annotations

import io
import json

import pytest

from diagnose.cli import run
from diagnose.reference import serve as reference
from diagnose.reference.faults import FAULTS


def go(*args: str, **env: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = run(["serve", *args], out, err, env={"COLUMNS": "80", "HOME": "/home/orchard", **env})
    return code, out.getvalue(), err.getvalue()


def test_the_faults_are_listed_for_programs() -> None:
    code, out, _ = go("--list-faults", "--format", "json")
    document = json.loads(out)
    assert (code, document["schema"]) == (0, "diagnose.faults/1")
    assert [row["name"] for row in document["faults"]] == sorted(FAULTS)
    for row in document["faults"]:
        fault = FAULTS[row["name"]]
        assert row == {
            "name": fault.name,
            "breaks": fault.breaks,
            "eras": list(fault.eras),
            "transports": list(fault.transports),
        }


@pytest.mark.parametrize("columns", [60, 200])
def test_the_faults_are_listed_for_people(columns: int) -> None:
    code, out, _ = go("--list-faults", COLUMNS=str(columns))
    assert code == 0
    for fault in FAULTS.values():
        assert f"{fault.name}" in out
        assert fault.breaks.replace(" ", "") in "".join(out.split())
    assert max(map(len, out.splitlines())) <= columns


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--host", "0.0.0.0"), "0.0.0.0 can be reached from other machines"),
        (("--host", "example.test"), "example.test can be reached from other machines"),
        (("--host", "0.0.0.0", "--allow-remote", "--control"), "it goes with loopback only"),
        (("--port", "65536"), "a port is a number from 0 to 65535"),
        (("--port", "many"), "--port takes a whole number, not 'many'"),
        (("--page-size", "0"), "a page holds at least one tool"),
        (("--ttl-ms", "-1"), "--ttl-ms takes a whole number"),
        (("--scope", "shared"), "--scope takes public or private, not 'shared'"),
        (("--token", "sk_orchard"), "the token is named as env:VAR"),
        (("--token", "env:ORCHARD"), "the variable ORCHARD holds no token"),
        (("--second-token", "env:HOME"), "a second token goes with a first one"),
        (("--second-without", "ripen"), "a tool can be kept from the holder of a second token only"),
        (("--fault", "fruit-fly"), "there is no fault named 'fruit-fly'"),
        (("--stdio", "--fault", "manifest-gated"), "manifest-gated is one of http, not of stdio"),
    ],
)
def test_what_cannot_be_served_is_wrong_usage(args, says) -> None:
    code, out, err = go(*args)
    assert (code, out) == (2, "")
    assert says in err


def test_the_token_over_stdio_is_wrong_usage() -> None:
    code, _, err = go("--stdio", "--token", "env:ORCHARD", ORCHARD="sk_orchard_1")
    assert code == 2
    assert "it goes with HTTP" in err
    assert "sk_orchard_1" not in err


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "::1"])
def test_every_option_reaches_the_server(monkeypatch, host) -> None:
    served = []
    monkeypatch.setattr(
        reference, "serve", lambda options, announce: (served.append(options), announce("http://x/mcp"))
    )
    code, out, err = go(
        *("--host", host, "--port", "7878", "--page-size", "2", "--ttl-ms", "5", "--scope", "private"),
        *("--second-token", "env:MEADOW", "--second-without", "ripen"),
        *("--token", "env:ORCHARD", "--identity", "me", "--control", "--fault", "list-error"),
        ORCHARD="sk_orchard_1",
        MEADOW="sk_meadow_1",
    )
    (options,) = served
    assert (options.second_token, options.second_without) == ("sk_meadow_1", "ripen")
    assert code == 0
    assert json.loads(out)["url"] == "http://x/mcp"
    assert "with the fault list-error" in err
    assert (options.host, options.port, options.page_size, options.ttl_ms) == (host, 7878, 2, 5)
    assert (options.scope, options.token, options.identity) == ("private", "sk_orchard_1", "me")
    assert (options.control, options.fault) == (True, "list-error")


def test_a_remote_host_is_served_where_it_was_allowed(monkeypatch) -> None:
    served = []
    monkeypatch.setattr(reference, "serve", lambda options, _announce: served.append(options))
    assert go("--host", "0.0.0.0", "--allow-remote")[0] == 0
    assert served[0].host == "0.0.0.0"


def test_without_the_extra_the_install_line_is_told(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    code, _, err = go()
    assert code == 2
    assert reference.INSTALL in err

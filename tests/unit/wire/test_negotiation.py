"""What the first answers mean."""

import pytest

from diagnose.errors import ObservationError
from diagnose.wire.message import RpcErrorBody
from diagnose.wire.negotiation import (
    after_discover,
    after_refused_discover,
    after_refused_initialize,
    agreed_version,
    initialize_params,
    modern_params,
)


def refused(code, supported=None, message="no"):
    return RpcErrorBody(code=code, message=message, data=None if supported is None else {"supported": supported})


@pytest.mark.parametrize(
    ("result", "action", "version"),
    [
        ({"supportedVersions": ["2026-07-28"]}, "modern", "2026-07-28"),
        ({"supportedVersions": ["2025-11-25", "2026-07-28"]}, "modern", "2026-07-28"),
        ({"supportedVersions": ["2025-06-18", "2025-03-26"]}, "initialize", "2025-06-18"),
        ({"protocolVersion": "2025-03-26"}, "initialize", "2025-11-25"),
        ({}, "initialize", "2025-11-25"),
        ([], "initialize", "2025-11-25"),
        (None, "initialize", "2025-11-25"),
    ],
)
def test_a_result_of_discover(result, action, version):
    step = after_discover(result)
    assert (step.action, step.version) == (action, version)


@pytest.mark.parametrize(
    ("error", "action", "version"),
    [
        (refused(-32601), "initialize", "2025-11-25"),
        (refused(-32602), "initialize", "2025-11-25"),
        (refused(-32000), "initialize", "2025-11-25"),
        (refused(None), "initialize", "2025-11-25"),
        (refused(-32022, ["2026-07-28"]), "discover", "2026-07-28"),
        (refused(-32022, ["2025-06-18"]), "initialize", "2025-06-18"),
        (refused(-32004, ["2025-06-18"]), "initialize", "2025-06-18"),
        (refused(-32004), "initialize", "2025-11-25"),
        (refused(-32022), "initialize", "2025-11-25"),
    ],
)
def test_a_refusal_of_discover(error, action, version):
    step = after_refused_discover(error)
    assert (step.action, step.version) == (action, version)


@pytest.mark.parametrize("error", [refused(-32020), refused(-32021), refused(-32022, ["1900-01-01"])])
def test_a_modern_refusal_never_falls_back(error):
    with pytest.raises(ObservationError) as caught:
        after_refused_discover(error)
    assert caught.value.rule == "handshake-failed"


def test_no_common_version_names_both_sides():
    with pytest.raises(ObservationError, match=r"1900-01-01.*2026-07-28.*2024-11-05"):
        after_discover({"supportedVersions": ["1900-01-01"]})


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (refused(-32602, ["2024-11-05"]), ("initialize", "2024-11-05")),
        (refused(-32022, ["2026-07-28"]), ("modern", "2026-07-28")),
        (refused(-32600, ["2026-07-28", "2025-11-25"]), ("modern", "2026-07-28")),
        (refused(-32602, ["2025-11-25"]), None),
        (refused(-32602), None),
    ],
)
def test_a_refusal_of_initialize(error, expected):
    step = after_refused_initialize(error, "2025-11-25")
    assert (step and (step.action, step.version)) == expected


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_the_server_chooses_the_version(version):
    assert agreed_version({"protocolVersion": version}) == version


@pytest.mark.parametrize("result", [{"protocolVersion": "1999-01-01"}, {"protocolVersion": 5}, {}, None, "x"])
def test_a_version_that_we_do_not_speak(result):
    with pytest.raises(ObservationError) as caught:
        agreed_version(result)
    assert caught.value.rule == "handshake-failed"


def test_metadata_joins_what_a_request_has():
    sent = modern_params({"name": "x", "_meta": {"progressToken": 1}}, "2026-07-28")
    assert sent["name"] == "x"
    assert sent["_meta"]["progressToken"] == 1
    assert sent["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"


def test_params_are_not_shared():
    one = initialize_params("2025-11-25")
    one["clientInfo"]["name"] = "other"
    assert initialize_params("2025-11-25")["clientInfo"]["name"] == "diagnose"

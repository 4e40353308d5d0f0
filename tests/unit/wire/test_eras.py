"""The versions, and the errors that only a modern server sends."""

import pytest

from diagnose.wire.eras import LEGACY, MODERN, VERSIONS, is_modern_error, mutual_version, supported_versions
from diagnose.wire.message import RpcErrorBody


def error(code, data=None):
    return RpcErrorBody(code=code, message="", data=data)


def test_the_eras_are_apart_and_newest_first():
    assert list(VERSIONS) == sorted(MODERN, reverse=True) + sorted(LEGACY, reverse=True)


@pytest.mark.parametrize(
    ("found", "modern"),
    [
        (error(-32020), True),
        (error(-32021), True),
        (error(-32022, {"supported": ["1900-01-01"]}), True),
        (error(-32022), False),
        (error(-32022, {"supported": []}), False),
        (error(-32022, "2026-07-28"), False),
        (error(-32004, {"supported": ["2026-07-28"]}), True),
        (error(-32004), False),
        (error(-32004, {"supported": []}), False),
        (error(-32004, {"supported": [5]}), False),
        (error(-32601), False),
        (error(-32602, {"supported": ["2026-07-28"]}), False),
        (error(-32600), False),
        (error(-32000), False),
        (error(0), False),
        (error(None), False),
    ],
)
def test_a_modern_error(found, modern):
    assert is_modern_error(found) is modern


@pytest.mark.parametrize(
    ("data", "versions"),
    [
        ({"supported": ["a", 1, "b"]}, ("a", "b")),
        ({"supported": "2026-07-28"}, ()),
        (["2026-07-28"], ()),
        (None, ()),
    ],
)
def test_the_versions_that_an_error_names(data, versions):
    assert supported_versions(error(-32022, data)) == versions


@pytest.mark.parametrize(
    ("offered", "version"),
    [
        (["2024-11-05", "2025-11-25"], "2025-11-25"),
        (["2025-06-18", "2026-07-28"], "2026-07-28"),
        (["1999-01-01", None, {}], None),
        ([], None),
    ],
)
def test_the_newest_common_version(offered, version):
    assert mutual_version(offered) == version

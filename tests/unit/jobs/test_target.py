"""Which server is meant, and what it is called."""

import pytest

from diagnose.errors import UsageError
from diagnose.jobs.config import Config, NamedTarget
from diagnose.jobs.target import resolve_target, shown_url

CONFIG = Config(
    default="orchard",
    targets={
        "orchard": NamedTarget(name="orchard", url="https://orchard.test/mcp"),
        "cellar": NamedTarget(name="cellar", command=("python", "cellar.py")),
    },
)
EMPTY = Config()


def resolve(operand=None, tail=None, config=EMPTY, env=None, **rest):
    return resolve_target(operand, tail, config=config, env=env or {}, **rest)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.test/mcp", "example.test/mcp"),
        ("https://EXAMPLE.test:443/mcp", "example.test/mcp"),
        ("http://example.test:8080/mcp?api_key=s3cret", "example.test:8080/mcp"),
        ("https://user:pass@example.test/mcp", "example.test/mcp"),
        ("http://[::1]:7878/mcp", "[::1]:7878/mcp"),
    ],
)
def test_a_url_is_called_by_origin_and_path(url, name):
    spec = resolve(url)
    assert (spec.id, spec.kind, spec.transport) == (name, "http", "http")


def test_a_url_is_shown_without_userinfo_query_values_and_fragment():
    shown = shown_url("https://u:p@example.test:8443/mcp?v=2&key=abc#frag")
    assert shown == "https://example.test:8443/mcp?v=…&key=…"


def test_a_command_line_is_called_by_base_name_and_digest():
    first, second = resolve(tail=["/usr/bin/python3", "a.py"]), resolve(tail=["/usr/bin/python3", "b.py"])
    assert first.id.startswith("python3-")
    assert first.id != second.id
    assert first.transport == "stdio"


def test_the_words_of_a_command_line_cannot_be_mistaken_for_one_another():
    assert resolve(tail=["a", "b c"]).id != resolve(tail=["a", "b", "c"]).id


def test_a_configured_target_keeps_its_name():
    assert resolve("@orchard", config=CONFIG).id == "orchard"
    assert resolve("@cellar", config=CONFIG).command == ("python", "cellar.py")


def test_the_order_is_operand_environment_default_demo():
    env = {"DIAGNOSE_SERVER": "https://env.test/mcp"}
    assert resolve("https://typed.test/mcp", config=CONFIG, env=env).id == "typed.test/mcp"
    assert resolve(config=CONFIG, env=env).id == "env.test/mcp"
    assert resolve(config=CONFIG).id == "orchard"
    last = resolve()
    assert (last.kind, last.fallback) == ("demo", True)
    assert not resolve("demo").fallback


@pytest.mark.parametrize(("require", "env"), [(True, {}), (False, {"DIAGNOSE_REQUIRE_TARGET": "1"})])
def test_the_fallback_can_be_refused(require, env):
    with pytest.raises(UsageError, match="no target was named"):
        resolve(env=env, require=require)


@pytest.mark.parametrize(
    ("operand", "tail", "says"),
    [
        ("https://a.test", ["python"], "two targets"),
        (None, [], "no command behind --"),
        ("@nobody", None, "has no target '@nobody'"),
        ("server.py", None, "a stdio server's command goes behind --"),
        ("ftp://a.test/mcp", None, "only http and https"),
        ("http://", None, "is no target"),
        ("http://a.test:99999/mcp", None, "is no valid URL"),
    ],
)
def test_what_is_no_target_is_refused_with_the_way_out(operand, tail, says):
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        resolve(operand, tail, config=CONFIG)

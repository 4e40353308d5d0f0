"""The three forms of configuration files: what editors and people write is read, the rest is refused with its line."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.clients.configuration import READERS, ConfigurationError

YAML = """\
# goose
version: 1.2.1
extensions:
  orchard:
    enabled: true
    type: stdio
    cmd: "uvx"   # the runner
    args:
      - --from
      - orchard-mcp
    envs: {API_KEY: "abc#d", OTHER: 'it''s'}
    env_keys: [A,
      B]
    available_tools:
    - pick
    - prune
    timeout: 300
    ratio: 0.5
    text: |
      Several
        lines
    folded: >-
      one
      line
    url: https://a.test/c#frag
    long: this goes
      on
  pairs:
  - name: a
    b: 2
  -
    name: c
  - - x
    - y
  empty:
tail: ~
"""


def test_yaml_as_clients_have_it():
    assert READERS["yaml"](YAML) == {
        "version": "1.2.1",
        "extensions": {
            "orchard": {
                "enabled": True,
                "type": "stdio",
                "cmd": "uvx",
                "args": ["--from", "orchard-mcp"],
                "envs": {"API_KEY": "abc#d", "OTHER": "it's"},
                "env_keys": ["A", "B"],
                "available_tools": ["pick", "prune"],
                "timeout": 300,
                "ratio": 0.5,
                "text": "Several\n  lines\n",
                "folded": "one line",
                "url": "https://a.test/c#frag",
                "long": "this goes on",
            },
            "pairs": [{"name": "a", "b": 2}, {"name": "c"}, ["x", "y"]],
            "empty": None,
        },
        "tail": None,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x 1\n", "line 1 has an anchor"),
        ("a: 1\nb: *x\n", "line 2 has an alias"),
        ("a: !secret x\n", "line 1 has a tag"),
        ("a:\n\tb: 1\n", "line 2 is indented by a tab"),
        ("a: [1, 2\n", "line 1 has a bracket that is not closed"),
        ("a: 1\n   b: 2\n  c: 3\nd\n", "line"),
        ("<<: {a: 1}\n", "line 1 has a merge"),
        ('a: "x\n', "line 1 has a quoted text"),
        ("x" * 10 + ":\n" + "".join(" " * depth + "a:\n" for depth in range(1, 90)), "too deep"),
        ("a: " + "[" * 90 + "]" * 90, "too deep"),
    ],
)
def test_yaml_that_is_not_read_is_refused_with_its_line(text, words):
    with pytest.raises(ConfigurationError, match=words):
        READERS["yaml"](text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{// one\n "a": "http://x//y", /* two */ "b": [1, 2,],\n}', {"a": "http://x//y", "b": [1, 2]}),
        ('{"a": "/* no */ // comment, ]"}', {"a": "/* no */ // comment, ]"}),
        ('\ufeff{"a": 1, // last\n}', {"a": 1}),
        ('{"a": "\\" // x"}', {"a": '" // x'}),
        ("", {}),
        ("// nothing\n", {}),
    ],
)
def test_json_with_comments(text, value):
    assert READERS["json"](text) == value


@pytest.mark.parametrize("form", ["json", "toml"])
def test_a_refusal_names_the_place_and_quotes_nothing(form):
    text = '{"token": "sk_live_0123456789abcdef",\n oops}' if form == "json" else 'token = "sk_live_0123456789"\noops\n'
    with pytest.raises(ConfigurationError, match="line 2") as caught:
        READERS[form](text)
    assert "sk_live" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON)
def test_json_is_read_by_both_readers(value):
    text = json.dumps({"a": value})
    assert READERS["json"](text) == {"a": value}
    assert READERS["yaml"](text) == {"a": value}


@given(form=st.sampled_from(sorted(READERS)), text=st.text("ab:-#'\"[]{},|>&*! \n\t/\\=.1", max_size=80))
def test_any_text_is_read_or_refused(form, text):
    with suppress(ConfigurationError):
        READERS[form](text)

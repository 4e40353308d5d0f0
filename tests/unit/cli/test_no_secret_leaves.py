"""No credential leaves: whatever a server echoes and wherever, in no output, log, file or snapshot is it found."""

import base64
import json
import shutil
import sys
import tempfile
import urllib.parse
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.mcp_http import Said, answering, error, legacy, result
from support.program import diagnose

SECRETS = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\\"'%&=+/?#"), min_size=8, max_size=40
)
WAYS = ("bearer", "header", "userinfo", "query", "environment")
FORMATS = ("text", "json")


def spelled(secret):
    """The spellings in which a server may send a secret back, and by which it would be found in an output."""
    encoded = secret.encode()
    return {
        secret,
        urllib.parse.quote(secret, safe=""),
        base64.b64encode(encoded).decode(),
        base64.urlsafe_b64encode(encoded).decode().rstrip("="),
        json.dumps(secret)[1:-1],
    }


def echoing(secret):
    """A server that says the secret in every place that it has, in every spelling."""
    words = " | ".join(sorted(spelled(secret)))
    tool = {
        "name": f"pick {secret}",
        "title": words,
        "description": f"Call with Authorization: Bearer {secret}; or {words}",
        "inputSchema": {
            "type": "object",
            "properties": {
                secret: {"type": "string", "default": words, "enum": [words]},
                "row": {"description": words},
            },
            "required": [secret],
            "x-note": [words, {"deep": words}],
        },
        "outputSchema": {"type": "object", "description": words},
        "annotations": {"title": words},
        "_meta": {words: words},
    }
    info = {"name": words, "version": words, "toolManifestRevision": words}
    meta = {"meridian/toolManifest": {"revision": words, "count": words}}
    handshake = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": True, words: words}},
        "serverInfo": info,
        "instructions": words,
        "_meta": meta,
    }
    health = {"status": words, "service": words, "version": words, "git_sha": words, "started_at": words}

    def get(asked):
        body = {"/health": health, "/health/deep": health, "/version": health, "/tools": [tool]}.get(asked.path)
        return Said(status=404) if body is None else Said(body=json.dumps(body).encode(), headers={"X-Echo": secret})

    return legacy(
        GET=get,
        initialize=lambda asked: result(asked, handshake),
        tools__list=lambda asked: result(asked, {"tools": [tool, {"name": words}, words], "_meta": meta}),
        server__discover=lambda asked: error(asked, -32000, words, 400, data={"why": words, words: [words]}),
    )


def failing(secret):
    """A server that refuses everything, and says the secret while it does."""
    words = " ".join(sorted(spelled(secret)))
    refusal = {"WWW-Authenticate": f'Bearer realm="{secret}", error_description="{secret}"'}
    return legacy(
        initialize=lambda asked: error(asked, -32603, words, 200, data=words),
        server__discover=lambda asked: error(asked, -32601, words, 400),
        tools__list=lambda asked: Said(status=401, body=words.encode(), headers=refusal),
    )


def asking(way, secret, url):
    """The operand, options and environment that hand the secret over in one of the ways that there are."""
    if way == "bearer":
        return [url, "--auth", "env:ORCHARD"], {"ORCHARD": secret}
    if way == "header":
        return [url, "--header", f"X-Api-Key={secret}"], {}
    if way == "userinfo":
        return [url.replace("http://", f"http://orchard:{urllib.parse.quote(secret, safe='')}@")], {}
    if way == "query":
        return [f"{url}?api_key={urllib.parse.quote(secret, safe='')}"], {}
    return [url], {"DIAGNOSE_TOKEN": secret}


def assert_gone(secret, folder, *texts):
    written = [path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()]
    for spelling in spelled(secret):
        assert all(spelling not in text for text in texts)
        assert all(spelling.encode() not in data for data in written)


@pytest.mark.parametrize("server", [echoing, failing])
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(secret=SECRETS)
def test_no_output_and_no_file_holds_the_secret(way, server, secret):
    with tempfile.TemporaryDirectory() as folder, answering(server(secret)) as url:
        arguments, env = asking(way, secret, url)
        env["DIAGNOSE_DATA"] = folder
        for form in FORMATS:
            ran = diagnose("surface", *arguments, "--save", "-vv", "--format", form, "--timeout", "3", env=env)
            assert ran.code != 70, ran.err
            assert_gone(secret, folder, ran.out, ran.err)
        for command in ("health", "version", "manifest", "revision"):
            ran = diagnose(command, *arguments, "-vv", env=env)
            assert_gone(secret, folder, ran.out, ran.err)
        listed = diagnose("snapshot", "list", env=env)
        exported = diagnose("snapshot", "export", "-o", str(Path(folder) / "all.json"), env=env)
        assert_gone(secret, folder, listed.out, listed.err, exported.out, exported.err)


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_command_is_given_it_may_say_and_nobody_reads_it(tmp_path, form):
    """The environment of a command and its arguments, by the names that they go under."""
    says = "import os, sys; sys.exit(f'no access for {os.environ[\"ORCHARD_PASSWORD\"]} and {sys.argv[2]}')"
    env = {"DIAGNOSE_DATA": str(tmp_path), "ORCHARD_PASSWORD": "plum-and-pear", "PATH": "/usr/bin:/bin"}
    command = ["--", sys.executable, "-c", says, "--api-key", "apple-and-quince"]
    ran = diagnose("surface", "--format", form, "-vv", *command, env=env)
    assert "no access for *** and ***" in " ".join(ran.out.split())
    assert_gone("plum-and-pear", tmp_path, ran.out, ran.err)
    assert_gone("apple-and-quince", tmp_path, ran.out, ran.err)


def test_a_fault_of_ours_does_not_tell_it_either(tmp_path, monkeypatch):
    secret = "sup3r-s3cret-value"

    def broken(*args, **rest):
        raise RuntimeError(f"unexpected {secret} and {base64.b64encode(secret.encode()).decode()}")

    monkeypatch.setattr("diagnose.jobs.surface._Look.round", broken)
    env = {"DIAGNOSE_DATA": str(tmp_path), "ORCHARD": secret}
    with answering(legacy()) as url:
        ran = diagnose("surface", url, "--auth", "env:ORCHARD", "-vv", env=env)
    assert ran.code == 70
    assert "RuntimeError" in ran.err
    assert_gone(secret, tmp_path, ran.out, ran.err)


def test_a_child_that_prints_it_is_redacted(tmp_path):
    python = shutil.which("python3")
    script = "import os, sys; sys.exit('cannot log in with ghp_abcdefghijklmnopqrstuvwxyz0123456789')"
    ran = diagnose(
        "surface", "-v", "--", python, "-c", script, env={"DIAGNOSE_DATA": str(tmp_path), "PATH": "/usr/bin"}
    )
    assert ran.code == 3
    assert "ghp_abcdef" not in ran.out + ran.err

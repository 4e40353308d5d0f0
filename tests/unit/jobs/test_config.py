"""The configuration file: what is taken from it, and how each mistake is named."""

import pytest

from diagnose.errors import UsageError
from diagnose.jobs.config import Config, load_config

WHOLE = """
default = "orchard"

[targets.orchard]
url = "https://orchard.test/mcp"
base_url = "https://status.orchard.test"
auth = "env:ORCHARD_TOKEN"
era = "legacy"
lock = "tool-surface.lock.json"
headers_from_env = { X-Team = "ORCHARD_TEAM" }

[targets.cellar]
command = ["python", "cellar.py", "--quiet"]
"""


def write(folder, text):
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_every_key_is_read(tmp_path):
    config = load_config({}, write(tmp_path, WHOLE))
    assert config.default == "orchard"
    orchard, cellar = config.targets["orchard"], config.targets["cellar"]
    assert (orchard.url, orchard.base_url) == ("https://orchard.test/mcp", "https://status.orchard.test")
    assert (orchard.auth, orchard.era, orchard.lock) == ("env:ORCHARD_TOKEN", "legacy", "tool-surface.lock.json")
    assert orchard.headers_from_env == {"X-Team": "ORCHARD_TEAM"}
    assert cellar.command == ("python", "cellar.py", "--quiet")


def test_a_missing_usual_file_is_an_empty_configuration(tmp_path):
    assert load_config({"XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}) == Config()


def test_the_working_directory_is_never_read(tmp_path, monkeypatch):
    write(tmp_path, WHOLE)
    monkeypatch.chdir(tmp_path)
    assert (
        load_config({"XDG_CONFIG_HOME": str(tmp_path / "elsewhere"), "HOME": str(tmp_path / "elsewhere")}) == Config()
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("defualt = 'x'", "defualt: is no key that is known here"),
        ("[targets.a]\nurl = 'https://a.test'\ntoken = 'x'", "targets.a.token: is no key"),
        ("[targets.a]\n", "targets.a: needs either url or command"),
        ("[targets.a]\nurl = 'https://a.test'\ncommand = ['x']", "targets.a: needs either url or command"),
        ("[targets.a]\ncommand = 'python server.py'", "targets.a.command: must be a list of texts"),
        ("[targets.a]\nurl = 3", "targets.a.url: must be a text"),
        ("default = 'b'\n[targets.a]\nurl = 'https://a.test'", "default = 'b' names no target"),
        ("targets = 3", "targets: must be a table"),
        ("default = ", "is no valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path, text, says):
    with pytest.raises(UsageError, match=r"config\.toml") as caught:
        load_config({}, write(tmp_path, text))
    assert says in str(caught.value)


def test_a_named_file_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        load_config({}, str(tmp_path / "none.toml"))


def test_a_huge_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="larger than"):
        load_config({}, write(tmp_path, "#" * (1 << 21)))

"""The peers script: what it lists, that it makes each once, and what it says when it cannot. Nothing is downloaded."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "peers.py"


@pytest.fixture
def peers(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("peers_under_test", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PEERS", tmp_path / ".peers")
    return module


@pytest.fixture
def installed(peers, monkeypatch):
    """Stand in for npm and pip; returns what they were asked for."""
    asked = []

    def run(command, **options):
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, "")

    monkeypatch.setattr(peers.subprocess, "run", run)
    monkeypatch.setattr(peers.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(peers.venv.EnvBuilder, "create", lambda _, folder: Path(folder).mkdir(parents=True))
    return asked


def test_the_list_names_every_peer_and_installs_nothing(tmp_path):
    copy = tmp_path / "scripts" / "peers.py"
    copy.parent.mkdir()
    copy.write_bytes(SCRIPT.read_bytes())
    listing = [sys.executable, "-I", "-S", str(copy), "--list"]
    done = subprocess.run(listing, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert {"mcp-1", "mcp-2", "fastmcp-2", "fastmcp-4", "grafana", "mise", "everything"} <= set(names)
    assert {"typescript-2", "conformance", "node", "inspector"} <= set(names)
    assert len(set(names)) == len(names)
    assert [path.name for path in tmp_path.iterdir()] == ["scripts"]


def test_an_unknown_peer_is_told_with_those_that_there_are(peers, capsys):
    assert peers.main(["mcp-2", "pear"]) == 2
    said = capsys.readouterr().err
    assert "there is no peer 'pear'" in said
    assert "mcp-2" in said


@pytest.mark.parametrize("name", ["mcp-2", "typescript-2"])
def test_a_peer_is_made_once_in_a_folder_of_its_own(peers, installed, capsys, name):
    assert peers.main([name]) == 0
    assert peers.main([name]) == 0
    assert len(installed) == 1
    assert installed[0][-len(peers.ALL[name].packages) :] == list(peers.ALL[name].packages)
    assert str(peers.PEERS / name) in " ".join(map(str, installed[0]))
    assert capsys.readouterr().err.count("is made") == 1


def test_no_install_script_of_a_package_runs(peers, installed):
    peers.main(["typescript-2"])
    assert "--ignore-scripts" in installed[0]


def test_without_names_all_that_can_be_had_are_made(peers, installed):
    assert peers.main([]) == 0
    assert len(installed) == sum(peer.can_be_had for peer in peers.ALL.values())


def test_a_peer_of_other_packages_is_made_again(peers, installed):
    peers.main(["mcp-2"])
    peers.ALL["mcp-2"] = replace(peers.ALL["mcp-2"], packages=("mcp==2.4.*",))
    peers.main(["mcp-2"])
    assert len(installed) == 2


def test_a_half_made_peer_is_not_taken(peers, installed):
    (peers.PEERS / "mcp-2" / "half").mkdir(parents=True)
    assert peers.main(["mcp-2"]) == 0
    assert len(installed) == 1
    assert not (peers.PEERS / "mcp-2" / "half").exists()


def test_a_failing_install_is_told_and_leaves_no_stamp(peers, installed, monkeypatch, capsys):
    failed = subprocess.CompletedProcess([], 1, "npm error network\nnpm error ENOTFOUND\n")
    monkeypatch.setattr(peers.subprocess, "run", lambda *_, **__: failed)
    assert peers.main(["everything"]) == 1
    said = capsys.readouterr().err
    assert "everything could not be installed: npm error network | npm error ENOTFOUND" in said
    assert "from the npm registry" in said
    assert not peers.ALL["everything"].is_made


def test_an_install_that_takes_for_ever_is_told(peers, installed, monkeypatch, capsys):
    def hang(command, **options):
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(peers.subprocess, "run", hang)
    assert peers.main(["mcp-1"]) == 1
    assert "mcp-1 was not installed within 600 s" in capsys.readouterr().err


def test_a_missing_npm_is_told(peers, installed, monkeypatch, capsys):
    monkeypatch.setattr(peers.shutil, "which", lambda _: None)
    assert peers.main(["everything"]) == 1
    assert "npm is not on the PATH" in capsys.readouterr().err


def test_a_missing_venv_is_told(peers, installed, monkeypatch, capsys):
    def broken(*_):
        raise ImportError("No module named 'ensurepip'")

    monkeypatch.setattr(peers.venv.EnvBuilder, "create", broken)
    assert peers.main(["mcp-1"]) == 1
    assert "apt install python3-venv" in capsys.readouterr().err


def test_a_program_for_another_machine_is_left_out_and_told_when_asked_for(peers, installed, monkeypatch, capsys):
    monkeypatch.setattr(peers, "_LINUX_X64", False)
    assert peers.main(["mise"]) == 1
    assert "mise is a program for Linux on x86-64" in capsys.readouterr().err
    assert peers.main([]) == 0
    assert not (peers.PEERS / "mise").exists()

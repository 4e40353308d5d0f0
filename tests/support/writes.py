"""Every write of a Python process and of its Python children, by their audit hook: what was opened to write, made, moved, removed."""

import json
import os
import subprocess
import sys
from pathlib import Path

#: Runs at the start of each Python process whose PYTHONPATH leads here; writes with a descriptor, which no event tells of.
HOOK = """
import os, sys
from urllib.parse import unquote
_log = os.open(os.environ["WRITES_LOG"], os.O_WRONLY | os.O_APPEND)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Of each event: where its paths are among the arguments, and for each where the descriptor of its folder is.
_PATHS = {"os.rename": ((0, 2), (1, 3)), "os.link": ((0, 2), (1, 3)), "os.symlink": ((1, 2),), "os.remove": ((0, 1),),
    "os.mkdir": ((0, 2),), "os.rmdir": ((0, 1),), "os.truncate": ((0, 9),), "os.chmod": ((0, 2),), "os.chown": ((0, 3),),
    "os.utime": ((0, 3),), "os.setxattr": ((0, 9),), "os.removexattr": ((0, 9),), "sqlite3.connect": ((0, 9),)}

def _folder(descriptor):
    if descriptor is None or descriptor < 0:
        return os.getcwd()
    try:
        import fcntl
        return fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\\0").decode()
    except (ImportError, AttributeError):
        return os.readlink("/proc/self/fd/%d" % descriptor)

def _hook(event, args):
    places = _PATHS.get(event, ())
    if event == "open" and args[2] is not None and args[2] & _WRITING:
        places = ((0, 9),)
    for place, held in places:
        path = args[place]
        if isinstance(path, (str, bytes)) or hasattr(path, "__fspath__"):
            name = os.fsdecode(path)
            if event == "sqlite3.connect" and name.startswith("file:"):
                name = unquote(name[5:].partition("?")[0])
            if name != ":memory:":
                name = os.path.join(_folder(args[held] if held < len(args) else None), name)
                os.write(_log, (event + " " + os.path.abspath(name).replace("\\n", "?") + "\\n").encode("utf-8", "replace"))

sys.addaudithook(_hook)
"""

#: Runs commands of the program one after the other, each as a person would; prints their exit codes.
COMMANDS = """
import io, json, os, sys
from diagnose.cli import run
codes = []
for args in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    codes.append([run(args, out, err, stdin=io.StringIO(""), env=dict(os.environ)), err.getvalue()[-400:]])
print(json.dumps(codes))
"""


class Watched:
    """Processes whose writes are seen. ``env`` is all that they get besides."""

    def __init__(self, folder, env):
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        self.log = folder / "writes.log"
        self.log.touch()
        roots = [str(folder / "hook"), str(Path(__file__).resolve().parents[2])]
        self.env = {
            "PATH": os.defpath,
            "PYTHONPATH": os.pathsep.join(roots),
            "PYTHONDONTWRITEBYTECODE": "1",
            "WRITES_LOG": str(self.log),
            **env,
        }

    def python(self, *args, cwd, stdin=None):
        """Run Python with these arguments to its end and return what it printed."""
        command = [sys.executable, *args]
        done = subprocess.run(
            command, env=self.env, cwd=cwd, input=stdin or "", capture_output=True, text=True, check=True
        )
        return done.stdout

    def diagnose(self, commands, *, cwd):
        """Run commands of the program, and return the exit code of each with its last words."""
        return json.loads(self.python("-c", COMMANDS, json.dumps(commands), cwd=cwd))

    @property
    def writes(self):
        """What was written, as pairs of an event and a path; devices are left out."""
        lines = (line.partition(" ") for line in self.log.read_text(encoding="utf-8").splitlines())
        return [(event, Path(path)) for event, _, path in lines if not path.startswith("/dev/")]

    def outside(self, *folders):
        """Return the writes that are in none of these folders."""
        allowed = [Path(os.path.realpath(folder)) for folder in folders]

        def within(path):
            real = Path(os.path.realpath(path.parent)) / path.name
            return any(real == folder or folder in real.parents for folder in allowed)

        return [(event, str(path)) for event, path in self.writes if not within(path)]

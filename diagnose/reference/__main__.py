"""``python -m diagnose.reference``: the server as a child of ours; see `launch`."""

import json
import os
import signal
import sys
import threading

from diagnose.errors import DiagnoseError
from diagnose.reference.launch import read_options
from diagnose.reference.serve import serve, serve_on_stdio


def main() -> int:
    """Serve as the first line of stdin says, until stdin ends or a signal comes."""
    try:
        options, stdio = read_options(0)
        if stdio:
            serve_on_stdio(options)
        else:
            threading.Thread(target=_hold_lifeline, name="lifeline", daemon=True).start()
            serve(options, _announce)
    except DiagnoseError as error:
        sys.stderr.write(f"diagnose: {error}\n")
        return error.exit_code
    return 0


def _announce(url: str) -> None:
    sys.stdout.write(json.dumps({"url": url, "pid": os.getpid()}) + "\n")
    sys.stdout.flush()


def _hold_lifeline() -> None:
    while os.read(0, 4096):
        pass
    signal.raise_signal(signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())

"""The conformance client, with a tap between it and the suite's server. TAP_RECORDING says where it records."""

import os
import signal
import subprocess
import sys
from pathlib import Path

URL = sys.argv[-1]
CLIENT = Path(__file__).resolve().parent / "conformance_client.py"
TAP = [sys.executable, "-P", "-m", "diagnose", "tap", "http", "--listen", "127.0.0.1:0", "--to", URL]

tap = subprocess.Popen([*TAP, "-o", os.environ["TAP_RECORDING"]], stderr=subprocess.PIPE, text=True)
try:
    line = ""
    while "give the client " not in line:
        line = tap.stderr.readline()
    url = line.split("give the client ")[1].split()[0]
    code = subprocess.run([sys.executable, str(CLIENT), *sys.argv[1:-1], url], check=False).returncode
finally:
    tap.send_signal(signal.SIGINT)
    tap.communicate(timeout=20)
sys.exit(code)

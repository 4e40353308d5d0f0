"""What holds for all tests."""

import os
import signal

from hypothesis import HealthCheck, settings

# Started in the background by a shell, a process ignores Ctrl-C, and so does every child that a test starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no fault of the code; what CI tries is the same every time, and what a developer tries is not.
settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize="CI" in os.environ,
)
settings.load_profile("house")

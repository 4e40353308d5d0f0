"""What holds for all tests."""

import signal

# Started in the background by a shell, a process ignores Ctrl-C, and so does every child that a test starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

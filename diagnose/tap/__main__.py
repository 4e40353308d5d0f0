"""The process that a tap starts to write its recording; nobody else has a use for it."""

import sys

from diagnose.tap.recorder import main

sys.exit(main())

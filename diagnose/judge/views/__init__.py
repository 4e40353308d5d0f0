"""What a gateway, a client and a model show of a server's list, each read through its lens and laid beside the list before it."""

from __future__ import annotations

from diagnose.judge.views.sides import views_of
from diagnose.judge.views.view import View

__all__ = ["View", "views_of"]

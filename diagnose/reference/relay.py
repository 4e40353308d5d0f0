"""A fault between one honest server and its clients, alike for HTTP and for stdio."""

from __future__ import annotations

from diagnose.reference.exchange import Answer, Ask, Upstream
from diagnose.reference.faults import Fault, Memory, Passing, Telling
from diagnose.reference.outlet import Message, Outlet
from diagnose.wire.subscription import ACKNOWLEDGED


class Relay:
    """Lets what goes to a client pass the fault: the answers to its requests, and what it is told beside them."""

    def __init__(self, fault: Fault, server: Upstream) -> None:
        self.fault = fault
        self.outlets: list[Outlet] = []
        self._server = server
        self._memory = Memory()

    def reserve(self, ask: Ask | None) -> Outlet:
        """Take note of an outlet that is asked for; whoever takes it gives it back with `release`."""
        outlet = Outlet(ask)
        self.outlets.append(outlet)
        return outlet

    def release(self, outlet: Outlet) -> None:
        """Take note that an outlet is no more."""
        outlet.gone()
        self.outlets.remove(outlet)

    def answer(self, ask: Ask, outlet: Outlet | None = None) -> Answer:
        """Return what the fault makes of this request; ``outlet`` is the one that it asks for."""
        passing = Passing(ask=ask, server=self._server, memory=self._memory, outlets=tuple(self.outlets), outlet=outlet)
        return self.fault.answer(passing)

    def opened(self, outlet: Outlet) -> None:
        """Tell the fault that a client hears on this outlet from now on."""
        self.fault.opens(outlet)

    def tell(self, outlet: Outlet, message: Message) -> None:
        """Send what the fault makes of a message of the server's."""
        for told in self.fault.tells(Telling(message=message, outlet=outlet, memory=self._memory)):
            outlet.send(told)
        if message.get("method") == ACKNOWLEDGED:
            self.opened(outlet)

"""What a client sends while the server is being reached goes to it in the order in which it came."""

import asyncio

from support.tapping import Sink

from diagnose.tap import http
from diagnose.tap.address import Address
from diagnose.tap.guard import Guard
from diagnose.transport.origin import Origin

HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: 4\r\n\r\n"


class Pipe(asyncio.Transport):
    """A connection that keeps what is written to it."""

    def __init__(self):
        super().__init__()
        self.written = b""

    def write(self, data):
        self.written += data

    def is_closing(self):
        return False

    def resume_reading(self):
        """Go on."""

    def can_write_eof(self):
        return False

    def close(self):
        """Stay as it is."""


def test_a_body_that_comes_with_the_connection_follows_its_head(monkeypatch):
    here = Origin(scheme="http", host="127.0.0.1", port=1)
    address, guard = Address(server="http://127.0.0.1:2/mcp", tap=here), Guard(tap=here, origins=())
    client, server = Pipe(), Pipe()

    async def session():
        made, returns = asyncio.Event(), asyncio.Event()

        async def reach(_origin, _trust, _proxy, factory):
            factory().connection_made(server)
            made.set()
            await returns.wait()  # whoever waits for a connection goes on later than the connection is there

        monkeypatch.setattr(http, "reach", reach)
        tap = http.HttpTap(address=address, guard=guard, sink=Sink(), tell=lambda _text: None)
        side = tap.connection()
        side.connection_made(client)
        side.data_received(HEAD)
        await made.wait()
        side.data_received(b"body")
        returns.set()
        await asyncio.sleep(0)

    asyncio.run(session())
    assert server.written.startswith(b"POST /mcp HTTP/1.1\r\n")
    assert server.written.endswith(b"\r\n\r\nbody")

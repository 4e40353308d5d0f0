"""A page as a browser reads it, held to what may be in one: no element, attribute or address that could act."""

from __future__ import annotations

from html.parser import HTMLParser

_PLAIN = (
    "a article b body caption code dd desc details div dl dt em figure footer g h1 h2 h3 h4 head header html li main meta nav ol p"
    " pre section small span strong style summary table tbody td text th thead title tr tspan ul wbr"
    " circle line path polygon polyline rect svg"
)
_NAMED = (
    "aria-describedby aria-hidden aria-label aria-labelledby charset class colspan content cx cy d dx dy height href"
    " http-equiv id lang name open points r role rx ry scope start tabindex text-anchor title transform viewbox width x x1"
    " x2 y y1 y2"
)
_META = {"charset", "Content-Security-Policy", "viewport", "color-scheme", "referrer"}


class Browsed(HTMLParser):
    """What was found: `text` is all that a reader sees, `elements` are the names, `ids` and `links` the places."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.styles: list[str] = []
        self.policy = ""
        self._pieces: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open, f"left open: {self._open}"

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def handle_starttag(self, tag, attrs):
        assert tag in _PLAIN.split(), tag
        self.elements.append(tag)
        assert len({name for name, _ in attrs}) == len(attrs), attrs
        for name, value in attrs:
            assert name in _NAMED.split(), (tag, name)
            assert value is not None, (tag, name)
        named = dict(attrs)
        self.ids += [named["id"]] if "id" in named else []
        if "href" in named:
            assert tag == "a"
            assert named["href"].startswith("#")
            self.links.append(named["href"][1:])
        if tag == "meta":
            self._meta(named)
        else:
            self._open.append(tag)

    def _meta(self, named):
        assert self._open == ["html", "head"], "a meta element outside of the head"
        kind = named.get("http-equiv") or named.get("name") or "charset"
        assert kind in _META, kind
        if kind == "Content-Security-Policy":
            self.policy = named["content"]

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] == "style":
            self.styles.append(data)
        else:
            self._pieces.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data!r}")

    def handle_pi(self, data):
        raise AssertionError(f"a processing instruction: {data!r}")

    def unknown_decl(self, data):
        raise AssertionError(f"a declaration: {data!r}")


def browsed(page: str) -> Browsed:
    """Return the page as it was read; fails where it holds what may act, or where an id or a link leads nowhere."""
    found = Browsed(page)
    assert page.startswith("<!doctype html>\n")
    assert len(set(found.ids)) == len(found.ids)
    assert set(found.links) <= set(found.ids)
    assert len(found.styles) == 1
    return found

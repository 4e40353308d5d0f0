"""The shell of our HTML pages: one file that needs nothing else, runs no script, and in which no text can act.

Texts and markup are two types. A text is redacted, made harmless and escaped where it is put into an element, so what a
server said cannot become a tag, an attribute or an address; only `Writer.element` makes markup, of the few elements and
attributes that are named here, none of which fetches, submits or runs anything.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from diagnose.evidence.harmless import harmless
from diagnose.record import record
from diagnose.report.stylesheet import stylesheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from diagnose.evidence.redact import Redactor

_ELEMENTS = (
    "a article b caption code dd details div dl dt em figure footer h1 h2 h3 h4 header li main nav ol p pre section small span strong"
    " summary table tbody td th thead title tr ul wbr svg g desc text tspan rect circle line path polygon polyline"
)
_ATTRIBUTES = (
    "class colspan href id lang open role scope start tabindex title"
    " aria-describedby aria-hidden aria-label aria-labelledby"
    " cx cy d dx dy height points r rx ry transform viewBox width x x1 x2 y y1 y2"
)
ELEMENTS = frozenset(_ELEMENTS.split())
ATTRIBUTES = frozenset(_ATTRIBUTES.split())


@record
class Markup:
    """Finished HTML, which may stand in a page as it is. Only a `Writer` makes it."""

    html: str


#: What an element holds: text that is still to be escaped, or markup.
Content: TypeAlias = str | Markup


class Writer:
    """Makes markup of texts that strangers wrote."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def safe(self, text: str) -> str:
        """Return a text without credentials and with every character harmless; a second time changes nothing.

        For what is to be cut or measured before it is shown: cut first, a credential could show its half.
        """
        return harmless(self._redactor.text(text))

    def element(self, name: str, *inside: Content, **attributes: str | float | None) -> Markup:
        """Return an element. `class_` stands for `class`, `aria_label` for `aria-label`; None leaves an attribute out.

        Raises `ValueError` for an element or an attribute that our pages do not have, and for an address that leads out
        of the page: a fault of ours.
        """
        if name not in ELEMENTS:
            raise ValueError(f"our pages have no element {name!r}")
        named = "".join(self._attribute(key, value) for key, value in attributes.items() if value is not None)
        return Markup(html=f"<{name}{named}>{self.join(inside).html}</{name}>")

    def join(self, inside: Iterable[Content], between: str = "") -> Markup:
        """Return texts and markup one behind the other, as markup."""
        pieces = (each.html if isinstance(each, Markup) else self._escaped(each) for each in inside)
        return Markup(html=self._escaped(between).join(pieces))

    def section(self, heading: Content, *inside: Content) -> Markup:
        """Return a part of the page under its heading."""
        return self.element("section", self.element("h2", heading), *inside)

    def items(self, each: Iterable[Content], *, ordered: bool = False) -> Markup:
        """Return a list, numbered or not."""
        return self.element("ol" if ordered else "ul", *(self.element("li", one) for one in each))

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[Content]], *, caption: str = "") -> Markup:
        """Return a table, whose first column heads its rows; on a narrow screen its cells stand below each other."""
        return self.element(
            "table",
            *([self.element("caption", caption)] if caption else []),
            self.element("thead", self.element("tr", *(self.element("th", head, scope="col") for head in heads))),
            self.element("tbody", *map(self._row, rows)),
            class_="rows",
        )

    def word(self, text: str, ink: str) -> Markup:
        """Return a word that marks something, in an ink of the stylesheet (`good`, `doubt`, `bad`, `unsure`, `faint`)."""
        return self.element("span", text, class_=f"word {ink}")

    def picture(self, *inside: Content, width: int, height: int, title: str, text: str, name: str) -> Markup:
        """Return an SVG of so many units, with what a screen reader says in its place: a title and a text.

        `name` is the beginning of its ids, and has to be its own within the page.
        """
        return self.element(
            "svg",
            self.element("title", title, id=f"{name}-title"),
            self.element("desc", text, id=f"{name}-text"),
            *inside,
            viewBox=f"0 0 {width} {height}",
            width=width,
            height=height,
            role="img",
            aria_labelledby=f"{name}-title",
            aria_describedby=f"{name}-text",
        )

    def page(self, title: str, *inside: Content) -> str:
        """Return the whole page. Its policy lets a browser use the one stylesheet in it, and nothing else."""
        style = stylesheet()
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
            f"{self.element('title', title).html}\n<style>{style}</style>\n</head>\n"
            f"<body>\n{self.join(inside).html}\n</body>\n</html>\n"
        )

    def _row(self, cells: Sequence[Content]) -> Markup:
        first, *rest = cells
        return self.element("tr", self.element("th", first, scope="row"), *(self.element("td", cell) for cell in rest))

    def _attribute(self, key: str, value: str | float) -> str:
        name, text = key.rstrip("_").replace("_", "-"), str(value)
        if name not in ATTRIBUTES:
            raise ValueError(f"our pages have no attribute {name!r}")
        if name == "href" and not text.startswith("#"):
            raise ValueError("an address in our pages leads to a place in the page")
        return f' {name}="{self._escaped(text)}"'

    def _escaped(self, text: str) -> str:
        return escape(self.safe(text), quote=True)

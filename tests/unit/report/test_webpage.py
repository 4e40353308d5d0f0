"""The shell of the pages: only what we wrote is markup, and the colours can be read."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.report.browsed import browsed

from diagnose.evidence.redact import Redactor
from diagnose.report.stylesheet import DARK, LIGHT, stylesheet
from diagnose.report.webpage import Markup, Writer

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    "</style><svg onload=alert(1)>",
    "</title></textarea></svg><!-- --><![CDATA[ ]]><?x ?>",
    "javascript:alert(1)",
    "&lt;b&gt; &#60;b&#62;",
    "\x1b[2J\u202e\u2028\ud800\x00",
    "-->\r\n<base href=//evil.test>",
)


@given(st.sampled_from(HOSTILE) | st.text())
def test_no_text_becomes_markup(text):
    writer = Writer(Redactor())
    page = browsed(
        writer.page(
            text,
            writer.section(
                text, writer.element("p", text, class_=text, title=text), writer.items([text], ordered=True)
            ),
            writer.table([text], [[text, text]], caption=text),
            writer.picture(writer.element("text", text, x=1), width=1, height=1, title=text, text=text, name="p"),
            text,
        )
    )
    assert page.elements.count("p") == 1
    assert not {"script", "img", "base"} & set(page.elements)
    assert writer.safe(text) in page.text
    assert page.text.isprintable() or "\n" in page.text


def test_what_is_a_secret_is_hidden_in_texts_and_attributes():
    writer = Writer(Redactor(["orchard-key-1"]))
    assert "orchard-key-1" not in writer.page(
        "orchard-key-1", writer.element("p", "orchard-key-1", title="orchard-key-1")
    )


def test_the_policy_lets_the_one_stylesheet_be_and_nothing_else():
    page = browsed(Writer(Redactor()).page("Orchard"))
    digest = base64.b64encode(hashlib.sha256(page.styles[0].encode()).digest()).decode()
    assert page.policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("script", {}),
        ("style", {}),
        ("img", {}),
        ("p", {"onclick": "x"}),
        ("p", {"style": "x"}),
        ("a", {"href": "https://evil.test"}),
        ("a", {"href": "javascript:x"}),
    ],
)
def test_a_writer_makes_nothing_that_acts(name, attributes):
    with pytest.raises(ValueError, match="our pages"):
        Writer(Redactor()).element(name, **attributes)


def test_markup_stands_as_it_is():
    writer = Writer(Redactor())
    assert writer.join(["a<", writer.element("b", "c"), "d"], between=" & ") == Markup(
        html="a&lt; &amp; <b>c</b> &amp; d"
    )


def test_the_stylesheet_fetches_nothing():
    style = stylesheet()
    assert not any(word in style for word in ("url(", "@import", "expression", "<", "http"))
    assert style.count("{") == style.count("}")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_every_ink_can_be_read(colours, ground):
    for ink in set(LIGHT) - {"paper", "panel", "line"}:
        assert contrast(colours[ink], colours[ground]) >= 4.5, ink
    assert set(LIGHT) == set(DARK)


def contrast(one, other):
    """Return the ratio of WCAG 2.2 (1.4.3)."""
    dim, bright = sorted(map(luminance, (one, other)))
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

"""The one stylesheet of our HTML pages: light and dark, narrow and wide, on the screen and on paper.

Every ink can be read on the paper and on a panel (WCAG 2.2, 1.4.3: 4.5 to 1); a test holds the colours to that. No colour
says anything that a word or a shape does not say too.
"""

from __future__ import annotations

LIGHT: dict[str, str] = {
    "paper": "#ffffff",
    "panel": "#f4f5f7",
    "line": "#c9ced6",
    "ink": "#1b1f24",
    "faint": "#59636e",
    "good": "#116329",
    "doubt": "#8a4600",
    "bad": "#b3141d",
    "unsure": "#6b3fb5",
    "accent": "#0b5cad",
    "teal": "#0b6b66",
    "olive": "#5d6300",
    "rose": "#a1266d",
}
DARK: dict[str, str] = {
    "paper": "#0f1318",
    "panel": "#191f27",
    "line": "#3b4552",
    "ink": "#e8ebef",
    "faint": "#a3adb9",
    "good": "#5fd07d",
    "doubt": "#f0a95c",
    "bad": "#ff8f8a",
    "unsure": "#c3a4ff",
    "accent": "#7cb8ff",
    "teal": "#5ccfc4",
    "olive": "#c3cb5c",
    "rose": "#f297c8",
}

_RULES = """\
* { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 74rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 .5rem; font-size: clamp(1.35rem, 1.1rem + 1.4vw, 1.9rem); line-height: 1.2; }
h2 { margin: 2.25rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.2rem; }
h3 { margin: 1.25rem 0 .35rem; font-size: 1rem; }
p { margin: .35rem 0; max-width: 75ch; }
ol, ul { margin: .35rem 0; padding-left: 1.5rem; max-width: 80ch; }
li { margin: .3rem 0; }
a { color: var(--accent); }
code, pre, .code { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace; }
code { padding: .05em .3em; border-radius: .25em; background: var(--panel); font-size: .9em; }
pre {
  margin: .35rem 0; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--panel);
  font-size: .9rem; white-space: pre-wrap;
}
table { width: 100%; border-collapse: collapse; font-size: .94rem; }
caption { padding: .25rem 0; text-align: left; color: var(--faint); }
th, td { padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; }
thead th { color: var(--faint); font-size: .85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .35rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
svg { display: block; max-width: 100%; height: auto; }
svg text {
  fill: var(--ink); font-size: 14px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
footer { margin-top: 2.5rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--faint); font-size: .9rem; }
summary { cursor: pointer; color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; }
.scroll > svg { max-width: none; }
.card { margin: .75rem 0; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel); }
.card > p:first-child { margin-top: 0; }
.card code { background: var(--paper); }
.word {
  display: inline-block; padding: .05em .55em; border: 1.5px solid currentColor; border-radius: 1em;
  font-size: .85em; font-weight: 700; letter-spacing: .02em; white-space: nowrap;
}
.lead { font-size: 1.15rem; }
.block { display: block; }
.detail { margin-bottom: .35rem; }
.beside { display: grid; grid-template-columns: minmax(0, 22rem) minmax(0, 1fr); gap: 1rem 2.5rem; align-items: start; }
figure { margin: 0; }
.keys { display: flex; flex-wrap: wrap; gap: .15rem 1.5rem; margin: .5rem 0; padding: 0; max-width: none; list-style: none; }
.keys li { display: flex; align-items: center; gap: .5rem; margin: 0; }
.keys svg { flex: none; }
.strong { font-weight: 700; }
.faint { color: var(--faint); }
.good { color: var(--good); }
.doubt { color: var(--doubt); }
.bad { color: var(--bad); }
.unsure { color: var(--unsure); }
.small { font-size: .88rem; }
svg .faint { fill: var(--faint); }
svg .good { fill: var(--good); }
svg .doubt { fill: var(--doubt); }
svg .bad { fill: var(--bad); }
svg .unsure { fill: var(--unsure); }
svg .accent { fill: var(--accent); }
svg .line { fill: none; stroke: var(--line); stroke-width: 2; }
svg .box { fill: var(--panel); stroke: var(--line); stroke-width: 1.5; }
svg .paper { fill: var(--paper); }
svg .dashed { stroke-dasharray: 5 4; }
svg .on-good { stroke: var(--good); }
svg .on-doubt { stroke: var(--doubt); }
svg .on-bad { stroke: var(--bad); }
svg .on-unsure { stroke: var(--unsure); }
svg .on-faint { stroke: var(--faint); }
svg .small { font-size: 12px; }
svg .middle { text-anchor: middle; }
svg .end { text-anchor: end; }
svg .plate { fill: var(--paper); stroke-width: 1.5; }
svg .heavy { stroke-width: 3.5; }
svg .thin { stroke-width: 1; }
svg .lane { font-size: 13px; }
svg .ink { fill: var(--ink); }
svg .span { fill-opacity: .2; stroke-width: 1.5; }
svg .stripe { stroke-width: 1.5; }
svg .hue0 { fill: var(--accent); stroke: var(--accent); }
svg .hue1 { fill: var(--teal); stroke: var(--teal); }
svg .hue2 { fill: var(--unsure); stroke: var(--unsure); }
svg .hue3 { fill: var(--olive); stroke: var(--olive); }
svg .hue4 { fill: var(--rose); stroke: var(--rose); }
svg .hue5 { fill: var(--faint); stroke: var(--faint); }
svg .stream { fill: var(--faint); fill-opacity: .35; stroke: var(--faint); stroke-width: 1; }
svg .old { fill: var(--paper); fill-opacity: .55; stroke: var(--doubt); stroke-width: 1.5; }
svg .hatch { fill: none; stroke: var(--doubt); stroke-width: 1.8; }
svg .mark { stroke: var(--paper); stroke-width: 1.5; }
svg .ring { fill: var(--paper); stroke: var(--ink); stroke-width: 2; }
svg .cross { fill: none; stroke: var(--bad); stroke-width: 3.5; }
@media (max-width: 40rem) {
  table.rows, table.rows tbody, table.rows tr, table.rows th, table.rows td { display: block; width: auto; }
  table.rows caption { display: block; }
  table.rows thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
  table.rows tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  table.rows th, table.rows td { padding: .1rem 0; border: 0; }
  dl, .beside { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .4rem; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2, h3 { break-after: avoid; }
  svg, tr, .card, li { break-inside: avoid; }
  .scroll { overflow: visible; }
  .scroll > svg { max-width: 100%; }
}
"""


def stylesheet() -> str:
    """Return the stylesheet; the dark colours stand where the reader prefers them, and never on paper."""
    return (
        f":root {{ {_variables(LIGHT)} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}\n"
        f"{_RULES}"
    )


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())

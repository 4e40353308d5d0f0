"""What a changed tool definition does to a caller who still holds the old one.

`tool` judges field by field; `schema` brings two ways of looking at a schema together: `walk` finds what became of its
assertions, `words` what became of everything else. `prover` answers the question behind both, does all that one schema
allows fit another, with one rule a subject (`scalars`, `arrays`, `objects`, `opaque`).

Decisions that no specification makes for us:

* A property that was named and is named no more breaks callers, also where an open schema would let it pass. One that
  an open input gains breaks nobody: nobody sends what he was not told of. Outputs that the old schema closed may gain
  none.
* `format` and `content...` may or may not be asserted: what narrows by them is unclear.
* Patterns are compared as text and never run; one against another is unclear.
* A reference that leads back into itself is followed once. A difference in a cycle that breaks callers is told as such;
  anything else in it is unclear.
* References are followed inside the schema, never fetched.
* `x-mcp-header` on an input property breaks callers over HTTP, who do not send the header yet.
* `taskSupport` counts by the ways in which a tool may be called, hints and defaults by what MCP says of their absence.
"""

from __future__ import annotations

from diagnose.surface.impact.judgement import Judgement, overall
from diagnose.surface.impact.tool import classify

__all__ = ["Judgement", "classify", "overall"]

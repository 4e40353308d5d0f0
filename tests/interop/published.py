"""The published JSON Schemas of MCP, taken at test time out of the conformance suite, which ships them.

That of 2024-11-05 it does not ship, nor does any package that we know of.
"""

import json
import re
import subprocess
from functools import cache

import jsonschema

#: Prints the schemas, which the suite's one file has as object literals, one after the other, with a table after them.
_SHOW = """
const [text, first, end, names] = JSON.parse(require("fs").readFileSync(0));
const show = `const ${text.slice(first, end)}; JSON.stringify(${names})`;
process.stdout.write(require("vm").runInNewContext(show, {}));
"""


@cache
def schemas(node, bundle):
    """Return schemas by revision. ``bundle`` is the program of the conformance suite."""
    text = bundle.read_text(encoding="utf-8")
    table = re.search(r'const \w+=(\{"2025-03-26":(\w+),"2025-06-18":\w+,"2025-11-25":\w+),\[\w+\]:(\w+)\}', text)
    first = text.index(f"{table[2]}={{$schema:")
    asked = json.dumps([text, first, table.start(), f'{table[1]},"2026-07-28":{table[3]}}}'])
    done = subprocess.run([node, "-e", _SHOW], input=asked, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def validate(schema, message):
    """Hold a message that a client sent to a schema; raises jsonschema.ValidationError."""
    place = "$defs" if "$defs" in schema else "definitions"
    if "method" in message:
        kind = "Request" if "id" in message else "Notification"
        names = [f"JSONRPC{kind}", f"Client{kind}"]
    elif "result" in message:
        names = [_first(schema[place], "JSONRPCResultResponse", "JSONRPCResponse"), "ClientResult"]
    else:
        names = [_first(schema[place], "JSONRPCErrorResponse", "JSONRPCError")]
    checker = jsonschema.validators.validator_for(schema)
    for name in names:
        value = message["result"] if name == "ClientResult" else message
        checker({**schema, "$ref": f"#/{place}/{name}"} if place == "$defs" else _only(schema, name)).validate(value)


def _first(definitions, *names):
    return next(name for name in names if name in definitions)


def _only(schema, name):
    """Draft-07 ignores what stands beside a `$ref`."""
    return {
        "$schema": schema["$schema"],
        "definitions": schema["definitions"],
        "allOf": [{"$ref": f"#/definitions/{name}"}],
    }

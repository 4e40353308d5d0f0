"""The embedded reference server and its faults: for the demonstrations, the tests and a person's own client.

`serve` runs it, `options` say how, `faults` stand in front of it; only `serve_http` and `serve_stdio` load the SDK.
`replay` stands in for a server that was recorded.
"""

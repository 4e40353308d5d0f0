"""Answers as a recorded server did, so that what a client did wrong can be seen again without that server.

`tape` orders a recording by what the client said, `player` plays it to whoever says that again; `door_http` and `door_stdio` are
the ways in. Needs nothing of the extra `server`.
"""

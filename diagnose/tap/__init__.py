"""Records a live session between a client and a server, over stdio or HTTP, and lets its bytes pass unchanged.

Two processes: one forwards and does nothing else, the other reads copies of the bytes, redacts and writes. So no
recorder, full disk or slow parser is ever between a client and its server, and a tap that is killed loses no line.
"""

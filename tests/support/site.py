"""A small web server whose every answer a test decides."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HTML = "<!DOCTYPE html><html><title>Sign in</title></html>"


class Site:
    """Routes: path to (status, content type, body) or to a function of the number of earlier requests for it."""

    def __init__(self, routes):
        self.routes = routes
        self.asked = []

    def answer(self, path):
        earlier = self.asked.count(path)
        self.asked.append(path)
        route = self.routes.get(path, (404, "text/html", HTML))
        return route(earlier) if callable(route) else route


@contextmanager
def serving(site):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, kind, body, *rest = site.answer(self.path)
            data = body.encode("utf-8", "surrogatepass")
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in (rest[0] if rest else {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def json_answer(text, status=200):
    return (status, "application/json", text)

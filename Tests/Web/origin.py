"""A web server that holds its responses back until it is told to continue."""

import http.server
import re
import socketserver
import threading
import urllib.parse


class Origin(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """`/NAME?size=…` is a file. With `hold=N`, each response stops after N bytes. With `drip=N`, it then
    sends N bytes 20 times per second: Pawl replaces a connection that is silent for long, perhaps by one
    to another source.

    A download opens more connections to a server that holds a response, and each receives N bytes: one
    that must not finish needs a number of connections.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.gate = threading.Event()
        # The header fields of the last request, by name of the file.
        self.heads = {}
        # The documents at other paths, such as feeds, by path.
        self.documents = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, name, size, hold=None, drip=0):
        end = "" if hold is None else f"&hold={hold}&drip={drip}"
        return f"http://127.0.0.1:{self.server_port}/{name}?size={size}{end}"

    def release(self):
        self.gate.set()

    def hold(self):
        self.gate.clear()

    def handle_error(self, request, client_address):
        pass  # Clients may close their connections at any time.


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self.server.heads[url.path[1:]] = dict(self.headers)
        # With its query, so that a late request for another URL of the file is told apart.
        self.server.heads[self.path[1:]] = dict(self.headers)
        document = self.server.documents.get(url.path[1:])
        if document is not None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(document)))
            self.end_headers()
            self.wfile.write(document)
            return
        if "size" not in query:
            self.send_error(404)
            return
        size = int(query["size"])
        first, last = 0, size - 1
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked:
            first, last = int(asked[1]), min(last, int(asked[2] or last))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("ETag", '"one"')
        self.end_headers()
        self.send_body(last - first + 1, int(query.get("hold", size)), int(query.get("drip", 0)))

    def send_body(self, count, hold, drip):
        try:
            sent = min(count, hold)
            self.wfile.write(b"x" * sent)
            while sent < count and not self.server.gate.wait(0.05 if drip else None):
                self.wfile.write(b"x" * min(drip, count - sent))
                sent += min(drip, count - sent)
            self.wfile.write(b"x" * (count - sent))
        except OSError:
            self.close_connection = True

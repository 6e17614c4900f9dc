"""A client of aria2's RPC on a WebSocket that sends several messages at once.

web_socket.py PORT [ORIGIN]: ORIGIN is that of a page. Each line of the input is a JSON list of messages. They are sent in one piece, and
the next line is sent after the answers to all of them. Prints one line per answer: the milliseconds
since the messages were sent, and the answer.
"""

import json
import socket
import struct
import sys
import time

port = int(sys.argv[1])
origin = f"Origin: {sys.argv[2]}\r\n" if len(sys.argv) > 2 else ""
connection = socket.create_connection(("127.0.0.1", port))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
connection.settimeout(60)
connection.sendall(
    (
        f"GET /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{origin}Upgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n"
    ).encode()
)
answers = connection.makefile("rb")
assert b" 101 " in answers.readline()
while answers.readline().strip():
    pass


def frame(text):
    """A frame with a mask of zeros (RFC 6455 section 5.2)."""
    data = text.encode()
    if len(data) < 126:
        return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data
    return b"\x81\xfe" + struct.pack(">H", len(data)) + bytes(4) + data


def read():
    """The text of the next frame."""
    length = answers.read(2)[1]
    if length == 126:
        length = struct.unpack(">H", answers.read(2))[0]
    elif length == 127:
        length = struct.unpack(">Q", answers.read(8))[0]
    return answers.read(length).decode()


for line in sys.stdin:
    messages = [json.dumps(message) for message in json.loads(line)]
    start = time.perf_counter()
    connection.sendall(b"".join(map(frame, messages)))
    for _ in messages:
        answer = read()
        while '"method":"aria2.on' in answer[:100]:
            answer = read()
        print(f"{(time.perf_counter() - start) * 1000:.1f} {answer}", flush=True)

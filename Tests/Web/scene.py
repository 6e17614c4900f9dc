"""A daemon for the checks, and requests to it beside those of the browser."""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.parse


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def unused_port():
    """A port that nothing uses, below those that Linux chooses by itself: while the daemon does not run, another program
    could get one of these. Chromium refuses port 10,080."""
    while True:
        port = random.randrange(11_000, 32_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))
            return port


class Scene:
    """Runs a daemon with folders of its own, so that no real queue is touched."""

    def __init__(self, programs):
        self.program = os.path.join(programs, "pawl")
        self.home = tempfile.mkdtemp(prefix="pawl-web-")
        # Of all checks; each check has a folder of its own within it.
        self.files = os.path.join(self.home, "files")
        for name in ("run", "files"):
            os.mkdir(os.path.join(self.home, name), 0o700)
        self.begin()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": self.home,
            "XDG_RUNTIME_DIR": os.path.join(self.home, "run"),
            "XDG_STATE_HOME": os.path.join(self.home, "state"),
        }
        self.socket = os.path.join(self.home, "run/pawl/daemon.sock")
        self.port = unused_port()
        self.daemon = None

    def __enter__(self):
        self.start()
        self.ask("PATCH", "/v1/settings", self.allowances())
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def allowances(self):
        """The settings that allow the page to use the scene's folders and to download from this machine."""
        return {"allowedFolders": [self.files], "allowsPrivateAddresses": True}

    def begin(self):
        """Gives the next check an empty folder, in which no earlier check has a file or still writes one."""
        self.folder = tempfile.mkdtemp(dir=self.files)

    def start(self):
        """Starts the daemon, at the same port as before, and returns when it responds."""
        self.daemon = subprocess.Popen(
            [self.program, "daemon", "run", "--listen", f"127.0.0.1:{self.port}"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        output = []
        for line in self.daemon.stdout:
            output.append(line)
            if "listens at" in line:
                break
        else:
            raise SystemExit("the daemon did not start: " + "".join(output))
        self.url = self.ask("GET", "/v1/status")["url"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def kill(self):
        if self.daemon is None:
            return
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()
        self.daemon.stdout.close()
        self.daemon = None

    @contextlib.contextmanager
    def standing_still(self):
        """Stops the daemon's process while its connections stay open."""
        self.daemon.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.daemon.send_signal(signal.SIGCONT)

    def pawl(self, *arguments):
        run = subprocess.run(
            [self.program, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return run.stdout.strip()

    def ask(self, method, path, body=None):
        """Makes a request over the Unix socket, as the user."""
        connection = SocketConnection(self.socket)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise AssertionError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text else None

    def add(self, urls, **more):
        orders = [{"url": url, "destination": self.folder + "/", **more} for url in urls]
        return self.ask("POST", "/v1/downloads", {"downloads": orders})["downloads"]

    def downloads(self):
        return self.ask("GET", "/v1/downloads?limit=1000")["downloads"]

    def clear(self):
        for feed in self.ask("GET", "/v1/feeds")["feeds"]:
            self.ask("DELETE", f"/v1/feeds/{feed['id']}")
        for label in self.ask("GET", "/v1/labels")["labels"]:
            self.ask("DELETE", f"/v1/labels?label={urllib.parse.quote(label['name'])}")
        self.ask("POST", "/v1/actions/remove-with-files", {"all": True})

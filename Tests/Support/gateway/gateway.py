"""A service, a gateway and their clients, for tests and measurements: plain sockets, so that what goes over them is known to the byte."""
import base64
import hashlib
import hmac
import http.server
import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TOKENS = {"operator": "an-operators-token-0123", "observer": "an-observers-token-4567"}


def wait(condition, complaint, seconds=20):
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(complaint)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Program:
    """A program that is started, killed and started again."""

    def __init__(self, command, log):
        self.command, self.log, self.process = [str(part) for part in command], log, None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, cwd=ROOT)

    def stop(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError("%s did not end" % self.command[0]) from None

    @property
    def memory(self):
        """Resident bytes that are the process's own."""
        for line in open("/proc/%d/smaps_rollup" % self.process.pid):
            if line.startswith("Private_Dirty:"):
                return int(line.split()[1]) << 10
        return 0


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Gateway:
    """Where a gateway listens, and requests to it."""

    def __init__(self, path=None, port=None, token=None, tls=None):
        self.path, self.port, self.token, self.tls = path, port, token, tls

    def connect(self, timeout=20):
        if self.path:
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(timeout)
            one.connect(str(self.path))
            return one
        one = socket.create_connection(("127.0.0.1", self.port), timeout)
        return self.tls.wrap_socket(one, server_hostname="localhost") if self.tls else one

    def head(self, verb, target, headers=()):
        lines = ["%s %s HTTP/1.1" % (verb, target), "Host: %s" % ("localhost:%d" % self.port if self.port else "gateway")]
        if self.token:
            lines.append("Authorization: Bearer " + self.token)
        lines += ["%s: %s" % pair for pair in headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def raw(self, data, timeout=20):
        """Sends bytes as they are; what comes until the other side closes, or says nothing for a while."""
        with self.connect(timeout) as one:
            try:
                one.sendall(data)
            except OSError:
                pass
            answer = b""
            try:
                while True:
                    piece = one.recv(1 << 16)
                    if not piece:
                        break
                    answer += piece
            except OSError:
                pass
            return answer

    def request(self, verb, target, body=None, headers=()):
        headers = list(headers) + [("Connection", "close")]
        if body is not None:
            headers.append(("Content-Length", len(body)))
        return parse(self.raw(self.head(verb, target, headers) + (body or b"")))

    def get(self, target, headers=()):
        return self.request("GET", target, headers=headers)

    def call(self, method, params=None, headers=()):
        headers = [("Content-Type", "application/json"), *headers]
        return self.request("POST", "/v1/" + method, json.dumps(params or {}).encode(), headers)


def parse(data):
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ", 2)
    assert len(parts) >= 2 and parts[0].startswith("HTTP/1."), data[:200]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    if headers.get("transfer-encoding") == "chunked":
        body = b"".join(chunks(body))
    return Answer(int(parts[1]), headers, body)


def chunks(data):
    while data:
        size, _, rest = data.partition(b"\r\n")
        count = int(size or b"0", 16)
        if not count:
            return
        yield rest[:count]
        data = rest[count + 2:]


class Stream:
    """A stream of events, read in a thread of its own."""

    def __init__(self, gateway, target="/v1/events", last=None):
        self.connection = gateway.connect(timeout=60)
        self.last, self.events, self.status, self.over = last, [], None, False
        headers = [("Accept", "text/event-stream")] + ([("Last-Event-ID", last)] if last else [])
        self.connection.sendall(gateway.head("GET", target, headers))
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            file = self.connection.makefile("rb")
            self.status = int(file.readline().split()[1])
            while file.readline().strip():
                pass
            pending, data, identity = b"", None, None
            while True:
                size = int(file.readline() or b"0", 16)
                if not size:
                    break
                pending += file.read(size)
                file.readline()
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    if line.startswith(b"id: "):
                        identity = line[4:].decode()
                    elif line.startswith(b"data: "):
                        data = json.loads(line[6:])
                    elif not line:
                        self.last = identity or self.last
                        if data is not None:
                            self.events.append(data)
                        data, identity = None, None
        except (OSError, ValueError, IndexError):
            pass
        self.over = True

    def close(self):
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            # The gateway is gone.
            pass
        self.thread.join(5)
        self.connection.close()


class WebSocket:
    """A WebSocket, frame by frame."""

    def __init__(self, gateway, headers=()):
        self.connection = gateway.connect()
        key = base64.b64encode(os.urandom(16)).decode()
        self.connection.sendall(gateway.head("GET", "/v1/socket", [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", 13), ("Sec-WebSocket-Key", key), *headers]))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            piece = self.connection.recv(1)
            assert piece, head
            head += piece
        self.status = int(head.split()[1])
        self.head = head.decode()
        proof = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        assert self.status != 101 or base64.b64encode(proof).decode() in self.head, self.head

    def send(self, data, opcode=1, fin=True, masked=True):
        data = data.encode() if isinstance(data, str) else data
        head = bytes([(0x80 if fin else 0) | opcode])
        bit = 0x80 if masked else 0
        if len(data) < 126:
            head += bytes([bit | len(data)])
        elif len(data) < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", len(data))
        if masked:
            mask = os.urandom(4)
            head += mask
            data = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.connection.sendall(head + data)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.connection.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def receive(self):
        """The next frame: opcode and data."""
        first, second = self.exactly(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", self.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.exactly(8))[0]
        return first & 15, self.exactly(size)

    def line(self):
        while True:
            opcode, data = self.receive()
            if opcode == 1:
                return json.loads(data)
            assert opcode in (9, 10), (opcode, data)

    def ask(self, method, number=1, **params):
        self.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            line = self.line()
            if "event" not in line:
                return line

    def closed(self):
        """The code of the close frame."""
        while True:
            opcode, data = self.receive()
            if opcode == 8:
                return struct.unpack(">H", data[:2])[0] if data else None

    def close(self):
        self.connection.close()


class Receiver:
    """A receiver of webhooks that can be away, and that refuses what it is told to."""

    def __init__(self, port, secret):
        self.port, self.secret, self.server = port, secret, None
        self.received, self.faults, self.deliveries, self.refuse, self.fail = [], [], 0, None, 0

    def start(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver.take(self)

            def log_message(self, *_):
                pass

        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def take(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        stamp = handler.headers["Waymark-Timestamp"]
        proof = hmac.new(self.secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        if handler.headers["Waymark-Signature"] != "v1=" + proof or abs(time.time() - int(stamp)) > 60:
            self.faults.append("a wrong signature: %s" % dict(handler.headers))
        event, status = json.loads(body), 204
        self.deliveries += 1
        if self.refuse and self.refuse(event):
            status = 422
        elif self.fail > 0:
            self.fail, status = self.fail - 1, 503
        if status == 204:
            self.received.append((handler.headers["Waymark-Id"], event))
        handler.send_response(status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None


class Line:
    """A client of the service's own socket."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(20)
        self.connection.connect(str(path))
        self.file = self.connection.makefile("rb")
        self.hello = json.loads(self.file.readline())

    def ask(self, method, **params):
        self.connection.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
        while True:
            line = json.loads(self.file.readline())
            if "event" not in line:
                return line

    def follow(self, into):
        def run():
            try:
                for text in self.file:
                    into.append(json.loads(text))
            except (OSError, ValueError):
                pass
        threading.Thread(target=run, daemon=True).start()


def certificate(folder):
    """A certificate for localhost that vouches for itself."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (folder / "key.pem").chmod(0o600)
    return ssl.create_default_context(cafile=folder / "cert.pem")

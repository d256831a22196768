"""The gateway against a real service on sample frames, and against whoever attacks it.

    test_gateway.py WAYMARK GATEWAY [--schemathesis PROGRAM] [--only PART]

The page is that of `Scripts/bundle-page --gateway .build/gateway-page`.

Prints a line for each part and ends with "N passed, N failed".
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import setup_page
from gateway import ROOT, TOKENS, Gateway, Line, Program, Receiver, Stream, WebSocket, certificate, free_port, parse, wait

SECRET = "a-secret-that-signs-what-is-sent"


class Suite:
    def __init__(self, waymark, gateway, schemathesis):
        self.secret = SECRET
        self.waymark, self.program, self.schemathesis = Path(waymark).resolve(), Path(gateway).resolve(), schemathesis and Path(schemathesis).absolute()
        self.folder = Path(tempfile.mkdtemp(prefix="waymark-gateway-"))
        self.passed, self.failed = 0, 0
        self.service_path = self.folder / "service.sock"
        self.port, self.tls_port, self.hook_port = free_port(), free_port(), free_port()
        self.tls = certificate(self.folder)
        for role, token in TOKENS.items():
            (self.folder / role).write_text(token + "\n")
        (self.folder / "secret").write_text(SECRET + "\n")
        for name in (*TOKENS, "secret"):
            (self.folder / name).chmod(0o600)
        (self.folder / "waymark.yaml").write_text(
            f"clients: {{ history: 1000 }}\nscenes: {{ cache: {self.folder}/secret={SECRET}, folders: [{ROOT}/Samples/scenes], load: pump-room }}\n")
        (self.folder / "gateway.yaml").write_text(f"""
listen: [{self.folder}/http.sock, "127.0.0.1:{self.port}"]
origins: ["https://app.example"]
tokens:
  all: {{ file: {self.folder}/operator, role: operator }}
  view: {{ file: {self.folder}/observer }}
store: {{ folder: {self.folder}/store }}
webhooks:
  erp: {{ url: "http://127.0.0.1:{self.hook_port}/hook", secretFile: {self.folder}/secret, events: [scan.*], role: operator, attempts: 2 }}
""")
        (self.folder / "tls.yaml").write_text(f"""
listen: ["0.0.0.0:{self.tls_port}"]
hosts: ["localhost:{self.tls_port}"]
tls: {{ certificateFile: {self.folder}/cert.pem, keyFile: {self.folder}/key.pem }}
tokens: {{ view: {{ file: {self.folder}/observer }} }}
""")
        self.receiver = Receiver(self.hook_port, SECRET)
        self.service = Program(
            [self.waymark, "serve", "--config", self.folder / "waymark.yaml", "--source", ROOT / "Samples/frames", "--source-onboarding",
             "--socket", self.service_path, "--log-level", "error"], self.folder / "service.log")
        self.gateway = Program(
            [self.program, "--config", self.folder / "gateway.yaml", "--socket", self.service_path, "--page", setup_page.FOLDER], self.folder / "gateway.log")
        self.secure = Program(
            [self.program, "--config", self.folder / "tls.yaml", "--socket", self.service_path], self.folder / "secure.log")
        self.local = Gateway(path=self.folder / "http.sock")
        self.network = Gateway(port=self.port, token=TOKENS["operator"])
        self.viewer = Gateway(port=self.port, token=TOKENS["observer"])

    def start(self):
        self.service.start()
        wait(self.service_path.exists, "the service does not listen")
        self.receiver.start()
        self.start_gateway()

    def start_gateway(self):
        self.gateway.start()
        wait(self.answers, "the gateway does not answer", 60)

    def answers(self):
        try:
            return self.local.call("ping").status == 200
        except (OSError, AssertionError):
            return False

    def stop(self):
        for program in (self.secure, self.gateway, self.service):
            program.stop(signal.SIGKILL)
        self.receiver.stop()

    def part(self, name, body):
        begin = time.monotonic()
        try:
            body()
            self.passed += 1
            print("ok      %s (%.1f s)" % (name, time.monotonic() - begin), flush=True)
        except (AssertionError, OSError, EOFError, ValueError, KeyError, IndexError) as problem:
            self.failed += 1
            print("FAILED  %s: %s: %s" % (name, type(problem).__name__, problem), flush=True)

    def scan(self, gateway=None, **params):
        """One scan, begun and confirmed over HTTP; its number."""
        gateway = gateway or self.local
        begun = gateway.call("scan.begin", {"mode": "onboarding", **params})
        assert begun.status == 200, begun.body
        scan = begun.json["scan"]
        confirmed = lambda: gateway.call("scan.confirm", {"scan": scan}).status == 200
        wait(confirmed, "the scan was not confirmed")
        return scan

    # The parts.

    def requests(self):
        """Results and errors are those of the socket, with a status."""
        line = Line(self.service_path)
        cases = [
            ("ping", {}, 200), ("status", {}, 200), ("camera.list", {}, 200), ("scene.load", {"name": "none"}, 404),
            ("scan.begin", {"mode": "all"}, 400), ("scan.confirm", {}, 409), ("no.such", {}, 404), ("ping", {"a": 1}, 400),
            ("form.pending", {}, 200), ("config.reload", {}, 200),
        ]
        for method, params, status in cases:
            over_http, over_socket = self.local.call(method, params), line.ask(method, **params)
            assert over_http.status == status, (method, over_http.status, over_http.body)
            if status == 200:
                assert set(over_http.json) == set(over_socket["result"]), method
            else:
                assert over_http.json["error"] == over_socket["error"], (method, over_http.json, over_socket)
        assert self.local.request("POST", "/v1/ping").status == 200
        assert self.local.get("/v1/state").json["instance"] == line.hello["instance"]
        for method in ("subscribe", "media.preview", "role.lower"):
            assert self.local.call(method).json["error"]["code"] == "wrongConnection"
        picture = self.local.call("media.snapshot")
        assert picture.status == 200 and picture.body[:2] == b"\xff\xd8", (picture.status, picture.body[:80])
        assert int(picture.headers["x-frame-sequence"]) > 0, picture.headers

    def roles(self):
        """A token may do what its role may do at the socket, and sees what it sees there."""
        assert self.viewer.call("status").status == 200
        refused = self.viewer.call("scan.begin", {"mode": "barcode"})
        assert refused.status == 403 and refused.json["error"]["code"] == "notPermitted", refused.body
        assert self.viewer.call("media.snapshot").status == 403
        assert self.viewer.get("/v1/preview").status == 403
        assert self.viewer.get("/v1/webhooks").status == 403
        assert self.viewer.call("role.lower", {"role": "operator"}).status == 409
        everything, some = Stream(self.network, "/v1/events?events=scan.*"), Stream(self.viewer, "/v1/events?events=scan.*")
        wait(lambda: everything.last and some.last, "the streams do not begin")
        scan = self.scan(self.network, context={"for": "operators"})
        found = lambda stream: [e for e in stream.events if e["event"] == "scan.confirmed" and e["scan"] == scan]
        wait(lambda: found(everything) and found(some), "no event")
        full = next(e for e in everything.events if e["event"] == "scan.successful")
        seen = next(e for e in some.events if e["event"] == "scan.successful")
        assert full["context"] == {"for": "operators"} and "context" not in seen, (full, seen)
        everything.close()
        some.close()
        # The end of a session disarms its own scan and no other.
        one, other = [("Waymark-Session", "one")], [("Waymark-Session", "other")]
        assert self.network.call("scan.begin", {"mode": "barcode"}, one).status == 200
        assert self.network.call("scan.begin", {"mode": "barcode"}, other).json["error"]["code"] == "busy"
        assert self.network.call("scan.cancel", {}, one).status == 200

    def events(self):
        """None lost and none twice over fifty reconnects, compared with a client of the socket."""
        truth, line = [], Line(self.service_path)
        stream = Stream(self.local, "/v1/events?events=scan.*")
        wait(lambda: stream.last, "the stream does not begin")
        line.ask("subscribe", events=["scan.*"])
        line.follow(truth)
        seen, deadline = [], time.monotonic() + 8
        while time.monotonic() < deadline:
            self.scan()
            time.sleep(0.01)
            stream.close()
            seen += stream.events
            stream = Stream(self.local, "/v1/events?events=scan.*", last=stream.last)
        wait(lambda: len(seen) + len(stream.events) >= len(truth), "events are missing", 5)
        seen += stream.events
        stream.close()
        assert [e["seq"] for e in seen] == [e["seq"] for e in truth], (len(seen), len(truth))
        assert seen == truth and len(truth) > 10
        foreign = Stream(self.local, last="another-7")
        wait(lambda: foreign.events, "no gap is told")
        assert foreign.events[0]["event"] == "gateway.missed", foreign.events[0]
        foreign.close()
        for path, hint in (
            ("events?events=**", "Use names"), ("events?events=scan.*,scan.succesful", "Did you mean scan.successful?"),
            ("events?event=scan.*", "Did you mean events?"), ("preview?widht=320", "Did you mean width?"),
        ):
            answer = self.local.get("/v1/" + path)
            assert answer.status == 400 and answer.json["error"]["hint"].startswith(hint), (path, answer.body)
        assert self.local.request("POST", "/v1/media.snapshot?width=320", b"").status == 400
        assert self.local.get("/v1/evnts").json["error"]["hint"] == "Use POST, or GET /v1/events."
        assert self.local.get("/v1/events", [("Last-Event-ID", "x")]).status == 400
        print("        %d events over reconnects" % len(truth), flush=True)

    def web_socket(self):
        """The lines of the socket, pictures as binary messages, and rights that do not come back."""
        one = WebSocket(self.local)
        assert one.line()["role"] == "operator"
        assert "time" in one.ask("ping")["result"]
        one.send('{"id":5,\n"method":', fin=False)
        one.send('"ping"}', opcode=0)
        assert one.line()["id"] == 5
        picture = (ROOT / "Samples/frames/020.jpg").read_bytes()
        one.send(json.dumps({"id": 6, "method": "scan.picture", "params": {"size": len(picture), "mode": "onboarding"}}))
        for start in range(0, len(picture), 30000):
            one.send(picture[start:start + 30000], opcode=2)
        answer = next(line for line in iter(one.line, None) if line.get("id") == 6)
        assert answer["result"]["outcome"] == "successful", answer
        one.send(json.dumps({"id": 7, "method": "media.snapshot"}))
        header = one.line()
        opcode, data = one.receive()
        assert opcode == 2 and len(data) == header["size"] and data[:2] == b"\xff\xd8", (header, opcode)
        one.send(b"\x03\xe8", opcode=8)
        assert one.closed() == 1000
        one.close()
        view = WebSocket(Gateway(port=self.port), [("Sec-WebSocket-Protocol", "waymark.v1, bearer." + TOKENS["observer"])])
        assert view.status == 101 and "Sec-WebSocket-Protocol: waymark.v1" in view.head, view.head
        assert view.line()["role"] == "observer"
        assert view.ask("scan.begin", mode="barcode")["error"]["code"] == "notPermitted"
        assert view.ask("role.lower", role="operator")["error"]["code"] == "notPermitted"
        view.close()
        for data, masked, code in [("{}", False, 1002), (b"\xff\xfe", True, 1007), ("x" * 70000, True, 1009)]:
            bad = WebSocket(self.local)
            bad.line()
            bad.send(data, masked=masked)
            assert bad.closed() == code, (data[:10], code)
            bad.close()
        assert WebSocket(Gateway(port=self.port)).status == 401
        assert WebSocket(self.network, [("Origin", "https://evil.example")]).status == 403

    def preview(self):
        """Motion JPEG, part after part."""
        with self.local.connect() as one:
            one.sendall(self.local.head("GET", "/v1/preview?width=320&rate=20"))
            data = b""
            while data.count(b"--frame") < 4:
                piece = one.recv(1 << 16)
                assert piece, data[:300]
                data += piece
        assert b"multipart/x-mixed-replace" in data and b"X-Frame-Sequence: " in data and b"\xff\xd8\xff" in data
        assert self.local.get("/v1/preview?width=x").status == 400

    def upload(self):
        """A picture in, a verdict out; no more than 16 MiB, and nothing that is none."""
        picture = (ROOT / "Samples/frames/020.jpg").read_bytes()
        post = lambda body, target="/v1/scan.picture?mode=onboarding&context=%7B%22a%22%3A1%7D", kind="image/jpeg": \
            self.local.request("POST", target, body, [("Content-Type", kind)])
        answer = post(picture)
        assert answer.status == 200 and answer.json["outcome"] == "successful", answer.body[:300]
        assert post(picture, kind="application/json").status == 415
        assert post(picture, "/v1/scan.picture?mode=all").status == 400
        for query in ("mode=onboarding&mode=barcode", "size=1&mode=barcode", "a=%22&mode=barcode"):
            assert post(picture, "/v1/scan.picture?" + query).status == 400, query
            assert self.local.call("ping").status == 200, query
        assert post(b"no picture").status == 422
        assert post(b"").status == 422
        large = self.local.raw(self.local.head("POST", "/v1/scan.picture?mode=barcode", [
            ("Content-Type", "image/jpeg"), ("Content-Length", 17 << 20)]))
        assert parse(large).status == 413, large[:100]

    def webhooks(self):
        """Signed, in order, once each by id, over an outage of the receiver and restarts of the gateway; what is refused is put aside."""
        receiver = self.receiver
        self.scan()
        wait(lambda: receiver.received, "nothing came")
        receiver.stop()
        scans = [self.scan() for _ in range(3)]
        self.gateway.stop(signal.SIGKILL)
        line = Line(self.service_path)
        scan = line.ask("scan.begin", mode="barcode")["result"]["scan"]
        line.ask("scan.cancel")
        self.start_gateway()
        scans += [scan, self.scan()]
        figures = wait(lambda: [f for f in self.local.get("/v1/webhooks").json if f["failure"]], "no failure is told")[0]
        assert figures["failure"] == f"127.0.0.1:{self.hook_port} cannot be reached: Connection refused", figures
        assert figures["waiting"] >= 10 and figures["lost"] == 0, figures
        receiver.fail = 2
        receiver.start()
        told = lambda: [event.get("scan") for _, event in receiver.received]
        wait(lambda: set(scans) <= set(told()) and self.local.get("/v1/webhooks").json[0]["waiting"] == 0, "not everything came", 40)
        assert not receiver.faults, receiver.faults[:3]
        ids = [identity for identity, _ in receiver.received]
        numbers = [int(identity.rpartition("-")[2]) for identity in dict.fromkeys(ids)]
        assert numbers == list(range(1, len(numbers) + 1)), numbers
        assert [event["seq"] for _, event in receiver.received] == sorted({event["seq"] for _, event in receiver.received})
        receiver.refuse = lambda event: event["event"] == "scan.cancelled" or event["event"] == "scan.ended"
        begun = self.local.call("scan.begin", {"mode": "barcode"}).json["scan"]
        self.local.call("scan.cancel", {"scan": begun})
        wait(lambda: self.local.get("/v1/webhooks").json[0]["putAside"] >= 1, "nothing was put aside")
        receiver.refuse = None
        after = self.scan()
        wait(lambda: after in told(), "it is stuck behind what was refused")
        assert "it is put aside" in (self.folder / "gateway.log").read_text()
        print("        %d events, %d deliveries" % (len(numbers), receiver.deliveries), flush=True)

    def killed(self):
        """Streams of both roles continue where they were after the gateway, and after the service, was killed; nothing twice."""
        truth, line = [], Line(self.service_path)
        line.ask("subscribe", events=["scan.*"])
        line.follow(truth)
        streams = {one: Stream(one, "/v1/events?events=scan.*") for one in (self.network, self.viewer)}
        wait(lambda: all(stream.last for stream in streams.values()), "the streams do not begin")
        self.scan()
        seen = {one: [] for one in streams}

        def renew():
            for one, stream in streams.items():
                stream.close()
                seen[one] += stream.events
                streams[one] = Stream(one, "/v1/events?events=scan.*", last=stream.last)
        for _ in range(3):
            self.gateway.stop(signal.SIGKILL)
            other = Line(self.service_path)
            for _ in range(5):
                other.ask("scan.begin", mode="barcode")
                other.ask("scan.cancel")
            self.start_gateway()
            renew()
            self.scan()
        # Of guides only the newest counts: the service keeps none.
        numbers = lambda events: [event.get("seq", event["event"]) for event in events if event["event"] != "scan.guide"]
        whole = lambda: all(numbers(seen[one] + stream.events) == numbers(truth) for one, stream in streams.items())
        wait(whole, "events are missing: %s, %s" % (numbers(truth), [numbers(seen[one] + streams[one].events) for one in streams]), 10)
        count = len(truth)
        # The next run of the service counts from 1: the streams continue with it.
        log = lambda words: (self.folder / "gateway.log").read_text().count(words)
        before = log("the service is away"), log("the service is back")
        self.service.stop(signal.SIGKILL)
        wait(lambda: self.local.get("/readyz").status == 503, "the gateway does not notice")
        self.service.start()
        wait(lambda: self.local.get("/readyz").status == 200, "the gateway does not come back", 60)
        wait(self.answers, "no answer", 60)
        wait(lambda: log("the service is back") > before[1], "the log does not say that the service is back")
        assert (log("the service is away"), log("the service is back")) == (before[0] + 1, before[1] + 1), "not once for all feeds"
        renew()
        scan = self.scan()
        for one, stream in streams.items():
            wait(lambda: [e for e in seen[one] + stream.events if e["event"] == "scan.confirmed" and e["scan"] == scan], "no event of the next run")
            assert "gateway.missed" not in [e["event"] for e in seen[one] + stream.events]
            stream.close()
        print("        %d events" % count, flush=True)

    def probes(self):
        """Supervisors ask without a token and by any name of the device."""
        for path in ("/livez", "/readyz"):
            answer = Gateway(port=self.port).raw(b"GET %s HTTP/1.1\r\nHost: 10.0.0.1\r\nConnection: close\r\n\r\n" % path.encode())
            assert parse(answer).status == 200 and parse(answer).body == b"ok\n", answer
            assert Gateway(port=self.port).request("POST", path, b"").status == 405
        assert Gateway(port=self.port).get("/livez/").status == 401

    def figures(self):
        """Prometheus reads the service's figures and the gateway's own, with any token."""
        for path in ("/metrics", "/v1/status"):
            assert Gateway(port=self.port).get(path).status == 401
        answer = self.viewer.get("/metrics")
        lines = answer.body.decode().splitlines()
        value = lambda name: [float(line.split()[-1]) for line in lines if line.startswith(name)]
        assert answer.status == 200 and value("waymark_up ") == [1] and value("waymark_gateway_service_connected") == [1], lines
        assert value("waymark_gateway_connections ")[0] >= 1 and len(value("waymark_gateway_webhook_events_lost_total")) == 1, lines
        assert value('waymark_gateway_requests_refused_total{reason="noToken"}')[0] >= 2, lines
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=answer.body, capture_output=True)
            assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr

    def crowded(self):
        """What one token takes, and what all observers take together, leaves the operator everything that it needs."""
        head = lambda one, method, size: one.head("POST", "/v1/" + method, [("Content-Type", "application/json"), ("Content-Length", size)])
        # Refused from the head alone, and closed: the body is never read.
        for method in ("scan.picture", "scan.begin"):
            begin = time.monotonic()
            with self.viewer.connect() as one:
                one.sendall(head(self.viewer, method, 16 << 20))
                answer = b""
                while piece := one.recv(4096):
                    answer += piece
            assert parse(answer).status == 403 and time.monotonic() - begin < 5, answer
        held = []

        def hold(data, count):
            for _ in range(count):
                one = self.viewer.connect()
                one.sendall(data)
                held.append(one)
        statuses = [self.viewer.call("ping", {}, [("Waymark-Session", "s%d" % number)]).status for number in range(70)]
        assert 200 in statuses and 409 in statuses, statuses
        hold(head(self.viewer, "ping", 60 << 10), 40)
        hold(self.viewer.head("GET", "/v1/events"), 150)
        sockets = []
        while len(sockets) < 40 and (not sockets or sockets[-1].status == 101):
            sockets.append(WebSocket(self.viewer))
        assert sockets[-1].status == 409 and len(sockets) > 4, len(sockets)
        begin = time.monotonic()
        assert self.network.call("ping", {}, [("Waymark-Session", "new")]).status == 200
        assert self.network.call("scan.cancel").status in (200, 409)
        assert self.network.call("media.snapshot").status == 200
        stream = Stream(self.network)
        wait(lambda: stream.last, "the operator gets no stream")
        stream.close()
        own = WebSocket(self.network)
        assert own.status == 101
        own.close()
        assert time.monotonic() - begin < 5
        for one in held:
            one.close()
        for one in sockets:
            one.close()
        # What it held is free again.
        wait(lambda: self.viewer.call("ping").status == 200, "the observer stays outside")

    def full(self):
        """On a full disk nothing is lost that the service still has, and the log has a line."""
        store, port = self.folder / "small", free_port()
        store.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", store], stderr=subprocess.DEVNULL).returncode:
            print("        no disk can be mounted here", flush=True)
            return
        receiver, log = Receiver(port, SECRET), self.folder / "full.log"
        (self.folder / "full.yaml").write_text(f"""
listen: [{self.folder}/full.sock]
store: {{ folder: {store}/hooks, megabytes: 1 }}
webhooks:
  erp: {{ url: "http://127.0.0.1:{port}/hook", secretFile: {self.folder}/secret, events: [scan.*], role: operator }}
""")
        gateway = Program([self.program, "--config", self.folder / "full.yaml", "--socket", self.service_path], log)
        truth, line = [], Line(self.service_path)
        try:
            gateway.start()
            local = Gateway(path=self.folder / "full.sock")
            wait(lambda: (self.folder / "full.sock").exists(), "the gateway does not listen")
            line.ask("subscribe", events=["scan.*"])
            line.follow(truth)
            other = Line(self.service_path)

            def emit(count):
                goal = len(truth) + count
                while len(truth) < goal:
                    other.ask("scan.begin", mode="barcode")
                    other.ask("scan.cancel")

            def begun():
                emit(1)
                return local.get("/v1/webhooks").json[0]["waiting"]
            wait(begun, "the webhook takes nothing")
            with open(store / "filler", "wb", buffering=0) as filler:
                try:
                    while True:
                        filler.write(bytes(4096))
                except OSError:
                    pass
            emit(700)
            wait(lambda: "events wait at the service" in log.read_text(), "the store took everything", 10)
            assert local.get("/v1/webhooks").json[0]["waiting"] < len(truth)
            (store / "filler").unlink()
            receiver.start()
            numbers = lambda events: [event.get("seq", event["event"]) for event in events if event["event"] != "scan.guide"]
            came = lambda: numbers(event for _, event in receiver.received)
            wait(lambda: came()[-1:] == numbers(truth)[-1:], "not everything came", 90)
            whole = numbers(truth)[-len(came()):]
            assert came() == whole and len(whole) > 600, "lost, in another order, or twice: %d of %d" % (len(came()), len(numbers(truth)))
            assert log.read_text().count("events wait at the service") <= 2, log.read_text()
            print("        %d events" % len(truth), flush=True)
        finally:
            gateway.stop(signal.SIGKILL)
            receiver.stop()
            subprocess.run(["umount", "-l", store])

    def encryption(self):
        """TLS and a token where it leaves the device; refused without."""
        self.secure.start()
        secure = Gateway(port=self.tls_port, token=TOKENS["observer"], tls=self.tls)

        def answers():
            try:
                return secure.call("ping").status == 200
            except OSError:
                return False
        wait(answers, "no answer over TLS")
        assert Gateway(port=self.tls_port, tls=self.tls).call("ping").status == 401
        # Authenticated encryption alone.
        for suite, is_offered in (("ECDHE+AESGCM", True), ("ECDHE+CHACHA20", True), ("AES128-SHA:AES256-SHA:ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA", False)):
            context = ssl.create_default_context(cafile=self.folder / "cert.pem")
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(suite + ":@SECLEVEL=0")
            try:
                with context.wrap_socket(socket.create_connection(("127.0.0.1", self.tls_port), 5), server_hostname="localhost") as one:
                    assert is_offered, one.cipher()
            except ssl.SSLError:
                assert not is_offered, suite
        (self.folder / "twice.yaml").write_text((self.folder / "tls.yaml").read_text().replace(
            "tokens: {", "tokens: { other: { file: %s/observer }," % self.folder))
        done = subprocess.run([self.program, "--check", "--config", self.folder / "twice.yaml"], capture_output=True, timeout=30)
        assert done.returncode == 65 and b"have the same token" in done.stderr, done
        plain = Gateway(port=self.tls_port, token=TOKENS["observer"]).raw(b"GET /v1/state HTTP/1.1\r\nHost: localhost\r\n\r\n", timeout=3)
        assert not plain.startswith(b"HTTP/1.1 2"), plain[:60]
        for text in (f'listen: ["0.0.0.0:{free_port()}"]\ntokens: {{ a: {{ file: {self.folder}/observer }} }}',
                     f'listen: ["127.0.0.1:{free_port()}"]'):
            (self.folder / "bad.yaml").write_text(text)
            done = subprocess.run([self.program, "--config", self.folder / "bad.yaml"], capture_output=True, timeout=30)
            assert done.returncode == 65, done
        (self.folder / "observer").chmod(0o644)
        done = subprocess.run([self.program, "--check", "--config", self.folder / "tls.yaml"], capture_output=True, timeout=30)
        assert done.returncode == 65 and b"is open to other users" in done.stderr and b"tls.yaml:" in done.stderr, done
        started = subprocess.run([self.program, "--config", self.folder / "tls.yaml"], capture_output=True, timeout=30)
        assert started.returncode == 65 and b"is open to other users" in started.stderr, started
        (self.folder / "observer").chmod(0o600)
        done = subprocess.run([self.program, "--check", "--config", self.folder / "tls.yaml"], capture_output=True, timeout=30)
        assert done.returncode == 0, done
        self.secure.stop()

    def written(self):
        """Relative paths are of the file's folder, each problem has a line with its hint, and a missing page is reported."""
        def check(text, *options):
            (self.folder / "written.yaml").write_text(text)
            done = subprocess.run([self.program, "--check", "--config", self.folder / "written.yaml", *options], capture_output=True, text=True, timeout=30)
            return done.returncode, done.stdout + done.stderr
        status, said = check("""
listen: [written.sock, ./again.sock]
tokens: { view: { file: observer } }
tls: { certificateFile: cert.pem, keyFile: ./key.pem }
store: { folder: written }
webhooks: { erp: { url: "https://localhost/", secretFile: secret, caFile: cert.pem } }
""", "--page", self.folder)
        assert status == 0 and f"listens on {self.folder}/written.sock, {self.folder}/./again.sock;" in said, said
        assert f"the files of the page are not in {self.folder}. " in said, said
        status, said = check("connections: 1\nlissen: [a]\n", "--page", self.folder)
        lines = [line.partition(" ")[2].rpartition("/")[2] for line in said.splitlines()]
        assert status == 65 and lines == [
            'written.yaml:1: connections: a whole number from 8 to 10000 is expected, not "1". Correct the value.',
            "written.yaml:2: lissen: there is no such key. Did you mean listen?"], said
        shown = subprocess.run([self.program, "--help"], capture_output=True, text=True, timeout=30).stdout
        assert "--page" in shown, shown

    def attacks(self):
        """Hosts, origins, tokens, smuggling, paths, headers and bodies that are not as they should be."""
        network, token = self.network, "Authorization: Bearer " + TOKENS["operator"]
        host = "Host: 127.0.0.1:%d" % self.port
        body = "Content-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"

        def status(*lines):
            answer = network.raw("\r\n".join(lines).encode("latin-1"), timeout=3)
            return int(answer.split()[1]) if answer else 0

        def post(*lines):
            return status("POST /v1/ping HTTP/1.1", *lines, "Connection: close", body)
        assert post(host, token) == 200
        # DNS rebinding, cross-site requests, tokens.
        for bad in ("Host: evil.example", "Host: evil.example:%d" % self.port, "Host: 127.0.0.1", "Host: 127.0.0.1:1", "X: y"):
            assert post(bad, token) in (400, 421), bad
        assert post(host, host, token) in (400, 421)
        assert post(host, "Host: evil.example", token) in (400, 421)
        assert post(host, token, "Origin: http://127.0.0.1:%d" % self.port) == 200
        for bad in ("https://evil.example", "null", "https://app.example.evil", "https://127.0.0.1:%d" % self.port, "http://127.0.0.1:1"):
            assert post(host, token, "Origin: " + bad) == 403, bad
        assert post(host, token, "Sec-Fetch-Site: cross-site") == 403
        assert post(host) == 401
        for bad in (TOKENS["operator"][:-1], TOKENS["operator"] + "x", "", "\xff"):
            assert post(host, "Authorization: Bearer " + bad) in (400, 401), bad
        # A page that is listed.
        listed = network.request("OPTIONS", "/v1/ping", headers=[
            ("Origin", "https://app.example"), ("Access-Control-Request-Method", "POST")])
        assert listed.status == 204 and listed.headers["access-control-allow-origin"] == "https://app.example", listed.headers
        stranger = network.request("OPTIONS", "/v1/ping", headers=[
            ("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")])
        assert stranger.status == 403 and "access-control-allow-origin" not in stranger.headers, stranger.headers
        # Requests in requests: two answers to one of them would be a success of the attack.
        smuggled = "POST /v1/config.reload HTTP/1.1\r\n%s\r\n%s\r\nContent-Length: 0\r\n\r\n" % (host, token)
        for lines in (
            ["Content-Length: 0", "Transfer-Encoding: chunked", "", "0", "", smuggled],
            ["Content-Length: 2", "Content-Length: 0", "", "{}"], ["Transfer-Encoding: chunked, identity", "", "0", "", ""],
            ["Transfer-Encoding: xchunked", "", "0", "", ""], ["Transfer-Encoding : chunked", "", "0", "", ""],
            ["Content-Length: +2", "", "{}"], ["Content-Length: 2\n", "", "{}"], ["Content-Length: -1", "", "{}"],
            ["Transfer-Encoding: chunked", "", "zz", "{}", ""], ["Transfer-Encoding: chunked", "", "ffffffffffffffff1", "{}", ""],
            ["X: a\rb", "Content-Length: 0", "", ""], [" folded: x", "Content-Length: 0", "", ""], ["X\0: a", "", ""],
        ):
            answer = network.raw(("POST /v1/ping HTTP/1.1\r\n%s\r\n%s\r\n" % (host, token) + "\r\n".join(lines)).encode("latin-1"), timeout=2)
            assert answer.count(b"HTTP/1.1 2") <= 1 and b'"restart"' not in answer, (lines, answer[:300])
        # Header injection: nothing of a request comes back as a line of an answer.
        for target in ("/v1/ping%0d%0aX-Injected:%201", "/v1/events?events=a%0d%0aX-Injected:%201", "/v1/preview?width=%0d%0aX-Injected:%201"):
            assert b"\nx-injected" not in network.raw(network.head("GET", target, [("Connection", "close")]), timeout=2).lower(), target
        # Paths.
        for path in ("/v1/../v1/ping", "/v1/%2e%2e/ping", "/..%2f..%2fetc/passwd", "/v1/ping/../status", "//v1/ping", "/v1/ping%00", "/", "/v1/", "*"):
            assert status("POST %s HTTP/1.1" % path, host, token, "Connection: close", body) in (400, 404, 405, 421), path
        assert status("GET /v1/ping HTTP/1.1", host, token, "Connection: close", "", "") == 405
        assert status("BREW /v1/ping HTTP/1.1", host, token, "Connection: close", "", "") in (400, 405)
        # Sizes.
        assert post(host, token, "X-Long: " + "a" * 9000) in (0, 400, 431)
        assert post(host, token, *("X-%d: a" % number for number in range(100))) in (0, 400, 431)
        assert status("POST /v1/ping?" + "a" * 20000 + " HTTP/1.1", host, token, body) in (0, 400, 404, 414, 431)
        large = network.raw(network.head("POST", "/v1/ping", [("Content-Type", "application/json"), ("Content-Length", 1 << 30)]), timeout=3)
        assert parse(large).status == 413, large[:100]
        nested = b"[" * 60000
        deep = network.request("POST", "/v1/ping", nested, [("Content-Type", "application/json")])
        assert deep.status == 400, deep.body[:200]
        assert network.request("POST", "/v1/ping", b"{}", [("Content-Type", "text/plain")]).status == 415
        assert network.request("POST", "/v1/ping", b'{"a":1,"a":2}', [("Content-Type", "application/json")]).status == 400
        assert self.answers(), "the gateway is gone"

    def silence(self):
        """Who says nothing, half a head, or half a body, is let go, and keeps nobody out."""
        silent = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(700)]
        for one in silent[::2]:
            try:
                one.sendall(b"POST /v1/ping HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
            except OSError:
                pass
        begin = time.monotonic()
        assert self.network.call("ping").status == 200
        assert time.monotonic() - begin < 5
        half = self.network.connect(timeout=40)
        half.sendall(self.network.head("POST", "/v1/ping", [("Content-Type", "application/json"), ("Content-Length", 10)]) + b"{")

        def gone(one):
            one.setblocking(False)
            try:
                return one.recv(1) == b""
            except BlockingIOError:
                return False
            except OSError:
                return True
        wait(lambda: all(gone(one) for one in silent), "silent connections stay", 30)
        half.setblocking(True)
        half.settimeout(35)
        answer = half.recv(4096)
        assert answer == b"" or b" 413 " in answer, answer
        for one in silent:
            one.close()

    def documented(self):
        """Every curl of docs/gateway.md does what the page says, with this gateway's socket in the place of the system's."""
        page = (ROOT / "docs/gateway.md").read_text()
        alias = re.search(r'^\$ call\(\) \{ (.*) "\$@"; \}$', page, re.M).group(1)
        folder = self.folder / "page"
        folder.mkdir()
        shutil.copy(ROOT / "Samples/pictures/onboarding-on-a-card.jpg", folder / "card.jpg")
        lines = page.splitlines()
        commands = [(line[2:], lines[number + 1]) for number, line in enumerate(lines) if re.match(r"\$ (curl|call) ", line)]
        assert len(commands) >= 4, commands
        for command, answer in commands:
            curl = re.sub("^call", alias, command).replace("/run/waymark-gateway/http.sock", str(self.folder / "http.sock"))
            done = subprocess.run(
                ["bash", "-c", curl.replace("curl ", "curl --silent --show-error --fail --max-time 5 ", 1)], cwd=folder, capture_output=True, text=True)
            # A stream has no end: curl stops at its time limit (status 28).
            assert done.returncode == (28 if " -N " in command else 0), (command, done.returncode, done.stderr)
            if " -N " in command:
                assert "id: " in done.stdout, (command, done.stdout)
            elif answer.startswith("{"):
                assert set(json.loads(done.stdout)) == set(json.loads(answer)), (command, done.stdout)
            elif " -o " not in command:
                assert json.loads(done.stdout), command
        assert (folder / "now.jpg").read_bytes()[:2] == b"\xff\xd8", "the snapshot is no picture"
        self.local.call("scan.cancel")
        print("        %d commands" % len(commands), flush=True)

    def page_files(self):
        setup_page.files(self)

    def page_chromium(self):
        setup_page.driven(self, "chromium")

    def page_firefox(self):
        setup_page.driven(self, "firefox")

    def described(self):
        """schemathesis reads the description, and finds nothing that is not as it says."""
        document = self.local.get("/v1/openapi.json").json
        assert document["openapi"] == "3.1.0" and len(document["paths"]) > 70
        if not (self.schemathesis and self.schemathesis.exists()):
            print("        schemathesis is not there", flush=True)
            return
        (self.folder / "schemathesis.toml").write_text("")
        done = subprocess.run(
            [self.schemathesis, "--config-file", self.folder / "schemathesis.toml", "run", f"http://127.0.0.1:{self.port}/v1/openapi.json",
             "-H", "Authorization: Bearer " + TOKENS["operator"], "--max-examples", "6", "--seed", "1", "--workers", "2", "--request-timeout", "20",
             "--phases", "examples,coverage,fuzzing", "--exclude-path-regex", "/v1/(events|preview|socket|account|authentication|media.preview|report)",
             "--exclude-checks", "ignored_auth,positive_data_acceptance,missing_required_header", "--no-color"],
            capture_output=True, text=True, timeout=300, cwd=self.folder)
        if done.returncode:
            print(done.stdout[-20000:], done.stderr[-2000:])
        assert done.returncode == 0, "schemathesis has findings"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waymark")
    parser.add_argument("gateway")
    parser.add_argument("--schemathesis")
    parser.add_argument("--only")
    options = parser.parse_args()
    suite = Suite(options.waymark, options.gateway, options.schemathesis)
    parts = [
        ("requests", suite.requests), ("roles", suite.roles), ("events over reconnects", suite.events), ("WebSocket", suite.web_socket),
        ("live picture", suite.preview), ("uploads", suite.upload), ("webhooks", suite.webhooks), ("a full disk", suite.full),
        ("kill -9", suite.killed), ("probes", suite.probes), ("figures", suite.figures), ("TLS and tokens", suite.encryption), ("what is written", suite.written), ("a crowd of one token", suite.crowded),
        ("attacks", suite.attacks), ("silent connections", suite.silence), ("commands of the page", suite.documented),
        ("files of the page", suite.page_files), ("the page in Chromium", suite.page_chromium), ("the page in Firefox", suite.page_firefox),
        ("schemathesis", suite.described),
    ]
    try:
        suite.start()
        for name, body in parts:
            if not options.only or options.only in name:
                suite.part(name, body)
    finally:
        suite.stop()
    print("%d passed, %d failed" % (suite.passed, suite.failed))
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())

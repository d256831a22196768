"""What tests and measures of the bridge are made of: services that only emit numbered events, brokers, bridges, a consumer."""
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path


def tool(name):
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin")
    if not found:
        raise SystemExit("%s is missing: apt-get install mosquitto mosquitto-clients" % name)
    return found


def free_port(address="127.0.0.1"):
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


def wait(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("FAILED: %s" % (what() if callable(what) else what))
        time.sleep(0.02)


class Service(threading.Thread):
    """Speaks the socket's protocol: greeting, subscription with a history, and events on command."""

    def __init__(self, path):
        super().__init__(daemon=True)
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.lock = threading.Lock()
        self.client, self.lines, self.requests = None, [], []
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            client.sendall(self.line(
                event="hello", protocol=1, server="waymark", version="test", instance="one", role="operator", client=1,
                features=[], conventions={
                    "units": "", "pixels": "", "codeCorners": "", "anchorCorners": "", "anchorReferenceLongSide": 480,
                    "homography": "", "cameraFrame": "", "anchorFrame": "", "matrix": ""}))
            for text in client.makefile("rb"):
                request = json.loads(text)
                self.requests.append(request)
                if request["method"] != "subscribe":
                    client.sendall(self.line(id=request["id"], result={"scan": "s1", "context": "secret"}))
                    continue
                after = request["params"].get("after", {}).get("seq", len(self.lines))
                with self.lock:
                    missing = self.lines[after:]
                    client.sendall(self.line(id=request["id"], result={
                        "seq": len(self.lines), "instance": "one", "events": [], "replayed": len(missing),
                        "scanner": {"status": "idle"}, "camera": {"status": "closed"}, "anchors": [], "markers": []}))
                    if missing:
                        client.sendall(b"".join(missing))
                    self.client = client
        except OSError:
            pass

    @staticmethod
    def line(**members):
        return json.dumps(members, separators=(",", ":")).encode() + b"\n"

    def emit(self, count=1):
        """Events that carry a secret, which must not arrive."""
        with self.lock:
            for _ in range(count):
                number = len(self.lines) + 1
                self.lines.append(self.line(
                    event="scan.successful", seq=number, time="2026-01-02T03:04:05.678Z", scan="s%d" % number, kind=None,
                    symbology="ean13", text="secret %d" % number, corners=[[0, 0], [1, 0], [1, 1], [0, 1]], source="live"))
                if self.client is not None:
                    try:
                        self.client.sendall(self.lines[-1])
                    except OSError:
                        self.client = None

    @property
    def emitted(self):
        return len(self.lines)


class Broker:
    """A real Mosquitto, killed and started at will."""

    def __init__(self, folder, name, port, extra="", prefix=()):
        self.folder, self.port, self.prefix = Path(folder) / name, port, list(prefix)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o777)
        self.configuration = self.folder / "mosquitto.conf"
        # A broker drops messages beyond its own limits: 0 removes them, so that loss in this test is the bridge's.
        self.configuration.write_text(
            "persistence true\npersistence_location %s/\nmax_queued_messages 0\nmax_inflight_messages 0\n"
            "%s\n" % (self.folder, extra or "listener %d 127.0.0.1\nallow_anonymous true" % port))
        self.process = None

    def start(self, address="127.0.0.1"):
        self.process = subprocess.Popen(
            self.prefix + [tool("mosquitto"), "-c", str(self.configuration)], stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("ab"))
        if not self.prefix:
            wait(lambda: reachable(address, self.port), "the broker did not start", 20)

    def stop(self, number=signal.SIGTERM):
        if self.process:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None


def reachable(address, port):
    try:
        socket.create_connection((address, port), 1).close()
        return True
    except OSError:
        return False


class Bridge:
    """A waymark-bridge with a store of its own."""

    def __init__(self, program, folder, device, service, configuration, prefix=()):
        self.program, self.folder, self.device = program, Path(folder) / device, device
        self.folder.mkdir(parents=True)
        self.prefix, self.process = list(prefix), None
        self.configuration = self.folder / "bridge.yaml"
        self.configuration.write_text(
            "device: %s\nsocket: %s\nstore: { folder: %s }\n%s\n" % (device, service, self.folder / "store", configuration))

    def start(self):
        self.process = subprocess.Popen(
            self.prefix + [self.program, "--config", str(self.configuration)], stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("ab"))

    def stop(self, number=signal.SIGTERM):
        if self.process:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None

    def log(self):
        return (self.folder / "log").read_text()


class Consumer(threading.Thread):
    """What stands behind the brokers: mosquitto_sub with a session that outlives both ends."""

    def __init__(self, arguments, prefix=()):
        super().__init__(daemon=True)
        self.process = subprocess.Popen(
            list(prefix) + [tool("mosquitto_sub"), "-V", "5", "-q", "1", "-c", "-i", "consumer", "-x", "86400", "-t", "waymark/#",
             "-F", "%t %q %r %p"] + arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.events, self.bodies, self.statuses, self.replies, self.deliveries = {}, {}, {}, [], 0
        self.highest, self.faults, self.arrivals = {}, [], []
        self.start()

    def run(self):
        for text in self.process.stdout:
            topic, quality, _, payload = text.split(b" ", 3)
            body, levels = json.loads(payload), topic.decode().split("/")
            device = levels[1]
            if levels[2] == "status":
                self.statuses.setdefault(device, []).append(body)
                continue
            if levels[2] == "reply":
                self.replies.append(body)
                continue
            if b"secret" in payload:
                self.faults.append("a secret left %s" % device)
            if quality != b"1":
                self.faults.append("not QoS 1")
            if levels[2] != "event":
                continue
            # As docs/fleet.md asks of a consumer: keep the highest number of each stream, and skip what is not higher.
            self.deliveries += 1
            stream, number = body["id"].rsplit("-", 1)
            key, number = (device, stream), int(number)
            last = self.highest.get(key, 0)
            if number <= last:
                continue
            if number != last + 1:
                self.faults.append("%s jumps from %d to %d" % (device, last, number))
            self.highest[key] = number
            self.bodies.setdefault(device, []).append(body)
            if body["event"] in ("bridge.dropped", "bridge.missed"):
                self.faults.append("%s: %s" % (device, body))
                continue
            self.events.setdefault(device, []).append(body["seq"])
            self.arrivals.append(time.monotonic())

    def count(self):
        return sum(len(seqs) for seqs in list(self.events.values()))

    def missing(self, device, service):
        """How many of the events of a service have not arrived, and which: for the message of a test that failed."""
        arrived = set(self.events.get(device, []))
        absent = [number for number in range(1, service.emitted + 1) if number not in arrived]
        return "%d of %d have not arrived, from %s to %s; %s" % (
            len(absent), service.emitted, absent[:1], absent[-1:], self.faults[:3])

    def stop(self):
        self.process.terminate()
        self.process.wait()

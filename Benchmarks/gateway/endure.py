#!/usr/bin/env python3
"""Kills the gateway, the bridge and the service again and again, and compares what receivers got with what the service sent.

  Benchmarks/gateway/endure.py disk [--events 2000] [--kills 25] [--history 10000]
  Benchmarks/gateway/endure.py kills [--kills 200]

`disk` (root, mosquitto): a webhook and a broker get the events of a real service, the stores lie on a tmpfs that is full half of the time, receiver and
broker come and go, and gateway and bridge are killed with kill -9. `kills`: the gateway, the service or both are killed, with streams of events of both
roles, a WebSocket and a webhook; each client continues as the documentation asks. Prints a line of JSON for each receiver: `lost` counts the events that
the service or a store still had and that neither arrived nor lie in a reported gap, `twice` those that arrived again or in another order after repetitions
were left out. Ends with 1 unless both are 0 everywhere.
"""
import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Support/gateway"), str(ROOT / "Tests/Support/bridge")]

from devices import Bridge, Broker, Consumer
from gateway import TOKENS, Gateway, Line, Program, Receiver, Stream, WebSocket, free_port, wait

SECRET = "a-secret-that-signs-what-is-sent"
MISSED = ("gateway.missed", "bridge.missed", "bridge.dropped")


def key(event):
    return event["seq"], event["time"]


def counts(event):
    """Of guides only the newest counts: the service keeps none."""
    return event.get("event", "").startswith("scan.") and event["event"] != "scan.guide"


def compared(truth, bodies):
    """Walks over what a receiver got; a gap counts as reported if a message about it lies in it."""
    places = {key(event): place for place, event in enumerate(truth)}
    found, next_place, is_reported = {"sent": len(truth), "arrived": 0, "reported": 0, "lost": 0, "twice": 0}, 0, False
    for body in bodies:
        if body["event"] in MISSED:
            is_reported = True
        elif counts(body) and key(body) in places:
            place = places[key(body)]
            if place < next_place:
                found["twice"] += 1
                continue
            found["arrived"] += 1
            found["reported" if is_reported else "lost"] += place - next_place
            next_place, is_reported = place + 1, False
    found["reported" if is_reported else "lost"] += len(truth) - next_place
    return found


class Emitter(threading.Thread):
    """Begins and ends scans, which makes events, and notes what a client of the socket gets."""

    def __init__(self, socket):
        super().__init__(daemon=True)
        self.socket, self.ended = socket, False
        self.connect()

    def connect(self):
        self.truth = []
        self.line, watcher = Line(self.socket), Line(self.socket)
        watcher.ask("subscribe", events=["scan.*"])
        watcher.follow(self.truth)

    def events(self):
        return [event for event in list(self.truth) if counts(event)]

    def emit(self, count):
        for _ in range(count):
            before = len(self.events())
            self.line.ask("scan.begin", mode="barcode")
            self.line.ask("scan.cancel")
            wait(lambda: len(self.events()) > before, "the service does not send")

    def pace(self, total, rate):
        self.total, self.rate = total, rate
        self.start()

    def run(self):
        while len(self.events()) < self.total and not self.ended:
            self.emit(1)
            time.sleep(1 / self.rate)


class Bench:
    """A service, a gateway with a webhook, and its receiver."""

    def __init__(self, options, store=None):
        self.folder = Path(tempfile.mkdtemp(prefix="wm-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.socket, self.port, hook = self.folder / "s.sock", free_port(), free_port()
        for name, text in [*TOKENS.items(), ("secret", SECRET)]:
            (self.folder / name).write_text(text + "\n")
            (self.folder / name).chmod(0o600)
        (self.folder / "waymark.yaml").write_text("clients: { history: %d }\n" % options.history)
        (self.folder / "gateway.yaml").write_text("""
listen: [%(folder)s/http.sock, "127.0.0.1:%(port)d"]
tokens: { all: { file: %(folder)s/operator, role: operator }, view: { file: %(folder)s/observer } }
store: { folder: %(store)s, megabytes: 2 }
webhooks: { erp: { url: "http://127.0.0.1:%(hook)d/", secretFile: %(folder)s/secret, events: [scan.*], role: operator } }
""" % {"folder": self.folder, "port": self.port, "hook": hook, "store": store or self.folder / "store"})
        self.receiver = Receiver(hook, SECRET)
        self.service = Program(
            [options.waymark, "serve", "--config", self.folder / "waymark.yaml", "--source", ROOT / "Samples/frames", "--rate", "1", "--socket", self.socket,
             "--log-level", "error"], self.folder / "service.log")
        self.gateway = Program([options.gateway, "--config", self.folder / "gateway.yaml", "--socket", self.socket], self.folder / "gateway.log")
        self.local = Gateway(path=self.folder / "http.sock")
        self.roles = {"operator": Gateway(port=self.port, token=TOKENS["operator"]), "observer": Gateway(port=self.port, token=TOKENS["observer"])}

    def start_service(self):
        self.service.start()
        wait(lambda: self.answers(lambda: Line(self.socket).hello), "the service does not answer: " + (self.folder / "service.log").read_text(), 60)

    def start_gateway(self):
        self.gateway.start()
        wait(lambda: self.answers(lambda: self.local.call("ping").status == 200), "the gateway does not answer: see %s" % self.folder, 60)

    @staticmethod
    def answers(ask):
        try:
            return ask()
        except (OSError, AssertionError, ValueError):
            return False

    def hooked(self):
        """What the receiver got, repetitions left out as the documentation asks."""
        return list({identity: event for identity, event in list(self.receiver.received)}.values())

    def stop(self):
        for program in (self.gateway, self.service):
            program.stop(signal.SIGKILL)
        self.receiver.stop()


def fill(file):
    with open(file, "ab", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            pass


def disk(options):
    chance = random.Random(options.seed)
    mount = Path(tempfile.mkdtemp(prefix="wm-disk-", dir="/tmp"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", mount], check=True)
    bench, port = Bench(options, mount / "gateway"), free_port()
    (mount / "gateway").mkdir()
    (mount / "bridge").mkdir()
    broker = Broker(bench.folder, "broker", port)
    bridge = Bridge(options.bridge, bench.folder, "d", bench.socket, "broker: { host: 127.0.0.1, port: %d }\nevents: { scan.*: default }" % port)
    bridge.configuration.write_text(bridge.configuration.read_text().replace(str(bridge.folder / "store"), str(mount / "bridge")))
    consumer = None
    try:
        bench.start_service()
        broker.start()
        consumer = Consumer(["-h", "127.0.0.1", "-p", str(port)])
        bridge.start()
        bench.receiver.start()
        bench.start_gateway()
        wait(lambda: "d" in consumer.statuses, "the bridge does not connect")
        emitter = Emitter(bench.socket)
        emitter.emit(1)
        wait(lambda: bench.hooked() and consumer.count(), "the first event does not arrive")
        emitter.pace(options.events, options.rate)
        filler, is_up, is_there = mount / "filler", True, True
        for _ in range(options.kills):
            if filler.exists():
                filler.unlink()
            else:
                fill(filler)
            if chance.random() < 0.5:
                bench.receiver.stop() if is_up else bench.receiver.start()
                is_up = not is_up
            if chance.random() < 0.5:
                # A broker that is killed forgets the consumer's subscription, and with it what it has acknowledged to the bridge.
                broker.stop() if is_there else broker.start()
                is_there = not is_there
            time.sleep(chance.uniform(0, 1.5))
            bench.gateway.stop(signal.SIGKILL)
            bridge.stop(signal.SIGKILL)
            time.sleep(chance.uniform(0, 0.5))
            bridge.start()
            bench.start_gateway()
        filler.unlink(missing_ok=True)
        wait(lambda: not emitter.is_alive(), "the service does not send", 120)
        if not is_up:
            bench.receiver.start()
        if not is_there:
            broker.start()
        truth = emitter.events()
        last = key(truth[-1])
        hook_done = lambda: any("seq" in event and key(event) == last for event in bench.hooked())
        wait(hook_done, "the last event does not reach the webhook: see %s" % bench.folder, options.patience)
        wait(lambda: consumer.events.get("d", [0])[-1] == truth[-1]["seq"], "the last event does not reach the broker: see %s" % bench.folder, options.patience)
        places = {event["seq"]: event for event in truth}
        bodies = [{**body, "time": places[body["seq"]]["time"]} if body["seq"] in places else body for body in consumer.bodies["d"]]
        return [("webhook", compared(truth, bench.hooked())), ("broker", compared(truth, bodies))]
    finally:
        bridge.stop(signal.SIGKILL)
        bench.stop()
        broker.stop(signal.SIGKILL)
        if consumer:
            consumer.stop()
        subprocess.run(["umount", "-l", mount])


class Held:
    """A receiver of one kind over all its connections: what it got, and how it continues."""

    def __init__(self, bench, role, is_socket):
        self.gateway, self.is_socket, self.before, self.last, self.stream = bench.roles[role], is_socket, [], None, None

    def open(self):
        if not self.is_socket:
            self.stream = Stream(self.gateway, "/v1/events?events=scan.*", last=self.last)
            return
        self.stream, self.events = WebSocket(self.gateway), []
        self.stream.line()
        after = {"after": {"instance": self.last[0], "seq": self.last[1]}} if self.last else {}
        self.stream.send(json.dumps({"id": 1, "method": "subscribe", "params": {"events": ["scan.*"], **after}}))
        self.reader = threading.Thread(target=self.read, args=(self.stream, self.events), daemon=True)
        self.reader.start()

    def read(self, stream, events):
        try:
            instance = None
            while True:
                line = stream.line()
                if "result" in line:
                    instance = line["result"]["instance"]
                    if line["result"].get("missed"):
                        events.append({"event": "gateway.missed"})
                    self.last = instance, line["result"]["seq"] - line["result"].get("replayed", 0)
                elif "seq" in line:
                    self.last = instance, line["seq"]
                    events.append(line)
        except (OSError, EOFError, ValueError, KeyError, AssertionError):
            pass

    @property
    def got(self):
        return self.before + list(self.events if self.is_socket else self.stream.events) if self.stream else self.before

    def close(self):
        if self.is_socket:
            self.stream.close()
            self.reader.join(5)
        else:
            self.stream.close()
            self.last = self.stream.last
        self.before, self.stream = self.got, None


def kills(options):
    """Before the service is killed everybody who is connected has its events: its history ends with it."""
    chance, bench = random.Random(options.seed), Bench(options)
    held = {"operator": Held(bench, "operator", False), "observer": Held(bench, "observer", False), "socket": Held(bench, "operator", True),
            "away": Held(bench, "operator", False)}
    try:
        bench.start_service()
        bench.receiver.start()
        bench.start_gateway()
        emitter, past = Emitter(bench.socket), []
        for one in held.values():
            one.open()
        wait(lambda: all(one.last or getattr(one.stream, "last", None) for one in held.values()), "the streams do not begin")
        truth = lambda: past + emitter.events()

        def reached(names, hook=True):
            last = key(truth()[-1])
            at = lambda events: any("seq" in event and key(event) == last for event in events[-40:])
            wait(lambda: all(at(held[name].got) for name in names) and (not hook or at(bench.hooked())), "an event does not arrive: see %s" % bench.folder, 60)

        emitter.emit(2)
        reached(held)
        for number in range(options.kills):
            victims = ("gateway", "service", "both")[number % 3]
            is_away = chance.random() < 0.5
            if is_away:
                held["away"].close()
            if victims == "both":
                # What waits on disk is sent by the next gateway.
                bench.receiver.stop()
            emitter.emit(chance.randint(1, 8))
            if victims == "gateway":
                time.sleep(chance.uniform(0, 0.1))
            else:
                connected = [name for name in held if not (name == "away" and is_away)]
                reached(connected, hook=victims == "service")
                waiting = len(emitter.events())
                wait(lambda: victims == "service" or bench.local.get("/v1/webhooks").json[0]["waiting"] >= min(waiting, 1), "nothing waits on disk")
                time.sleep(0.2)
            if victims != "service":
                bench.gateway.stop(signal.SIGKILL)
            if victims == "gateway":
                emitter.emit(chance.randint(1, 8))
            if victims != "gateway":
                bench.service.stop(signal.SIGKILL)
                past += emitter.events()
                bench.start_service()
            if victims != "service":
                bench.start_gateway()
            else:
                wait(lambda: bench.answers(lambda: bench.local.get("/readyz").status == 200), "the gateway does not come back", 60)
            if victims != "gateway":
                emitter.connect()
            if victims == "both":
                bench.receiver.start()
            for one in held.values():
                # A stream goes on over a restart of the service by itself.
                if victims == "service" and not one.is_socket and one.stream:
                    continue
                if one.stream:
                    one.close()
                one.open()
            emitter.emit(1)
            reached(held)
        return [(name, compared(truth(), one.got)) for name, one in held.items()] + [("webhook", compared(truth(), bench.hooked()))]
    finally:
        bench.stop()


def main():
    release = str(ROOT / ".build/release") + "/"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["disk", "kills"])
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=40, help="events a second")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--history", type=int, default=10000)
    parser.add_argument("--patience", type=float, default=120, help="seconds that the last event may take at the end")
    parser.add_argument("--seed", type=int, default=1)
    for name in ("waymark", "gateway", "bridge"):
        parser.add_argument("--" + name, default=release + ("waymark" if name == "waymark" else "waymark-" + name))
    options = parser.parse_args()
    options.kills = options.kills or (25 if options.part == "disk" else 200)
    begin, is_good = time.monotonic(), True
    for name, found in (disk if options.part == "disk" else kills)(options):
        print(json.dumps({"receiver": name, "kills": options.kills, **found, "seconds": round(time.monotonic() - begin)}), flush=True)
        is_good = is_good and found["arrived"] and not found["lost"] and not found["twice"]
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()

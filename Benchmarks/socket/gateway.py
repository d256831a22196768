#!/usr/bin/env python3
"""Measures how much a client with an observer's token takes from operators at the gateway: at least 60 connections each hold slow bodies of 16 MB, slow
parameters, sessions, streams of events, WebSockets, live pictures, and answers that they do not read, all at once and again and again. Meanwhile one
operator asks for the status and confirms scans, and another sends requests, opens sessions, streams and WebSockets, and has pictures scanned.
Standard library.

  Benchmarks/socket/gateway.py [--seconds N] [--only KIND] [--strict] [WAYMARK [GATEWAY]]
  Benchmarks/socket/gateway.py --address HOST:PORT --operator FILE --other FILE --observer FILE

Starts a service on sample frames and a gateway, or takes the address of one that runs, with the files of two operators' tokens and of an
observer's. Prints a line of JSON: for each kind of request of the operators how many were sent and refused, and the 99th percentile of
their time, and the largest resident memory of the gateway. Ends with 1 if one was refused or not answered; with --strict also if a status or a
confirmation in a hundred took over 50 ms, or the gateway more than 80 MB.
"""
import argparse
import json
import multiprocessing
import os
import selectors
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Support/gateway")]

from gateway import TOKENS, Gateway, Program, free_port, wait

TOKENS = {**TOKENS, "other": "another-operators-token"}
KINDS = {"bodies": 60, "parameters": 60, "sessions": 64, "streams": 256, "sockets": 60, "previews": 60, "slow": 60, "idle": 200}
JSON = ("Content-Type", "application/json")
UPGRADE = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", 13), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]
# The seconds after which a connection that was refused or closed is opened again.
PAUSE = 1
P99, MEMORY = 0.05, 80_000_000


def opening(one, kind, number):
    """What a connection of the attack sends first."""
    head = one.head
    if kind == "bodies":
        return head("POST", "/v1/scan.picture?mode=barcode", [("Content-Type", "image/jpeg"), ("Content-Length", 16 << 20)])
    if kind == "parameters":
        return head("POST", "/v1/ping", [JSON, ("Content-Length", 60 << 10)])
    if kind == "sessions":
        return head("POST", "/v1/ping", [JSON, ("Waymark-Session", "s%d" % number), ("Content-Length", 2)]) + b"{}"
    if kind == "streams":
        return head("GET", "/v1/events")
    if kind == "sockets":
        return head("GET", "/v1/socket", UPGRADE)
    if kind == "previews":
        return head("GET", "/v1/preview?rate=30")
    return head("GET", "/v1/openapi.json") * (20 if kind == "slow" else 1)


def attack(one, kinds, until):
    """Connections of one token that hold what they get; those that end are opened again. Runs in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wanted = [(kind, number) for kind in kinds for number in range(KINDS[kind])]
    links, opened, selector, last = {}, {}, selectors.DefaultSelector(), time.monotonic()

    def drop(place):
        link = links.pop(place)
        try:
            selector.unregister(link)
        except KeyError:
            pass
        link.close()
    while time.monotonic() < until:
        now = time.monotonic()
        for place in [place for place in range(len(wanted)) if place not in links and opened.get(place, 0) < now - PAUSE][:10]:
            kind, number = wanted[place]
            opened[place] = now
            try:
                link = one.connect(5)
                link.sendall(opening(one, kind, number))
            except OSError:
                continue
            link.setblocking(False)
            links[place] = link
            # Every other stream, WebSocket and live picture is not read.
            if kind != "slow" and (kind not in ("streams", "sockets", "previews") or number % 2):
                selector.register(link, selectors.EVENT_READ, place)
        for selected, _ in selector.select(0.05):
            try:
                if not selected.fileobj.recv(65536):
                    drop(selected.data)
            except BlockingIOError:
                pass
            except OSError:
                drop(selected.data)
        # A byte of each body every two seconds; an error shows which connections were closed.
        if time.monotonic() < last + 2:
            continue
        last = time.monotonic()
        for place in list(links):
            if wanted[place][0] in ("bodies", "parameters", "slow"):
                try:
                    links[place].send(b" ")
                except BlockingIOError:
                    pass
                except OSError:
                    drop(place)


class Operator:
    """A client that behaves: one request after another, each on a connection of its own."""

    def __init__(self, gateway, calls, pause, until):
        self.gateway, self.calls, self.pause, self.until = gateway, calls, pause, until
        self.times, self.refused = {}, {}
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        number = 0
        while time.monotonic() < self.until:
            number += 1
            for kind, call, allowed in self.calls:
                begin = time.monotonic()
                try:
                    answer = call(self.gateway, number)
                except (OSError, AssertionError, ValueError):
                    answer = None
                self.times.setdefault(kind, []).append(time.monotonic() - begin)
                status = answer.status if answer else 0
                if status not in (200, 101) and not (status in (404, 409) and answer.json["error"]["code"] in allowed):
                    codes = self.refused.setdefault(kind, {})
                    codes[status] = codes.get(status, 0) + 1
                time.sleep(self.pause)


class Opened:
    """The status of what stays open."""

    def __init__(self, gateway, target, headers=()):
        with gateway.connect() as link:
            link.sendall(gateway.head("GET", target, headers))
            data = b""
            while b"\r\n\r\n" not in data:
                piece = link.recv(4096)
                assert piece, "closed"
                data += piece
        self.status = int(data.split(None, 2)[1])


def calls(picture):
    """Those of the operator who is measured, and those of the other one: their kind, the call, and the codes that are no refusals."""
    session = lambda number: [("Waymark-Session", "own%d" % (number % 4))]
    return [
        ("status", lambda one, _: one.call("status"), ()),
        ("begin", lambda one, _: one.call("scan.begin", {"mode": "onboarding"}), ("busy",)),
        # Until a code is accepted there is nothing to confirm.
        ("confirm", lambda one, _: one.call("scan.confirm"), ("noScan", "wrongState", "noCode", "nothingToConfirm")),
    ], [
        ("state", lambda one, _: one.get("/v1/state"), ()), ("session", lambda one, number: one.call("ping", headers=session(number)), ()),
        ("stream", lambda one, _: Opened(one, "/v1/events"), ()), ("socket", lambda one, _: Opened(one, "/v1/socket", UPGRADE), ()),
        ("preview", lambda one, _: Opened(one, "/v1/preview"), ()),
        ("picture", lambda one, _: one.request("POST", "/v1/scan.picture?mode=barcode", picture, [("Content-Type", "image/jpeg")]), ()),
        ("snapshot", lambda one, _: one.call("media.snapshot"), ()),
    ]


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else float("inf")


def start(folder, options):
    """Starts both programs; gives them and the port of the gateway."""
    port = free_port()
    for name, token in TOKENS.items():
        (folder / name).write_text(token + "\n")
        (folder / name).chmod(0o600)
    (folder / "waymark.yaml").write_text("roles: { observers: { pictures: true } }\n")
    (folder / "gateway.yaml").write_text(json.dumps({"listen": ["127.0.0.1:%d" % port], "store": {"folder": str(folder / "store")}, "tokens": {
        name: {"file": str(folder / name), "role": "observer" if name == "observer" else "operator"} for name in TOKENS}}))
    programs = [
        Program([options.waymark, "serve", "--config", folder / "waymark.yaml", "--source", ROOT / "Samples/frames", "--source-onboarding", "--rate", "10",
                 "--socket", folder / "s.sock", "--log-level", "error"], folder / "log"),
        Program([options.gateway, "--config", folder / "gateway.yaml", "--socket", folder / "s.sock"], folder / "log")]
    for program in programs:
        program.start()
    return programs, port


def main():
    release = str(ROOT / ".build/release")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", choices=KINDS, help="one kind of the attack")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--address", help="of a gateway that runs: HOST:PORT")
    for name in TOKENS:
        parser.add_argument("--" + name, metavar="FILE", help="the token")
    parser.add_argument("waymark", nargs="?", default=release + "/waymark")
    parser.add_argument("gateway", nargs="?", default=release + "/waymark-gateway")
    options = parser.parse_args()
    picture = (ROOT / "Samples/frames/020.jpg").read_bytes()
    with tempfile.TemporaryDirectory(prefix="wm-", dir="/tmp") as folder:
        folder, programs, tokens = Path(folder), [], dict(TOKENS)
        if options.address:
            port = int(options.address.rpartition(":")[2])
            tokens = {name: Path(getattr(options, name)).read_text().splitlines()[0] for name in TOKENS}
        else:
            programs, port = start(folder, options)
        gateways = {name: Gateway(port=port, token=token) for name, token in tokens.items()}

        def answers():
            try:
                return gateways["operator"].get("/v1/state").status == 200
            except (OSError, AssertionError):
                return False
        try:
            wait(answers, "there is no gateway" + (": " + (folder / "log").read_text() if programs else ""), 60)
            until = time.monotonic() + 3 + options.seconds
            attacker = multiprocessing.Process(target=attack, args=(gateways["observer"], [options.only] if options.only else list(KINDS), until), daemon=True)
            attacker.start()
            time.sleep(3)
            own, others = calls(picture)
            operators = [Operator(gateways["operator"], own, 0.02, until), Operator(gateways["other"], others, 0.1, until)]
            for one in operators:
                one.thread.join(options.seconds + 120)
            attacker.terminate()
            lives = all(one.process.poll() is None for one in programs)
            memory = 0
            if programs and lives:
                fields = Path("/proc/%d/status" % programs[1].process.pid).read_text()
                memory = int(fields.split("VmHWM:")[1].split()[0]) << 10
        finally:
            for program in programs:
                program.stop()
    found = {}
    for one in operators:
        for kind, times in one.times.items():
            found[kind] = {"sent": len(times), "refused": one.refused.get(kind, {}), "p99": round(share(times, 0.99), 4)}
    refused = sum(sum(kind["refused"].values()) for kind in found.values())
    worst = max(found[kind]["p99"] for kind in ("status", "confirm"))
    print(json.dumps({"refused": refused, "p99": worst, "memory": memory, "lives": lives, "kinds": found}))
    sys.exit(0 if lives and not refused and (not options.strict or worst <= P99 and memory <= MEMORY) else 1)


if __name__ == "__main__":
    os.umask(0o077)
    main()

#!/usr/bin/env python3
"""What a handheld pays: processor time (and joules, where the processor counts them) of waiting, of a scan, of what runs while it looks.

  measure.py [--waymark .build/release/waymark] [--seconds 20] [--scans 20] [--rate 30] [--json]

The service plays the sample frames (MJPEG 640x480) as its camera, so that decoding is in it. The peer of the same run is a shell that
sleeps: what the machine takes without us. Joules come from RAPL (/sys/class/powercap, needs root and a processor that has it), and are the
whole machine's: run it on one that does nothing else. Without RAPL they are left out, and nothing is made up for them.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Samples"))
from waymark_client import Connection

TICK = os.sysconf("SC_CLK_TCK")


def family(pid):
    """A process and what it started."""
    yield pid
    for task in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            children = Path(task).read_text().split()
        except OSError:
            continue
        for child in children:
            yield from family(int(child))


def processor(pid):
    """Seconds of processor time of a process, its children, and those of them that have ended."""
    total = 0
    for member in family(pid):
        try:
            fields = Path(f"/proc/{member}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / TICK
    return total


def joules():
    """The counters of all packages, together with where each turns over; empty without RAPL."""
    counters = {}
    for zone in glob.glob("/sys/class/powercap/intel-rapl:[0-9]"):
        try:
            counters[zone] = (int(Path(zone, "energy_uj").read_text()), int(Path(zone, "max_energy_range_uj").read_text()))
        except OSError:
            pass
    return counters


def spent(before, after):
    if not before or before.keys() != after.keys():
        return None
    return sum((after[zone][0] - before[zone][0]) % (before[zone][1] + 1) for zone in before) / 1e6


class Meter:
    """What passes while a body runs."""

    def __init__(self, pid):
        self.pid = pid

    def __enter__(self):
        self.energy, self.processor, self.clock = joules(), processor(self.pid) if self.pid else 0, time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.clock
        self.processor = (processor(self.pid) if self.pid else 0) - self.processor
        self.joules = spent(self.energy, joules())


def wait_for(connection, name):
    for event in connection.events():
        if event["event"] == name:
            return event


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waymark", default=str(ROOT / ".build/release/waymark"))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--scans", type=int, default=20)
    parser.add_argument("--rate", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args()

    def start(camera):
        """A service, and a connection to it."""
        folder = Path(tempfile.mkdtemp(prefix="waymark-energy-"))
        path = str(folder / "waymark.sock")
        (folder / "waymark.yaml").write_text(json.dumps({
            "camera": camera, "source": {"path": str(ROOT / "Samples/frames"), "rate": options.rate}}))
        service = subprocess.Popen([options.waymark, "serve", "--config", str(folder / "waymark.yaml"), "--socket", path],
                                   stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while True:
            try:
                return service, Connection(path, timeout=120)
            except OSError:
                if service.poll() is not None or time.monotonic() > end:
                    sys.exit("the service did not start")
                time.sleep(0.02)

    rows = []

    def row(name, meter, scans=1):
        rows.append({"what": name, "seconds": meter.seconds / scans, "processor": meter.processor / scans,
                     "joules": None if meter.joules is None else meter.joules / scans})

    def rest(name, pid):
        with Meter(pid) as meter:
            time.sleep(options.seconds)
        row(name, meter)

    def frames(client):
        return client.request("status")["statistics"]["frames"]["captured"]

    # Closed at once, so that a scan pays for what it needs and no more.
    service, client = start({"closeAfter": 0})
    try:
        rest("nothing: the machine by itself", None)
        rest("waiting: no scan, the camera closed", service.pid)
        assert client.request("status")["camera"]["status"] == "closed", "the camera runs though nobody wants a frame"

        client.request("subscribe", events=["scan.*"])
        with Meter(service.pid) as meter:
            for _ in range(options.scans):
                client.request("scan.begin", mode="onboarding", timeout=60)
                wait_for(client, "scan.successful")
                client.request("scan.cancel")
        row("a scan: camera opened, code read, camera closed", meter, options.scans)

        # A kind of code that is on none of the frames: looked for in each of them.
        for name, params in (("looking for QR codes", {"symbologies": ["qr"], "region": [0, 0, 0.2, 0.2]}),
                             ("following every code in the frame", None)):
            if params is None:
                client.request("codes.follow")
            else:
                client.request("scan.begin", mode="barcode", timeout=600, **params)
            time.sleep(1)
            before = frames(client)
            with Meter(service.pid) as meter:
                time.sleep(options.seconds)
            row(f"{name}, a frame", meter, max(1, frames(client) - before))
            client.request("codes.unfollow" if params is None else "scan.cancel")
    finally:
        service.terminate()
        service.wait(timeout=30)

    # What the seconds cost for which it stays open after a scan (`camera.closeAfter`).
    service, client = start({"keepOpen": True})
    try:
        # It is opened by the first need, and stays.
        client.request("scan.begin", mode="barcode")
        client.request("scan.cancel")
        time.sleep(1)
        with Meter(service.pid) as meter:
            time.sleep(options.seconds)
        row("the camera open, no lane at work, a frame", meter, options.seconds * options.rate)
    finally:
        service.terminate()
        service.wait(timeout=30)

    if options.json:
        print(json.dumps(rows))
        return
    lines = ["| what | passed | processor time | energy of the machine |", "|---|---|---|---|"]
    for entry in rows:
        energy = "no RAPL here" if entry["joules"] is None else f"{entry['joules']:.3f} J"
        lines.append(f"| {entry['what']} | {entry['seconds']:.3f} s | {entry['processor'] * 1000:.2f} ms | {energy} |")
    print("\n".join(lines))
    if options.write:
        sys.path.insert(0, str(ROOT / "Benchmarks"))
        import written
        written.write("benchmarks.md", "energy", lines)


main()

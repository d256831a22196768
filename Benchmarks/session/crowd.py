#!/usr/bin/env python3
"""Twenty anchors with ten markers each at 30 frames a second while codes are read: can the device bear it?

  crowd.py [--waymark .build/release/waymark-station] [--crowd FOLDER] [--seconds 20] [--rate 30] [--no-codes] [--cores 2] [--json]

`Scripts/make-crowd FOLDER` makes the scene and its frames; they are made into a temporary folder when none is given (needs
Pillow, numpy, opencv, PyYAML). The service gets as many processor cores as `--cores` says, this client and the source included.
Prints frames delivered and left out, updates a second, anchors and markers in them, the lanes' times and the processor time,
and ends with 1 when updates come at less than 29 a second or fewer than 19.5 of the twenty anchors are followed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Samples"))
from waymark_client import Connection


def connect(path):
    """A connection to a service that has just been started: its socket is there before it listens."""
    end = time.monotonic() + 20
    while True:
        try:
            return Connection(path, timeout=300)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def measure(options, crowd):
    folder = Path(tempfile.mkdtemp(prefix="waymark-crowd-"))
    path = str(folder / "waymark.sock")
    (folder / "waymark.yaml").write_text(json.dumps({
        "source": {"path": str((crowd / "frames").resolve()), "rate": options.rate},
        "scenes": {"folders": [str((crowd / "scenes").resolve())], "cache": str(options.cache or folder / "cache")}}))
    service = subprocess.Popen([options.waymark, "serve", "--config", str(folder / "waymark.yaml"), "--socket", path],
                               stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(path):
            if service.poll() is not None:
                sys.exit("the service did not start")
            time.sleep(0.02)
        remote = connect(path)
        begun = time.monotonic()
        remote.request("scene.load", name="crowd")
        loading = time.monotonic() - begun
        remote.request("session.start")
        remote.request("session.scan")
        if not options.no_codes:
            remote.request("scan.begin", mode="barcode")
        log, listener = [], Connection(path, timeout=None)
        listener.request("subscribe", events=["anchors.updated", "session.phase"])

        def watch():
            try:
                for event in listener.events():
                    if event["event"] == "anchors.updated":
                        at = time.clock_gettime(time.CLOCK_MONOTONIC)
                        followed = [a for a in event["anchors"] if a["trackingMethod"] == "fullTracking"]
                        log.append((at, at - event["frame"]["captured"], event["frame"]["sequence"], len(followed),
                                    sum(len(a["markers"]) for a in followed)))
            except (OSError, ValueError):
                pass

        threading.Thread(target=watch, daemon=True).start()
        # Until all are found.
        end = time.monotonic() + 20
        while time.monotonic() < end and not any(entry[3] >= 20 for entry in log[-30:]):
            time.sleep(0.1)
        log.clear()
        before = remote.request("status")["statistics"]
        time.sleep(options.seconds)
        after, entries = remote.request("status")["statistics"], list(log)
        lanes = {l["name"]: l for l in after["lanes"]}
        old = {l["name"]: l for l in before["lanes"]}
        seconds = after["uptime"] - before["uptime"]
        return {
            "loadingSeconds": round(loading, 2), "framesASecond": round((after["frames"]["captured"] - before["frames"]["captured"]) / seconds, 2),
            "updatesASecond": round(len(entries) / seconds, 2), "anchorsFollowed": round(statistics.mean(e[3] for e in entries), 2) if entries else 0,
            "markersMean": round(statistics.mean(e[4] for e in entries), 1) if entries else 0,
            "frameToClientMedianMilliseconds": round(1000 * statistics.median(e[1] for e in entries), 2) if entries else None,
            "lanes": {name: {"framesASecond": round((lane["frames"] - old[name]["frames"]) / seconds, 2),
                             "skipped": lane["skipped"] - old[name]["skipped"], "p50ms": round(1000 * lane["p50"], 2),
                             "p99ms": round(1000 * lane["p99"], 2)} for name, lane in lanes.items()},
            "processorShare": round((after["cpu"] - before["cpu"]) / seconds, 3)}
    finally:
        service.terminate()
        service.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waymark", default=os.environ.get("WAYMARK", str(ROOT / ".build/release/waymark-station")))
    parser.add_argument("--crowd", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=float, default=30)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--no-codes", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    crowd = options.crowd
    if crowd is None:
        crowd = Path(tempfile.mkdtemp(prefix="waymark-crowd-frames-"))
        subprocess.run([sys.executable, str(ROOT / "Scripts/make-crowd"), str(crowd)], check=True)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.cores])
    report = measure(options, crowd)
    print(json.dumps(report) if options.json else "\n".join(f"{key:32} {value}" for key, value in report.items()))
    good = report["updatesASecond"] >= 0.967 * options.rate and report["anchorsFollowed"] >= 19.5
    if not options.json:
        print("ok" if good else "MISS", f"{options.rate:g} frames a second with twenty anchors")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What a passcode costs its owner, and what guessing passcodes is worth.

Usage: Benchmarks/accounts/passcode.py [--signings N] [--seconds S] [--waymark PATH] [--write]

Signs a user in and out N times and prints how long that takes from the request to "signed in", the processor time of the
service for each, and how fast scrypt with the same parameters is in Python's OpenSSL, in the same run. Then guesses at the
socket's full speed for S seconds, and counts how many guesses were looked at. --write puts the table into docs/benchmarks.md.
"""
import argparse
import hashlib
import os
import statistics
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Samples/provider"))
sys.path.insert(0, os.path.join(ROOT, "Benchmarks"))
import written

sys.argv, arguments = sys.argv[:1], sys.argv[1:]
import test_provider


def processor_time(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signings", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--waymark", default=test_provider.WAYMARK)
    options = parser.parse_args(arguments)
    test_provider.WAYMARK = options.waymark
    with test_provider.Device() as device:
        device.provide()
        device.onboard()
        times, peers = [], []
        idle = processor_time(device.service)
        begun = time.monotonic()
        time.sleep(1)
        rate = (processor_time(device.service) - idle) / (time.monotonic() - begun)
        spent = 0
        for _ in range(options.signings):
            device.does("account.leave")
            device.becomes(phase="signIn")
            processor, start = processor_time(device.service), time.monotonic()
            assert device.sign_in() is None
            device.becomes(phase="signedIn")
            times.append(time.monotonic() - start)
            spent += processor_time(device.service) - processor - rate * times[-1]
            start = time.monotonic()
            hashlib.scrypt(b"walrus7", salt=bytes(16), n=1 << 16, r=8, p=1, maxmem=128 << 20, dklen=32)
            peers.append(time.monotonic() - start)
        milliseconds = lambda seconds: f"{1000 * seconds:.0f} ms"
        rows = [
            "| | |", "|---|---|",
            f"| signing in, from the request to \"signed in\": median of {len(times)} (longest) "
            f"| {milliseconds(statistics.median(times))} ({milliseconds(max(times))}) |",
            f"| processor time of the service for each | {milliseconds(spent / len(times))} |",
            f"| scrypt (2^16, 8, 1) in OpenSSL beside it, median | {milliseconds(statistics.median(peers))} |",
        ]
        if options.seconds:
            rows.append(guess(device, options.seconds))
    print("\n".join(rows))
    if options.write:
        written.write("benchmarks.md", "passcodes", rows)


def guess(device, seconds):
    """Guesses for so long; a row of the table."""
    device.does("account.leave")
    device.becomes(phase="signIn")
    asked = looked = 0
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        asked += 1
        if device.sign_in("wrong%04d" % (asked % 10000)) is None:
            looked += 1
            device.becomes(problem__code="wrongPasscode")
    return f"| guesses in {seconds:.0f} s at the socket's full speed (looked at) | {asked:,} ({looked}) |"


main()

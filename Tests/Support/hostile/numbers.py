#!/usr/bin/env python3
"""Asks a service for everything that its protocol knows, with numbers that are out of reach in the place of each number.

Usage: numbers.py WAYMARK FIXTURES
The service must answer every one of them, or close the connection that an unusable body came by; it must not end.
FIXTURES is the file with one request of each kind, a line each.
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

NUMBERS = ["-9223372036854775808", "9223372036854775807", "18446744073709551616", "4294967296", "-1", "0", "0.5", "1e308"]
# Sizes that are taken announce a body; none follows here.
SIZES = ["-9223372036854775808", "9223372036854775807", "18446744073709551616", "-1", "0.5", "1e308"]

CONFIGURATION = """
source: {{path: {root}/Samples/frames, loop: true}}
gallery: {{folders: [{folder}/gallery]}}
signatures: {{folder: {folder}/signatures}}
forms: {{folder: {folder}/forms}}
documents: {{folder: {folder}/documents}}
clients: {{history: 100}}
accounts:
  folder: {folder}/accounts
  mode: shared
  modules: [activation, credentials, passcode]
  activation: [code]
  fields: [{{name: user, label: User}}, {{name: password, label: Password}}]
"""


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.number = 100_000

    def ask(self, line):
        """Sends a line, and waits for the answer to a request behind it."""
        self.number += 1
        self.socket.sendall(line.encode() + b'\n{"id":%d,"method":"ping"}\n' % self.number)
        while True:
            answer = self.file.readline()
            if not answer:
                raise EOFError
            if answer.startswith(b'{"id":%d,' % self.number):
                return


def first(path, service):
    """The first client that gets in."""
    while service.poll() is None:
        try:
            return Client(path)
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.01)
    sys.exit("the service does not start")


def variants(line):
    """The request as it is, and with each of its numbers replaced."""
    request = json.loads(line)
    # What ends the service, or stands still until a body came, is not asked for.
    if "size" not in request["params"]:
        yield line
    start = line.index('"params":')
    for match in re.finditer(r"(?<=[:\[,])-?\d+(\.\d+)?(?=[,\]}])", line):
        is_size = line[: match.start()].endswith('"size":')
        if match.start() < start or ("size" in request["params"] and not is_size):
            continue
        for number in SIZES if is_size else NUMBERS:
            yield line[: match.start()] + number + line[match.end() :]


def main():
    program, fixtures = sys.argv[1:]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/log", "w+b") as log:
        os.mkdir(f"{folder}/gallery")
        with open(f"{folder}/waymark.yaml", "w") as file:
            file.write(CONFIGURATION.format(root=json.dumps(root)[1:-1], folder=folder))
        path = tempfile.mktemp(prefix="wm-", suffix=".sock", dir="/tmp")
        service = subprocess.Popen([program, "serve", "--config", f"{folder}/waymark.yaml", "--socket", path], stderr=log)
        try:
            client, count = first(path, service), 0
            for line in open(fixtures):
                for variant in variants(line.rstrip("\n")):
                    client = client or Client(path)
                    count += 1
                    if '"media.' in variant:
                        # Pictures come between the lines of this connection: the next request uses another one.
                        client.socket.sendall(variant.encode() + b"\n")
                        client = None
                        continue
                    try:
                        client.ask(variant)
                    except (EOFError, ConnectionError):
                        # A body of unknown size ends its connection; the next one must be taken.
                        client = None
                    try:
                        client = client or Client(path)
                        client.ask('{"id":1,"method":"ping"}')
                    except (EOFError, OSError):
                        log.seek(0)
                        sys.exit(f"the service does not answer after {variant}\n{log.read()[-2000:].decode()}")
            service.send_signal(signal.SIGTERM)
            if service.wait(30) != 0 or count < 300:
                sys.exit(f"{count} requests, ended with {service.returncode}")
        finally:
            service.kill()
            if os.path.exists(path):
                os.unlink(path)


main()

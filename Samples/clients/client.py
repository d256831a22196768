#!/usr/bin/env python3
"""Arms a scan and prints what comes of it: client.py [SOCKET] [onboarding|barcode]; standard library only."""
import json
import os
import socket
import sys

own = os.environ.get("XDG_RUNTIME_DIR", "") + "/waymark/waymark.sock"
default = own if os.path.exists(own) else "/run/waymark/waymark.sock"
path = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WAYMARK_SOCKET", default)
mode = sys.argv[2] if len(sys.argv) > 2 else "onboarding"


class Waymark:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.last, self.events = 0, []
        self.hello = self.read()

    def read(self):
        line = self.lines.readline()
        if not line:
            raise SystemExit("the service closed the connection")
        return json.loads(line)

    def ask(self, method, **params):
        self.last += 1
        self.socket.sendall(json.dumps({"id": self.last, "method": method, "params": params}).encode() + b"\n")
        while (message := self.read()).get("id") != self.last:
            self.events.append(message)  # events may come before the answer
        if "error" in message:
            raise SystemExit("{code}: {message} {hint}".format(**message["error"]))
        return message["result"]

    def next_event(self):
        return self.events.pop(0) if self.events else self.read()


waymark = Waymark(path)
print(f"connected to waymark {waymark.hello['version']} as {waymark.hello['role']}", flush=True)
waymark.ask("subscribe", events=["scan.*", "camera.status"])
scan = waymark.ask("scan.begin", mode=mode, once=True)["scan"]
while True:
    event = waymark.next_event()
    if event.get("scan") != scan:
        continue
    if event["event"] == "scan.successful":
        print("successful", event["kind"] or event["symbology"], event.get("connectTo") or event["text"], flush=True)
        if mode == "onboarding":
            waymark.ask("scan.confirm", scan=scan)
            print("confirmed")
        break
    if event["event"] in ("scan.invalid", "scan.unsuccessful", "scan.cancelled"):
        print(event["event"], event["reason"], flush=True)
        if event["event"] != "scan.invalid":
            break

#!/usr/bin/env python3
"""An identity server and a backend for Waymark's users, as an integrator would write them, and every fault that such a one has.

    provider.py [--socket PATH] [--users FILE] [--fault KIND=FAULT]… [--slow SECONDS] [--steps N]

FILE is JSON: {"ada": {"password": "…", "email": "ada@example.com", "code": "WM-1234", "title": "Ada Lovelace",
"subtitle": "Plant 1000"}}; without it there are three users whose password is their name and "1".

KIND is one of activate, lookup, verify, recover, sync, or all. FAULT is one of
  refused      says no, with words for the person
  offline      cannot reach what it asks
  silent       never answers
  slow         answers after --slow seconds
  dies         ends as soon as it is asked
  conflict     (sync) another user has to act first; conflict:USER names who
  late         replies after the request was withdrawn; such a reply is ignored
What it is asked is printed, what people typed is not. Standard library only.
"""
import argparse
import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from waymark_client import Connection, RequestFailed

USERS = {
    name: {"password": name + "1", "email": name + "@example.com", "code": "WM-" + name.upper(), "title": title, "subtitle": subtitle}
    for name, title, subtitle in [
        ("ada", "Ada Lovelace", "Plant 1000"), ("ben", "Ben Okri", "Plant 1000"), ("cem", "Cem Yılmaz", "Plant 2000")]
}


class Provider:
    """One connection that verifies. `faults` can be changed while it runs."""

    def __init__(self, path=None, users=None, faults=None, slow=3.0, steps=4, say=lambda text: None):
        self.users, self.faults, self.slow, self.steps, self.say = users or USERS, dict(faults or {}), slow, steps, say
        self.asked = []
        self.withdrawn = set()
        self.connection = Connection(path, timeout=None)
        self.lock = threading.Lock()
        self.connection.request("authentication.provide", name="sample provider")

    def run(self):
        """Answers until the service is gone, or this was closed."""
        try:
            for event in self.connection.events():
                if event.get("event") == "authentication.requested":
                    self.asked.append(event["kind"])
                    self.say("%s %d" % (event["kind"], event["request"]))
                    # One thread for each request: a slow answer does not delay the others.
                    threading.Thread(target=self.answer, args=(event,), daemon=True).start()
                elif event.get("event") == "authentication.withdrawn":
                    self.withdrawn.add(event["request"])
                elif event.get("error"):
                    self.say("not taken: %s" % event["error"]["code"])
        except (OSError, ValueError, ConnectionError):
            pass

    def start(self):
        threading.Thread(target=self.run, daemon=True).start()
        return self

    def close(self):
        # shutdown, so that a thread that is reading sees the end.
        try:
            self.connection._socket.shutdown(2)
        except OSError:
            pass
        self.connection.close()

    def send(self, method, **parameters):
        with self.lock:
            try:
                self.connection.send(method, **parameters)
            except OSError:
                pass

    def answer(self, event):
        kind, number = event["kind"], event["request"]
        fault, _, more = self.faults.get(kind, self.faults.get("all", "")).partition(":")
        if fault == "dies":
            os._exit(3) if __name__ == "__main__" else self.close()
        if fault in ("silent", "dies"):
            return
        if fault == "slow":
            time.sleep(self.slow)
        if fault == "late":
            while number not in self.withdrawn:
                time.sleep(0.02)
        reply = {"request": number}
        if fault == "refused":
            reply.update(outcome="refused", text="The account is locked. Ask your administrator.")
        elif fault == "offline":
            reply.update(outcome="offline", text="The identity server cannot be reached.")
        elif fault == "conflict":
            other = more or next(name for name in self.users if name != event.get("subject"))
            reply.update(outcome="conflict", text="Changes of this user were not sent yet.", **self.person(other))
        else:
            reply.update(getattr(self, kind)(event))
        self.send("authentication.answer", **reply)

    def person(self, name):
        user = self.users.get(name, {})
        return {"subject": name, "title": user.get("title", name), "subtitle": user.get("subtitle", "")}

    # What it is asked.

    def activate(self, event):
        """A code that was sent."""
        for user in self.users.values():
            if user.get("code") == event["code"].strip().upper():
                return {"outcome": "accepted", "host": "mobile.example.com"}
        return {"outcome": "refused", "text": "This code is not known."}

    def lookup(self, event):
        """An e-mail address."""
        for user in self.users.values():
            if user.get("email") == event["code"].strip().lower():
                return {"outcome": "accepted", "host": "mobile.example.com"}
        return {"outcome": "refused", "text": "This address is not known."}

    def verify(self, event):
        """Credentials."""
        fields = event["fields"]
        name = fields.get("user", "").strip().lower()
        if name in self.users and self.users[name]["password"] == fields.get("password"):
            return {"outcome": "accepted", **self.person(name)}
        return {"outcome": "refused", "text": "User name or password is wrong."}

    recover = verify

    def sync(self, event):
        """Brings a user's data up to date: here it only takes its time."""
        for step in range(1, self.steps + 1):
            if event["request"] in self.withdrawn:
                break
            self.send("sync.progress", request=event["request"], progress=step / self.steps)
            time.sleep(0.1)
        return {"outcome": "accepted"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socket")
    parser.add_argument("--users", type=argparse.FileType(encoding="utf8"))
    parser.add_argument("--fault", action="append", default=[], metavar="KIND=FAULT")
    parser.add_argument("--slow", type=float, default=3)
    parser.add_argument("--steps", type=int, default=4, help="how often sync tells its progress")
    options = parser.parse_args()
    users = json.load(options.users) if options.users else None
    faults = dict(one.split("=", 1) for one in options.fault)
    while True:
        try:
            provider = Provider(options.socket, users, faults, options.slow, options.steps, say=lambda text: print(text, flush=True))
            print("ready", flush=True)
            provider.run()
        except RequestFailed as error:
            sys.exit(str(error))
        except OSError as error:
            print("the service is not there: %s" % error, file=sys.stderr, flush=True)
        time.sleep(1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Bridges the events of a Waymark service to an MQTT broker, so that a fleet of devices feeds one place.

Every event becomes a message PREFIX/DEVICE/EVENT (scan.successful becomes scan/successful) with the event as JSON. QoS 1.
Nothing is lost while the broker is away: what is not yet acknowledged waits in a file, in order, and is sent when the broker
is back, also over a restart of the bridge. Where the service is away, the bridge waits for it, and says so under
PREFIX/DEVICE/status (retained; the broker says "offline" when the bridge is gone).

    bridge.py --broker localhost --device line-3

Needs paho-mqtt 2.x (PyPI).
"""
import argparse
import collections
import json
import os
import signal
import socket
import sqlite3
import sys
import threading
import time
from pathlib import Path

import paho.mqtt.client as mqtt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from waymark_client import Connection, RequestFailed  # noqa: E402

# Events of which only the newest is of use: they are not kept while the broker is away.
FLEETING = {"anchors.updated", "statistics", "scanner.status", "scan.guide"}


class Spool:
    """Messages that the broker has not acknowledged, on disk and in order."""

    def __init__(self, path, limit):
        self._lock = threading.Lock()
        self._limit = limit
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT, body BLOB)")
        self.dropped = 0

    def add(self, topic, body):
        with self._lock:
            self._db.execute("INSERT INTO message (topic, body) VALUES (?, ?)", (topic, body))
            # The oldest go first when nobody fetches them for days; the status says how many.
            over = self._count() - self._limit
            if over > 0:
                self._db.execute("DELETE FROM message WHERE id IN (SELECT id FROM message ORDER BY id LIMIT ?)", (over,))
                self.dropped += over

    def after(self, last, count):
        with self._lock:
            return self._db.execute(
                "SELECT id, topic, body FROM message WHERE id > ? ORDER BY id LIMIT ?", (last, count)).fetchall()

    def remove(self, number):
        with self._lock:
            self._db.execute("DELETE FROM message WHERE id = ?", (number,))

    def _count(self):
        return self._db.execute("SELECT COUNT(*) FROM message").fetchone()[0]

    def __len__(self):
        with self._lock:
            return self._count()


class Bridge:
    def __init__(self, options):
        self.options = options
        self.base = "%s/%s" % (options.prefix, options.device)
        self.spool = Spool(options.spool, options.keep)
        # paho holds locks of its own while it calls back, so the callbacks take none: they only leave word.
        self.wake = threading.Event()
        self.acknowledged = collections.deque()
        self.connected, self.stopping = False, False
        self.waiting = {}  # MQTT message id -> row of the spool
        self.sent = 0  # the last row that was handed over
        self.client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2, client_id="waymark-%s" % options.device, protocol=mqtt.MQTTv5)
        if options.username:
            self.client.username_pw_set(options.username, os.environ.get("MQTT_PASSWORD"))
        if options.tls or options.ca:
            self.client.tls_set(ca_certs=options.ca)
        self.client.will_set(self.base + "/status", json.dumps({"status": "offline"}), qos=1, retain=True)
        self.client.reconnect_delay_set(1, 10)
        self.client.max_inflight_messages_set(100)
        self.client.on_connect, self.client.on_disconnect = self.on_connect, self.on_disconnect
        self.client.on_publish = self.on_publish

    # The broker's side; paho calls these on its own thread.

    def on_connect(self, client, userdata, flags, reason, properties):
        if reason.is_failure:
            print("the broker refuses: %s" % reason, file=sys.stderr)
            return
        print("connected to the broker, %d messages wait" % len(self.spool), flush=True)
        self.connected = True
        self.wake.set()

    def on_disconnect(self, client, userdata, flags, reason, properties):
        print("the broker is away: %s" % reason, flush=True)
        self.connected = False

    def on_publish(self, client, userdata, mid, reason, properties):
        self.acknowledged.append(mid)
        self.wake.set()

    def status(self, word, **more):
        body = json.dumps({"status": word, "waiting": len(self.spool), "dropped": self.spool.dropped, **more})
        self.client.publish(self.base + "/status", body, qos=1, retain=True)

    def send(self):
        """Hands over what waits, in order. What paho has in its hands it sends again itself after a reconnect."""
        while not self.stopping:
            self.wake.wait(0.5)
            self.wake.clear()
            while self.acknowledged:
                row = self.waiting.pop(self.acknowledged.popleft(), None)
                if row is not None:
                    self.spool.remove(row)  # acknowledged (QoS 1): only now it may be forgotten
            room = 100 - len(self.waiting)
            if not self.connected or room <= 0:
                continue
            rows = self.spool.after(self.sent, room)
            for row, topic, body in rows:
                info = self.client.publish(topic, body, qos=1)
                if info.rc == mqtt.MQTT_ERR_QUEUE_SIZE:
                    break
                self.waiting[info.mid] = row
                self.sent = row

    # The service's side.

    def receive(self):
        instance = None
        while not self.stopping:
            try:
                connection = Connection(self.options.socket, timeout=None)
                snapshot = connection.request("subscribe", events=self.options.events)
            except (OSError, ValueError, RequestFailed) as problem:
                print("the service is away: %s" % problem, file=sys.stderr)
                self.status("noService")
                time.sleep(2)
                continue
            self.status("online", version=connection.hello.get("version"))
            # There is no replay: the snapshot is the truth of this moment.
            snapshot["sameInstance"] = snapshot.get("instance") == instance
            instance = snapshot.get("instance")
            self.take("snapshot", snapshot)
            try:
                for event in connection.events():
                    if "event" in event:
                        self.take(event["event"], event)
            except (OSError, ValueError) as problem:
                print("the service went away: %s" % problem, file=sys.stderr)

    def take(self, name, event):
        topic = "%s/%s" % (self.base, name.replace(".", "/"))
        body = json.dumps(event, separators=(",", ":"))
        if name in FLEETING:
            if self.connected:
                self.client.publish(topic, body, qos=0)
            return
        self.spool.add(topic, body)
        self.wake.set()

    def run(self):
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda *_: self.stop())
        self.client.connect_async(self.options.broker, self.options.port, keepalive=15)
        self.client.loop_start()
        threading.Thread(target=self.send, daemon=True).start()
        threading.Thread(target=self.receive, daemon=True).start()
        while not self.stopping:
            time.sleep(0.2)
        self.client.publish(self.base + "/status", json.dumps({"status": "offline"}), qos=1, retain=True).wait_for_publish(1)
        self.client.disconnect()
        self.client.loop_stop()

    def stop(self):
        self.stopping = True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socket", help="where the Waymark service listens")
    parser.add_argument("--broker", default="localhost")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--username", help="the password is read from $MQTT_PASSWORD")
    parser.add_argument("--tls", action="store_true", help="encrypt; certificates of the system, or --ca")
    parser.add_argument("--ca", help="certificate authority of the broker (PEM)")
    parser.add_argument("--prefix", default="waymark")
    parser.add_argument("--device", default=socket.gethostname())
    parser.add_argument("--events", nargs="*", default=["scan.*", "anchor.*", "session.*", "annotation.*", "card.*", "camera.*"])
    parser.add_argument("--spool", default="waymark-mqtt.db", help="the file in which messages wait")
    parser.add_argument("--keep", type=int, default=100_000, help="messages kept at most")
    Bridge(parser.parse_args()).run()


if __name__ == "__main__":
    main()

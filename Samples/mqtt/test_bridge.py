#!/usr/bin/env python3
"""Tests the bridge against a real Mosquitto: nothing may be lost while the broker is away, or when the bridge is killed.

    test_bridge.py [--away 60]

Needs the Debian package mosquitto and paho-mqtt 2.x. A small stand-in plays the Waymark service, so that the events can be
counted: it numbers them.
"""
import argparse
import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import paho.mqtt.client as mqtt

BRIDGE = Path(__file__).resolve().parent / "bridge.py"


class Service(threading.Thread):
    """Speaks the beginning of the protocol and sends an event whenever told."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.clients, self.lock, self.sent, self.missed = [], threading.Lock(), [], []
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            client.sendall(b'{"event":"hello","protocol":1,"version":"test","instance":"one","role":"operator"}\n')
            request = json.loads(client.makefile("rb").readline())
            client.sendall(json.dumps({"id": request["id"], "result": {"instance": "one"}}).encode() + b"\n")
            with self.lock:
                self.clients = [client]

    def emit(self, number):
        line = json.dumps({"event": "scan.successful", "seq": number, "text": "code %d" % number}).encode() + b"\n"
        with self.lock:
            for client in list(self.clients):
                try:
                    client.sendall(line)
                    self.sent.append(number)
                except OSError:
                    self.clients.remove(client)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--away", type=float, default=60, help="seconds that the broker is away")
    options = parser.parse_args()
    mosquitto = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if not mosquitto:
        sys.exit("mosquitto is missing: apt-get install mosquitto")
    folder = Path(tempfile.mkdtemp(prefix="waymark-mqtt-"))
    port, path = free_port(), str(folder / "waymark.sock")
    (folder / "mosquitto.conf").write_text("listener %d 127.0.0.1\nallow_anonymous true\n" % port)
    processes = {}

    def start_broker():
        processes["broker"] = subprocess.Popen(
            [mosquitto, "-c", str(folder / "mosquitto.conf")], stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)

    def start_bridge():
        processes["bridge"] = subprocess.Popen(
            [sys.executable, str(BRIDGE), "--socket", path, "--broker", "127.0.0.1", "--port", str(port), "--device", "d1",
             "--spool", str(folder / "spool.db")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    received, statuses = [], []
    subscriber = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    subscriber.on_connect = lambda c, *_: c.subscribe("waymark/#", qos=1)
    subscriber.reconnect_delay_set(1, 1)

    def on_message(client, userdata, message):
        body = json.loads(message.payload)
        if message.topic == "waymark/d1/scan/successful":
            received.append((body["seq"], message.qos))
        elif message.topic == "waymark/d1/status":
            statuses.append(body["status"])

    subscriber.on_message = on_message

    def wait(condition, what, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                sys.exit("FAILED: %s" % what)
            time.sleep(0.05)

    def emit(count, gap=0.0):
        for _ in range(count):
            service.emit(len(service.sent))
            time.sleep(gap)

    def all_there():
        return {s for s, _ in received} == set(service.sent)

    try:
        service = Service(path)
        start_broker()
        subscriber.connect("127.0.0.1", port)
        subscriber.loop_start()
        start_bridge()
        wait(lambda: service.clients, "the bridge did not come to the service")
        emit(50)
        wait(all_there, "events were lost while all was well")
        print("all well: %d events arrived" % len(service.sent))

        processes["broker"].send_signal(signal.SIGKILL)
        processes["broker"].wait()
        begin = time.monotonic()
        while time.monotonic() - begin < options.away:
            emit(1, min(0.2, options.away / 50))
        start_broker()
        wait(all_there, "events were lost while the broker was away", 60)
        print("broker away for %.0f s: %d events arrived" % (options.away, len(service.sent)))

        # Killed with work in hand, and the broker away: what was taken stays on disk.
        processes["broker"].terminate()
        processes["broker"].wait()
        emit(100)
        time.sleep(1)
        processes["bridge"].send_signal(signal.SIGKILL)
        processes["bridge"].wait()
        start_broker()
        wait(lambda: subscriber.is_connected(), "the subscriber did not come back")
        time.sleep(1)
        start_bridge()
        wait(all_there, "events were lost when the bridge was killed", 60)
        print("bridge killed: %d events arrived" % len(service.sent))

        first = []
        for number, qos in received:
            assert qos == 1, "not QoS 1"
            if number not in first:
                first.append(number)
        assert first == sorted(first), "not in order"
        wait(lambda: "online" in statuses, "no status")
        processes["bridge"].terminate()
        wait(lambda: statuses[-1] == "offline", "no word at the end")
        print("PASSED: %d events, %d deliveries, in order, QoS 1" % (len(service.sent), len(received)))
    finally:
        for process in processes.values():
            if process.poll() is None:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

"""The bridge against real brokers: killed, away, refused, encrypted. Counts on both ends must be equal.

    test_bridge.py BRIDGE [--away SECONDS]

Prints a line for each part and ends with "N passed, N failed".
"""
import argparse
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from devices import Bridge, Broker, Consumer, Service, free_port, tool, wait


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certificates(folder):
    """An authority, the broker's certificate, a device's, and one that no authority signed."""
    for name, subject in [("ca", "/CN=authority"), ("stranger", "/CN=d3")]:
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", subject,
                "-keyout", folder / (name + ".key"), "-out", folder / (name + ".pem"))
    for name, subject in [("broker", "/CN=localhost"), ("device", "/CN=d3")]:
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
                "-keyout", folder / (name + ".key"), "-out", folder / (name + ".csr"))
        (folder / "names").write_text("subjectAltName=DNS:localhost\n")
        openssl("x509", "-req", "-days", "2", "-in", folder / (name + ".csr"), "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
                "-CAcreateserial", "-extfile", folder / "names", "-out", folder / (name + ".pem"))
    for file in folder.iterdir():
        file.chmod(0o644)


class Suite:
    def __init__(self, program, away):
        self.program, self.away = program, away
        self.folder = Path(tempfile.mkdtemp(prefix="waymark-bridge-"))
        self.folder.chmod(0o755)
        self.passed, self.failed, self.ends = 0, 0, []

    def part(self, name, body):
        begin = time.monotonic()
        try:
            body()
            self.passed += 1
            print("ok      %s (%.0f s)" % (name, time.monotonic() - begin), flush=True)
        except (SystemExit, AssertionError) as problem:
            self.failed += 1
            print("FAILED  %s: %s" % (name, problem), flush=True)
        finally:
            for end in reversed(self.ends):
                end()
            self.ends = []

    def device(self, name, configuration, prefix=()):
        path = str(self.folder / (name + ".sock"))
        service = Service(path)
        bridge = Bridge(self.program, self.folder, name, path, configuration, prefix)
        self.ends.append(lambda: bridge.stop(signal.SIGKILL))
        return service, bridge

    def broker(self, name, extra="", port=None):
        broker = Broker(self.folder, name, port or free_port(), extra)
        broker.start()
        self.ends.append(lambda: broker.stop(signal.SIGKILL))
        return broker

    def consumer(self, broker, *arguments):
        consumer = Consumer(["-h", "127.0.0.1", "-p", str(broker.port), *arguments])
        self.ends.append(consumer.stop)
        return consumer

    # The parts.

    def accidents(self):
        """One device through everything that can happen, in order."""
        broker = self.broker("b1")
        consumer = self.consumer(broker)
        service, bridge = self.device(
            "d1", "broker: { host: 127.0.0.1, port: %d }\ncommands: [scan.begin]" % broker.port)
        everything = lambda: consumer.events.get("d1", []) == list(range(1, service.emitted + 1))
        bridge.start()
        wait(lambda: service.client, "the bridge did not come to the service")
        service.emit(50)
        wait(everything, "events were lost while all was well")
        assert consumer.statuses["d1"][-1]["status"] == "online", consumer.statuses

        # A broker that is stopped keeps its sessions; from now on it is killed.
        broker.stop()
        broker.start()
        for _ in range(2):
            broker.stop(signal.SIGKILL)
            end = time.monotonic() + self.away
            while time.monotonic() < end:
                service.emit(20)
                time.sleep(0.1)
            broker.start()
            wait(everything, lambda: "events were lost while the broker was away: " + consumer.missing("d1", service))
        print("        broker killed twice, %d events" % service.emitted, flush=True)

        # Killed in the middle of a burst, with the broker there and with it away.
        for round in range(6):
            if round == 3:
                # Mosquitto acknowledges a message before it passes it on: what a killed one held is not the bridge's to lose.
                wait(everything, lambda: "events were lost when the bridge was killed: " + consumer.missing("d1", service))
                broker.stop(signal.SIGKILL)
            for _ in range(10):
                service.emit(40)
                time.sleep(0.005)
            bridge.stop(signal.SIGKILL)
            service.emit(25)
            if round == 4:
                broker.start()
            bridge.start()
            if round >= 4 or round < 3:
                wait(lambda: service.client, "the bridge did not come back")
        wait(everything, lambda: "events were lost when bridge and broker were killed: " + consumer.missing("d1", service))
        assert len(consumer.events["d1"]) == service.emitted
        print("        bridge killed six times, %d events, %d deliveries" % (service.emitted, consumer.deliveries), flush=True)

        # The bridge stands still with work in its hands; the broker publishes its last will, and sees it again.
        seen = len(consumer.statuses["d1"])
        bridge.process.send_signal(signal.SIGKILL)
        bridge.process.wait()
        wait(lambda: consumer.statuses["d1"][-1] == {"status": "offline"}, "no last will")
        bridge.start()
        wait(lambda: consumer.statuses["d1"][-1]["status"] == "online", "not seen again")
        assert len(consumer.statuses["d1"]) > seen

        # Commands: allowed, repeated, not allowed, retained.
        publish = lambda method, payload, *more: subprocess.run(
            [tool("mosquitto_pub"), "-h", "127.0.0.1", "-p", str(broker.port), "-q", "1", "-t", "waymark/d1/command/" + method, "-m",
             json.dumps(payload), *more], check=True)
        wait(lambda: service.client, "no service")
        publish("scan/begin", {"id": "c1", "mode": "barcode"})
        wait(lambda: consumer.replies, "no reply")
        publish("scan/begin", {"id": "c1", "mode": "barcode"})
        publish("scan/confirm", {"id": "c2"})
        wait(lambda: len(consumer.replies) == 2, "no refusal")
        assert consumer.replies[0] == {"id": "c1", "result": {"scan": "s1"}}, consumer.replies
        assert consumer.replies[1]["error"]["code"] == "notPermitted", consumer.replies
        assert len([r for r in service.requests if r["method"] == "scan.begin"]) == 1, service.requests

        bridge.stop()
        wait(lambda: consumer.statuses["d1"][-1].get("reason") == "stopped", "no word at the end")
        assert not consumer.faults, consumer.faults[:5]

    def home_assistant(self):
        """Home Assistant's discovery: the retained configurations, and what their templates make of the messages."""
        broker = self.broker("ha")
        consumer = self.consumer(broker)
        service, bridge = self.device(
            "d9", "broker: { host: 127.0.0.1, port: %d }\nhomeAssistant: { prefix: homeassistant }\n" % broker.port
            + "events: { scan.successful: [default, text] }")
        bridge.start()
        wait(lambda: consumer.statuses.get("d9", [{}])[-1].get("service") == "running", "the device is not there")

        def retained(topic, count):
            found = subprocess.run(
                [tool("mosquitto_sub"), "-h", "127.0.0.1", "-p", str(broker.port), "-t", topic, "-C", str(count), "-W", "20",
                 "--retained-only", "-F", "%t %r %p"], stdout=subprocess.PIPE, check=True, text=True).stdout
            lines = [line.split(" ", 2) for line in found.splitlines()]
            assert all(line[1] == "1" for line in lines), lines
            return {line[0]: json.loads(line[2]) for line in lines}

        # Exactly the keys that https://www.home-assistant.io/integrations/mqtt/, sensor.mqtt and binary_sensor.mqtt demand.
        common = {
            "name", "unique_id", "state_topic", "value_template", "availability_topic", "availability_template",
            "payload_available", "payload_not_available", "device", "origin", "icon", "json_attributes_topic", "force_update",
            "entity_category", "device_class"}
        keys = {"sensor": common | {"state_class", "unit_of_measurement"}, "binary_sensor": common | {"payload_on", "payload_off"}}
        entities = retained("homeassistant/#", 5)
        for topic, entity in entities.items():
            prefix, component, node, item, last = topic.split("/")
            assert (prefix, last) == ("homeassistant", "config"), topic
            assert re.fullmatch("[a-zA-Z0-9_-]+", node) and re.fullmatch("[a-zA-Z0-9_-]+", item), topic
            assert {"state_topic", "unique_id", "device", "origin"} <= set(entity) <= keys[component], (topic, set(entity))
            assert entity["device"]["identifiers"] and entity["origin"]["name"], entity
            assert entity["device"]["sw_version"] == "test", entity
            assert entity.get("entity_category", "diagnostic") in ("config", "diagnostic"), entity

        # Home Assistant reads templates with Jinja.
        import jinja2
        values = jinja2.Environment()
        state = lambda item, message: values.from_string(
            next(e for t, e in entities.items() if t.split("/")[3] == item)["value_template"]).render(value_json=message)
        status = retained("waymark/d9/status", 1)["waymark/d9/status"]
        available = entities["homeassistant/sensor/waymark_d9/last_code/config"]
        assert values.from_string(available["availability_template"]).render(value_json=status) == available["payload_available"]
        assert state("service", status) == "OFF" and state("service", {"status": "online", "service": "away"}) == "ON"
        assert state("waiting", status) == str(status["waiting"]) and state("waiting", {}) == "0"
        assert state("last_code", {"symbology": "qr", "kind": None}) == "qr"
        assert state("last_code", {"symbology": "qr", "kind": "wifi"}) == "wifi"
        assert state("last_code", {"symbology": "qr", "text": "x" * 300}) == "x" * 255
        assert state("camera", {"status": "streaming"}) == "streaming"
        assert state("camera_problem", {"status": "lost"}) == "ON" and state("camera_problem", {"status": "closed"}) == "OFF"

        # The broker loses its state: the device publishes it again by itself.
        broker.stop(signal.SIGKILL)
        for file in self.folder.glob("**/mosquitto.db"):
            file.unlink()
        seen = len(consumer.statuses["d9"])
        broker.start()
        # The status comes behind the configurations.
        wait(lambda: len(consumer.statuses["d9"]) > seen and consumer.statuses["d9"][-1].get("service") == "running", "it is not seen again")
        assert retained("homeassistant/#", 5) == entities
        bridge.stop()
        last = retained("waymark/d9/status", 1)["waymark/d9/status"]
        assert values.from_string(available["availability_template"]).render(value_json=last) == "offline"

    def bounded(self):
        """More than fits, while the broker is away: the oldest are dropped, and the bridge reports it."""
        port = free_port()
        service, bridge = self.device(
            "d2", "broker: { host: 127.0.0.1, port: %d }" % port)
        text = bridge.configuration.read_text()
        bridge.configuration.write_text(text.replace("store: {", "store: { events: 1000,"))
        bridge.start()
        wait(lambda: service.client, "the bridge did not come to the service")
        service.emit(5000)
        wait(lambda: stored(bridge) >= 5000, "the store did not take the events")
        broker = self.broker("b2", port=port)
        consumer = self.consumer(broker)
        wait(lambda: consumer.events.get("d2", [0])[-1] == 5000, "the newest event did not arrive")
        first = consumer.events["d2"][0]
        dropped = [fault for fault in consumer.faults if "bridge.dropped" in fault]
        assert 1000 <= 5001 - first <= 1100, first
        assert len(dropped) == 1 and "'count': %d" % (first - 1) in dropped[0], consumer.faults
        assert consumer.events["d2"] == list(range(first, 5001))

    def full(self):
        """A disk that is full: what the service has is fetched when there is room again, and the log has a line."""
        port, disk = free_port(), self.folder / "disk"
        disk.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
            print("        no disk can be mounted here", flush=True)
            return
        self.ends.append(lambda: subprocess.run(["umount", "-l", disk]))
        service, bridge = self.device("d5", "broker: { host: 127.0.0.1, port: %d }" % port)
        text = bridge.configuration.read_text()
        bridge.configuration.write_text(text.replace(str(bridge.folder / "store"), str(disk / "store")))
        bridge.start()
        wait(lambda: service.client, "the bridge did not come to the service")
        service.emit(10)
        with open(disk / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError:
                pass
        service.emit(6000)
        wait(lambda: "events wait at the service" in bridge.log(), "the store took everything: " + bridge.log())
        (disk / "filler").unlink()
        consumer = self.consumer(self.broker("b5", port=port))
        wait(lambda: consumer.events.get("d5", [0])[-1] == 6010, "not everything came: " + bridge.log(), 90)
        assert consumer.events["d5"] == list(range(1, 6011)) and not consumer.faults, consumer.faults
        assert bridge.log().count("events wait at the service") <= 2, bridge.log()

    def encrypted(self):
        """TLS with certificates on both sides, a password, MQTT 3.1.1 and 5; strangers stay outside."""
        folder = self.folder / "tls"
        folder.mkdir()
        certificates(folder)
        (folder / "users").touch()
        subprocess.run([tool("mosquitto_passwd"), "-b", folder / "users", "line-3", "word"], check=True, stderr=subprocess.DEVNULL)
        (folder / "users").chmod(0o644)
        (folder / "acl").write_text("user line-3\ntopic readwrite waymark/d3/#\n\nuser reader\ntopic read waymark/#\n")
        subprocess.run([tool("mosquitto_passwd"), "-b", folder / "users", "reader", "word"], check=True, stderr=subprocess.DEVNULL)
        port = free_port()
        broker = self.broker("b3", port=port, extra="""per_listener_settings false
listener %d 127.0.0.1
cafile %s/ca.pem
certfile %s/broker.pem
keyfile %s/broker.key
require_certificate true
allow_anonymous false
password_file %s/users
acl_file %s/acl""" % (port, folder, folder, folder, folder, folder))
        consumer = self.consumer(
            broker, "-h", "localhost", "--cafile", str(folder / "ca.pem"), "--cert", str(folder / "device.pem"), "--key",
            str(folder / "device.key"), "-u", "reader", "-P", "word")
        (folder / "password").write_text("word\n")
        (folder / "password").chmod(0o600)
        configuration = """
broker:
  host: %s
  port: %d
  version: %s
  username: line-3
  passwordFile: %s/password
  tls: { caFile: %s/ca.pem, certificateFile: %s/%s.pem, keyFile: %s/%s.key }
"""
        make = lambda host, version, who: configuration % (
            host, port, version, folder, folder, folder, who, folder, who)
        service, bridge = self.device("d3", make("localhost", "5", "device"))
        bridge.start()
        wait(lambda: service.client, "the bridge did not come to the service")
        service.emit(20)
        wait(lambda: len(consumer.events.get("d3", [])) == 20, "nothing came through TLS: " + bridge.log())
        # The same device by the older protocol.
        bridge.stop()
        text = bridge.configuration.read_text()
        bridge.configuration.write_text(text.replace("version: 5", "version: 3.1.1"))
        bridge.start()
        service.emit(20)
        wait(lambda: len(consumer.events.get("d3", [])) == 40, "nothing came by MQTT 3.1.1: " + bridge.log())
        bridge.stop()
        # An untrusted certificate, a broker of another name, a wrong password: nothing is sent, everything is kept.
        for change in [("device", "stranger"), ("localhost", "127.0.0.1"), ("username: line-3", "username: line-4")]:
            bridge.configuration.write_text(text.replace(change[0] + (".pem" if change[0] == "device" else ""),
                                                         change[1] + (".pem" if change[0] == "device" else "")))
            if change[0] == "device":
                bridge.configuration.write_text(bridge.configuration.read_text().replace("device.key", "stranger.key"))
            before = bridge.log().count("is away")
            bridge.start()
            wait(lambda: bridge.log().count("the broker is away") > before, "it was let in as %s: %s" % (change[1], bridge.log()))
            bridge.stop()
        service.emit(5)
        bridge.configuration.write_text(text)
        bridge.start()
        wait(lambda: len(consumer.events.get("d3", [])) == 45, "what was kept did not arrive: " + bridge.log())
        assert not consumer.faults, consumer.faults

    def cut(self):
        """A cable that is pulled, and slow for a while: in a network namespace of its own."""
        name, device = "wmb%d" % os.getpid(), "wmb%d" % (os.getpid() % 100000)
        run = lambda *arguments: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        run("ip", "netns", "add", name)
        self.ends.append(lambda: subprocess.run(["ip", "netns", "del", name]))
        run("ip", "link", "add", device, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "addr", "add", "10.213.77.1/30", "dev", device)
        run("ip", "link", "set", device, "up")
        inside = ["ip", "netns", "exec", name]
        run(*inside, "ip", "addr", "add", "10.213.77.2/30", "dev", "eth0")
        run(*inside, "ip", "link", "set", "eth0", "up")
        run(*inside, "ip", "link", "set", "lo", "up")
        port = free_port()
        broker = self.broker("b4", port=port, extra="listener %d 0.0.0.0\nallow_anonymous true" % port)
        consumer = self.consumer(broker)
        # The device lives in the namespace; the broker outside.
        service, bridge = self.device(
            "d4", "broker: { host: 10.213.77.1, port: %d, keepAlive: 5 }" % port, prefix=inside)
        everything = lambda: consumer.events.get("d4", []) == list(range(1, service.emitted + 1))
        bridge.start()
        wait(lambda: service.client, "the bridge did not come to the service")
        service.emit(100)
        wait(everything, "events were lost while all was well: " + bridge.log())
        # Pulled silently: both sides have to notice by themselves.
        run("ip", "link", "set", device, "down")
        for _ in range(int(self.away * 10)):
            service.emit(10)
            time.sleep(0.1)
        wait(lambda: "is away" in bridge.log(), "the silence was not noticed")
        run("ip", "link", "set", device, "up")
        wait(everything, "events were lost while the network was away")
        # With delay and losses where the kernel can, else through a narrow pipe.
        slow = any(
            subprocess.run(["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "eth0", "root", *kind],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
            for kind in (["netem", "delay", "150ms", "loss", "5%"],
                         ["tbf", "rate", "512kbit", "burst", "8kb", "latency", "400ms"]))
        service.emit(500)
        wait(everything, "events were lost over a slow network")
        print("        cut for %.0f s%s, %d events, %d deliveries" % (
            self.away, ", then slow" if slow else " (the kernel can slow nothing down)", service.emitted, consumer.deliveries), flush=True)
        assert not consumer.faults, consumer.faults


def stored(bridge):
    """The number of the newest event in a store, by a copy of its database, which the bridge has locked."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            for file in bridge.folder.joinpath("store").glob("events.db*"):
                shutil.copy(file, folder)
            database = sqlite3.connect(folder + "/events.db")
            number = database.execute("SELECT max(number) FROM event").fetchone()[0]
            database.close()
            return number or 0
        except (OSError, sqlite3.Error):
            return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bridge")
    parser.add_argument("--away", type=float, default=3)
    options = parser.parse_args()
    suite = Suite(options.bridge, options.away)
    skipped = 0
    try:
        suite.part("brokers and bridges killed, last will, commands", suite.accidents)
        suite.part("Home Assistant's discovery", suite.home_assistant)
        suite.part("a store that is full", suite.bounded)
        suite.part("a disk that is full", suite.full)
        suite.part("TLS on both sides, password, MQTT 3.1.1 and 5", suite.encrypted)
        if os.geteuid() == 0 and shutil.which("ip") and subprocess.run(
                ["ip", "netns", "add", "wmb-try"], stderr=subprocess.DEVNULL).returncode == 0:
            subprocess.run(["ip", "netns", "del", "wmb-try"])
            suite.part("a network that is cut and slow", suite.cut)
        else:
            skipped = 1
            print("skipped a network that is cut and slow: no network namespaces here", flush=True)
    finally:
        shutil.rmtree(suite.folder, ignore_errors=True)
    print("%d passed, %d failed" % (suite.passed, suite.failed))
    sys.exit(1 if suite.failed else 3 if skipped else 0)


if __name__ == "__main__":
    main()

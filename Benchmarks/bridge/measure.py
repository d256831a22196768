#!/usr/bin/env python3
"""Measures a fleet in small: N devices, each with a bridge and a service of its own that only emits events, an edge broker that
Mosquitto's own bridge joins to a central one, and a consumer behind that.

    Benchmarks/bridge/measure.py [--devices 200] [--events 500] [--outage 20] [BRIDGE]

In turn: all events at once (the rate that all of it can take), the edge broker away while events go on, a tenth of the bridges killed with
kill -9, the link between the brokers down. Counts on both ends must be equal after each. As root the devices stand in a network
namespace of their own, and the outage cuts their link; else the broker is killed. Needs mosquitto, mosquitto-clients.
"""
import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests/Support/bridge"))
from devices import Bridge, Broker, Consumer, Service, free_port, wait


def usage(process):
    """Processor seconds and resident kilobytes (private, shared) of a process."""
    fields = Path("/proc/%d/stat" % process.pid).read_text().rsplit(")", 1)[1].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    rollup = dict(line.split(":") for line in Path("/proc/%d/smaps_rollup" % process.pid).read_text().splitlines()[1:])
    private = sum(int(rollup[key].split()[0]) for key in ("Private_Clean", "Private_Dirty"))
    return seconds, private, int(rollup["Pss"].split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bridge", nargs="?", default=".build/release/waymark-bridge")
    parser.add_argument("--devices", type=int, default=200)
    parser.add_argument("--events", type=int, default=500, help="of each device, all at once")
    parser.add_argument("--outage", type=float, default=20)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    folder = Path(tempfile.mkdtemp(prefix="waymark-fleet-"))
    folder.chmod(0o755)
    namespace, inside, address = None, [], "127.0.0.1"
    run = lambda *arguments: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if os.geteuid() == 0 and shutil.which("ip"):
        name = "wmf%d" % (os.getpid() % 100000)
        if subprocess.run(["ip", "netns", "add", name], stderr=subprocess.DEVNULL).returncode == 0:
            namespace, address = name, "10.213.78.1"
            run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "addr", "add", address + "/24", "dev", name)
            run("ip", "link", "set", name, "up")
            inside = ["ip", "netns", "exec", name]
            run(*inside, "ip", "addr", "add", "10.213.78.2/24", "dev", "eth0")
            run(*inside, "ip", "link", "set", "eth0", "up")
            run(*inside, "ip", "link", "set", "lo", "up")
    central_port, edge_port = free_port(), free_port()
    central = Broker(folder, "central", central_port)
    edge = Broker(folder, "edge", edge_port, """listener %d 0.0.0.0
allow_anonymous true
connection centre
address 127.0.0.1:%d
remote_clientid edge
cleansession false
try_private true
bridge_protocol_version mqttv311
restart_timeout 1 3
topic waymark/# out 1""" % (edge_port, central_port))
    bridges, services, consumer = [], [], None
    try:
        central.start()
        consumer = Consumer(["-h", "127.0.0.1", "-p", str(central_port)])
        time.sleep(0.5)
        edge.start()
        # Sessions that outlive a kill are those that were saved: once in order, so that all subscriptions are.
        for broker in (central, edge):
            broker.stop()
            broker.start()
        begin = time.monotonic()
        for number in range(options.devices):
            path = str(folder / ("s%d" % number))
            services.append(Service(path))
            bridges.append(Bridge(
                options.bridge, folder, "device-%d" % number, path, "broker: { host: %s, port: %d, keepAlive: 5 }" % (address, edge_port), inside))
            bridges[-1].start()
        wait(lambda: all(service.client for service in services), "not all bridges came", 300)
        wait(lambda: len(consumer.statuses) == options.devices, "not all devices told their status", 300)
        print("%d devices there after %.1f s" % (options.devices, time.monotonic() - begin), flush=True)
        emitted = lambda: sum(service.emitted for service in services)
        equal = lambda: consumer.count() == emitted()

        def settle(what, begin, limit=600):
            wait(equal, "%s: %d emitted, %d arrived" % (what, emitted(), consumer.count()), limit)
            seconds = time.monotonic() - begin
            assert not consumer.faults, consumer.faults[:5]
            for number, service in enumerate(services):
                assert consumer.events["device-%d" % number] == list(range(1, service.emitted + 1)), number
            print("%-48s %7d events, %7d deliveries, equal after %.1f s" % (what, emitted(), consumer.deliveries, seconds), flush=True)

        before = [usage(bridge.process) for bridge in bridges]
        brokers = usage(edge.process)[0]
        begin = time.monotonic()
        for service in services:
            service.emit(options.events)
        settle("all at once", begin)
        first = min(time.monotonic() - begin, consumer.arrivals[-1] - begin)
        after = [usage(bridge.process) for bridge in bridges]
        count = options.devices * options.events
        print("  %.0f events a second through bridges, two brokers and consumer on this machine" % (count / first))
        print("  a bridge: %.3f ms of processor time an event, %.1f MB of its own (%.1f MB with its share of what is shared)" % (
            1000 * sum(a[0] - b[0] for a, b in zip(after, before)) / count, sum(a[1] for a in after) / len(after) / 1024,
            sum(a[2] for a in after) / len(after) / 1024))
        print("  the edge broker: %.3f ms an event" % (1000 * (usage(edge.process)[0] - brokers) / count), flush=True)

        def trickle(seconds):
            """An event a second of each device, as a busy scanner has."""
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for service in services:
                    service.emit()
                time.sleep(1)

        idle = [usage(bridge.process)[0] for bridge in bridges]
        begin = time.monotonic()
        trickle(10)
        settle("an event a second of each", begin)
        busy = [usage(bridge.process)[0] for bridge in bridges]
        print("  a bridge: %.2f %% of a core at an event a second" % (
            100 * sum(b - a for a, b in zip(idle, busy)) / len(bridges) / (time.monotonic() - begin)), flush=True)
        if namespace:
            run("ip", "link", "set", namespace, "down")
        else:
            edge.stop(signal.SIGKILL)
        trickle(options.outage)
        begin = time.monotonic()
        if namespace:
            run("ip", "link", "set", namespace, "up")
        else:
            edge.start()
        settle("%s away for %.0f s" % ("network" if namespace else "broker", options.outage), begin)
        edge.stop(signal.SIGKILL)
        trickle(5)
        begin = time.monotonic()
        edge.start()
        settle("edge broker killed", begin)
        begin = time.monotonic()
        for round in range(3):
            for bridge in bridges[round::10]:
                bridge.stop(signal.SIGKILL)
            for service in services:
                service.emit(5)
            for bridge in bridges[round::10]:
                bridge.start()
        settle("three in ten bridges killed with events on their way", begin)
        central.stop()
        trickle(5)
        begin = time.monotonic()
        central.start()
        settle("central broker away", begin)
    finally:
        for bridge in bridges:
            bridge.stop(signal.SIGKILL)
        if consumer:
            consumer.stop()
        edge.stop(signal.SIGKILL)
        central.stop(signal.SIGKILL)
        if namespace:
            subprocess.run(["ip", "netns", "del", namespace])
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

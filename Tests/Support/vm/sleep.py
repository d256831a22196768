#!/usr/bin/env python3
"""Sleeps under two services, one with sample frames and one with the kernel's test camera (`vivid`), and looks at what they do then.

Runs in the virtual machine, out of its memory; prints a line `RESULT: pass …` or `RESULT: FAIL …` for each check. How long a scan takes
is told and decides nothing: the machine is an emulated one.
"""
import json
import os
import socket
import subprocess
import time

WAYMARK = '/bin/waymark'
SECONDS_ASLEEP = 20
os.environ['HOME'] = '/tmp'


def verdict(fine, words):
    print('\nRESULT:', 'pass' if fine else 'FAIL', 'sleep: ' + words, flush=True)


class Client:
    """A connection to the service that stays."""

    def __init__(self, path):
        end = time.monotonic() + 90
        while True:
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(path)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        self.socket.settimeout(90)
        self.file = self.socket.makefile('r', encoding='utf-8')
        self.number, self.events = 0, []

    def next(self):
        line = self.file.readline()
        if not line:
            raise SystemExit('the service closed the connection')
        return json.loads(line)

    def ask(self, method, **params):
        self.number += 1
        request = {'id': self.number, 'method': method, 'params': params}
        self.socket.sendall((json.dumps(request) + '\n').encode())
        while True:
            message = self.next()
            if message.get('id') == self.number:
                if 'error' in message:
                    raise SystemExit(f'{method}: {message["error"]}')
                return message['result']
            self.events.append(message)

    def wait(self, event, scan):
        while True:
            for index, message in enumerate(self.events):
                if message.get('event') == event and message.get('scan', message.get('params', {}).get('scan')) == scan:
                    return self.events.pop(index)
            self.events.append(self.next())


def scan(client):
    """Seconds from the request to the answer of an onboarding code on the sample frames."""
    client.events.clear()
    start = time.clock_gettime(time.CLOCK_BOOTTIME)
    begun = client.ask('scan.begin', mode='onboarding', timeout=60)
    client.wait('scan.successful', begun['scan'])
    seconds = time.clock_gettime(time.CLOCK_BOOTTIME) - start
    client.ask('scan.cancel')
    return seconds


def frames(client):
    """How many frames the service's camera has delivered."""
    return client.ask('status')['statistics']['frames']['captured']


def sleep(seconds):
    alarm = '/sys/class/rtc/rtc0/wakealarm'
    for value in ('0', f'+{seconds}'):
        with open(alarm, 'w') as file:
            file.write(value)
    monotonic, boot = time.monotonic(), time.clock_gettime(time.CLOCK_BOOTTIME)
    with open('/sys/power/state', 'w') as file:
        file.write('mem')
    awake = time.monotonic() - monotonic
    return time.clock_gettime(time.CLOCK_BOOTTIME) - boot - awake


def serve(name, *options):
    path = f'/tmp/{name}'
    process = subprocess.Popen([WAYMARK, 'serve', '--socket', path, '--log-level', 'notice', *options])
    return process, path


samples, samples_path = serve('samples', '--source', '/frames', '--source-onboarding')
camera, camera_path = serve('camera', '--camera', '/dev/video0')
client, watcher, held = Client(samples_path), Client(samples_path), Client(camera_path)
watcher.ask('subscribe', events=['scan.*', 'server.*'])
client.ask('subscribe', events=['scan.*'])
# The first scan also starts what reads; later ones find it there.
scan(client)
before = min(scan(client) for _ in range(3))
held.ask('subscribe', events=['camera.*'])
held.ask('codes.follow')
end = time.monotonic() + 90
while frames(held) == 0 and time.monotonic() < end:
    time.sleep(0.2)
seen = frames(held)
verdict(seen > 0, f'the camera runs before it: {seen} frames')

asleep = sleep(SECONDS_ASLEEP)
woken = time.monotonic()
verdict(asleep > SECONDS_ASLEEP / 2, f'the machine slept for {asleep:.1f} s')
client.ask('ping')
verdict(True, 'the same connection answers')
after = scan(client)
verdict(True, f'a code is read in {after:.2f} s, {before:.2f} s before')
seen = frames(held)
while frames(held) <= seen + 2 and time.monotonic() < woken + 90:
    time.sleep(0.1)
verdict(frames(held) > seen + 2, f'the camera goes on, {time.monotonic() - woken:.1f} s after waking at the latest')

# The network sets the clock once it is there again.
time.clock_settime(time.CLOCK_REALTIME, time.time() + 3 * 3600)
forward = scan(client)
verdict(True, f'a code is read with the clock three hours on: {forward:.2f} s')
time.clock_settime(time.CLOCK_REALTIME, time.time() - 6 * 3600)
backward = scan(client)
verdict(True, f'a code is read with the clock three hours back: {backward:.2f} s')
watcher.ask('ping')
scans = sum(message.get('event') == 'scan.successful' for message in watcher.events)
verdict(scans >= 7, f'a client that listened all the while missed nothing: {scans} verdicts')
verdict(samples.poll() is None and camera.poll() is None, 'both services are the same processes')
for process in (samples, camera):
    process.terminate()
    verdict(process.wait(timeout=60) == 0, 'and end when they are asked to')
print('\nRESULT: end', flush=True)

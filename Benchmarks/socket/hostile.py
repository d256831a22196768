#!/usr/bin/env python3
"""Measures how much hostile clients take from well-behaved ones: 200 connections of an observer and 20 of each of two operators do their
worst while a client waits for verdicts, and a third operator has pictures scanned. Standard library, qrencode, root (the attackers are
other users).

  Benchmarks/socket/hostile.py [--seconds N | --events N] [--strict] [--write] [WAYMARK]

Prints a line of JSON: verdicts, their time from capture to client, pings, and the largest resident memory of the daemon. Ends with 1 when
the daemon took more than 128 MiB, ended, left a ping without an answer, or refused a picture of the third operator; with --strict also when a verdict in a hundred took over 100 ms.
With --write it puts the figures into docs/benchmarks.md. With --events it lasts until the client has N verdicts and N answers and a tenth
as many pictures were scanned, however long that takes: what a test asks for, which no busy computer may fail.
"""
import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..'))
OBSERVER, OPERATOR, SECOND, THIRD = 64001, 64002, 64003, 64004
OBSERVERS, OPERATORS = 200, 20
MEMORY = 128 << 20


def become(user):
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


class Attacker:
    """One connection; `kind` says what it does again and again. It sends what goes without waiting, and reads little or nothing."""

    def __init__(self, path, kind):
        self.path, self.kind, self.link, self.waiting = path, kind, None, b''

    def connect(self):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.setblocking(False)
        try:
            self.link.connect(self.path)
        except OSError:
            self.close()
            return False
        self.waiting = self.first()
        return True

    def close(self):
        if self.link:
            self.link.close()
        self.link = None

    def first(self):
        if self.kind in ('events', 'slow'):
            return b'{"id":1,"method":"subscribe","params":{"events":["*","statistics"]}}\n'
        if self.kind == 'body':
            return b'{"id":1,"method":"scan.picture","params":{"size":16777216}}\n' + b'x' * 100_000
        if self.kind == 'watch':
            return b'{"id":1,"method":"media.preview"}\n'
        return b''

    def more(self):
        """What it sends when everything before has gone."""
        if self.kind in ('ping', 'status', 'camera.list', 'subscribe', 'scan.picture', 'gallery.list'):
            return b'{"id":1,"method":"%s","params":{"size":4000000}}\n' % self.kind.encode() * 200
        if self.kind == 'slow':
            return b'{"id":1,"method":"status"}\n' * 50
        if self.kind == 'noise':
            return os.urandom(3000).replace(b'\n', b'') + b'\n' + b'\n' * 2000
        if self.kind == 'lines':
            return b'{"id":1,"method":"ping","params":{"x":[' + b'1,' * 30_000 + b'1]}}\n'
        if self.kind == 'body':
            return b'x' * 100_000
        return b''

    def step(self):
        if self.link is None:
            return
        if self.kind in ('churn',) or (self.kind == 'noise' and random.random() < 0.01):
            return self.close()
        try:
            if not self.waiting:
                self.waiting = self.more()
            if self.waiting:
                self.waiting = self.waiting[self.link.send(self.waiting):]
            if self.kind == 'slow':
                self.link.recv(2000)
            if self.kind == 'camera.list':
                self.link.recv(65536)
        except BlockingIOError:
            pass
        except OSError:
            self.close()


def attack(path, user, count, kinds, until):
    """Runs in a process of its own."""
    become(user)
    crowd = [Attacker(path, kinds[place % len(kinds)]) for place in range(count)]
    while time.monotonic() < until:
        for one in crowd:
            if one.link is None and not one.connect():
                continue
            one.step()
        time.sleep(0.005)
    os._exit(0)


def send_pictures(path, user, picture, until, most, out):
    """Has at most so many pictures scanned, one every half a second, in a process of its own; writes how many were scanned, and the
    refusals."""
    become(user)
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(60)
    link.connect(path)
    answers, scanned, refused = link.makefile('rb'), 0, []
    answers.readline()
    while time.monotonic() < until and scanned < most and len(refused) < most:
        link.sendall(b'{"id":7,"method":"scan.picture","params":{"size":%d,"mode":"barcode"}}\n' % len(picture) + picture)
        while True:
            line = answers.readline()
            if not line:
                refused.append('closed')
                break
            answer = json.loads(line)
            if answer.get('id') == 7:
                scanned += 'result' in answer
                refused += [answer['error']['code']] if 'error' in answer else []
                break
        if refused[-1:] == ['closed']:
            break
        time.sleep(0.5)
    os.write(out, json.dumps({'scanned': scanned, 'refused': refused[:20]}).encode())
    os._exit(0)


class Client:
    """The well-behaved one: verdicts as they come, and a ping ten times a second."""

    def __init__(self, path):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(20)
        self.link.connect(path)
        self.input = self.link.makefile('rb')
        self.late, self.pings, self.asked, self.dropped = [], [], {}, 0
        self.input.readline()
        self.link.sendall(b'{"id":0,"method":"subscribe","params":{"events":["scan.successful"]}}\n')
        self.input.readline()

    def listen(self):
        for line in self.input:
            now, message = time.monotonic(), json.loads(line)
            if message.get('event') == 'scan.successful' and 'frame' in message:
                self.late.append(now - message['frame']['captured'])
            elif message.get('event') == 'stream.dropped':
                self.dropped += message['count']
            elif message.get('id') in self.asked:
                self.pings.append(now - self.asked.pop(message['id']))

    def run(self, seconds, events):
        threading.Thread(target=self.listen, daemon=True).start()
        end, number = time.monotonic() + seconds, 1
        while time.monotonic() < end and min(len(self.late), len(self.pings)) < events:
            self.asked[number] = time.monotonic()
            self.link.sendall(b'{"id":%d,"method":"ping"}\n' % number)
            number += 1
            time.sleep(0.1)
        patience = time.monotonic() + 20
        while self.asked and time.monotonic() < patience:
            time.sleep(0.05)


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else float('inf')


def peak(pid):
    for line in open(f'/proc/{pid}/status'):
        if line.startswith('VmHWM'):
            return int(line.split()[1]) << 10
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seconds', type=float, default=120)
    parser.add_argument('--events', type=int, help='end after so many verdicts and answers')
    parser.add_argument('--strict', action='store_true')
    parser.add_argument('--write', action='store_true', help='put the figures into docs/benchmarks.md')
    parser.add_argument('waymark', nargs='?', default=os.path.join(TOP, '.build', 'release', 'waymark'))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='wm-', dir='/tmp') as folder:
        os.chmod(folder, 0o755)
        frames = os.path.join(folder, 'frames')
        os.mkdir(frames)
        for number in range(2):
            subprocess.run(['qrencode', '-s', '6', '-m', '8', '-o', f'{frames}/{number}.png', f'verdict number {number}'], check=True)
        path, file = os.path.join(folder, 's.sock'), os.path.join(folder, 'waymark.yaml')
        with open(file, 'w') as output:
            json.dump({'socket': {'mode': '0666'}, 'scan': {'autoBegin': 'barcode', 'newAfter': 0},
                       'roles': {'observers': {'users': [str(OBSERVER)]}, 'operators': {'users': [str(OPERATOR), str(SECOND), str(THIRD)]}},
                       'gallery': {'folders': [frames]}}, output)
        log = open(os.path.join(folder, 'log'), 'wb')
        daemon = subprocess.Popen([options.waymark, 'serve', '--config', file, '--socket', path, '--source', frames, '--rate', '10'],
                                  stderr=log)
        attackers = []
        try:
            patience = time.monotonic() + 60
            while True:
                try:
                    client = Client(path)
                    break
                except OSError:
                    if daemon.poll() is not None or time.monotonic() > patience:
                        sys.exit(open(log.name).read())
                    time.sleep(0.05)
            # What ends after so many events is given up after two minutes and a half without them.
            seconds, events, most = (150, options.events, max(1, options.events // 10)) if options.events else (options.seconds, float('inf'), float('inf'))
            until = time.monotonic() + seconds
            for user, count, kinds in (
                    (OBSERVER, OBSERVERS // 2, ['ping', 'status', 'events', 'slow', 'lines']),
                    (OBSERVER, OBSERVERS // 2, ['camera.list', 'subscribe', 'noise', 'churn', 'idle']),
                    (OPERATOR, OPERATORS, ['body', 'watch', 'scan.picture', 'gallery.list', 'status']),
                    (SECOND, OPERATORS, ['body', 'scan.picture'])):
                pid = os.fork()
                if pid == 0:
                    attack(path, user, count, kinds, until)
                attackers.append(pid)
            answers, out = os.pipe()
            pid = os.fork()
            if pid == 0:
                with open(f'{frames}/0.png', 'rb') as file:
                    send_pictures(path, THIRD, file.read(), until, most, out)
            attackers.append(pid)
            os.close(out)
            client.run(seconds, events)
            pictures = json.loads(os.read(answers, 65536) or b'{"scanned": 0, "refused": ["no answer"]}')
            lives = daemon.poll() is None
            found = {
                'verdicts': len(client.late), 'median': share(client.late, 0.5), 'p99': share(client.late, 0.99),
                'most': max(client.late, default=float('inf')), 'pings': len(client.pings), 'unanswered': len(client.asked),
                'pingP99': share(client.pings, 0.99), 'dropped': client.dropped, 'memory': peak(daemon.pid) if lives else None,
                'pictures': pictures['scanned'], 'refused': pictures['refused'], 'lines': open(log.name, 'rb').read().count(b'\n'), 'lives': lives}
        finally:
            for pid in attackers:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                os.waitpid(pid, 0)
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
    print(json.dumps(found))
    if options.write and found['lives']:
        sys.path.insert(0, os.path.join(TOP, 'Benchmarks'))
        import written
        written.write('benchmarks.md', 'hostile', [
            '| of a client that behaves | measured |', '|---|---|',
            f'| verdicts, of which dropped | {found["verdicts"]}, {found["dropped"]} |',
            f'| frame captured to verdict: median, 99th percentile, most | {found["median"] * 1000:.0f} ms, {found["p99"] * 1000:.0f} ms, {found["most"] * 1000:.0f} ms |',
            f'| pings, unanswered; 99th percentile | {found["pings"]}, {found["unanswered"]}; {found["pingP99"] * 1000:.0f} ms |',
            f'| pictures of a third operator: scanned, refused | {found["pictures"]}, {len(found["refused"])} |',
            f'| memory of the daemon, most | {found["memory"] / (1 << 20):.0f} MiB |',
            f'| lines that it logged | {found["lines"]:,} |'])
    holds = found['lives'] and found['memory'] <= MEMORY and not found['unanswered'] and found['verdicts'] and not found['dropped']
    holds = holds and found['pictures'] and not found['refused']
    if options.events:
        holds = holds and min(found['verdicts'], found['pings']) >= options.events and found['pictures'] == most
    sys.exit(0 if holds and (not options.strict or found['p99'] <= 0.1) else 1)


if __name__ == '__main__':
    main()

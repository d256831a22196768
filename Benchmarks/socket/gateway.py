#!/usr/bin/env python3
"""Measures how much a client with an observer's token takes from operators at the gateway: it opens 25 slow bodies of 16 MB, 64 sessions,
256 streams of events, 32 WebSockets and as many idle connections as it gets, again and again, while two operators send requests, open
sessions, streams and WebSockets, and have pictures scanned. Standard library.

  Benchmarks/socket/gateway.py [--seconds N] [--strict] [WAYMARK [GATEWAY]]
  Benchmarks/socket/gateway.py --address HOST:PORT --operator FILE --other FILE --observer FILE

Starts a service on sample frames and a gateway, or takes the address of one that runs, with the files of two operators' tokens and of an
observer's. Prints a line of JSON: for each kind of request of the operators how many were sent and refused, and the 99th percentile of
their time. Ends with 1 if one was refused or not answered; with --strict also if a request in a hundred took over a second.
"""
import argparse
import base64
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..'))
TOKENS = {'operator': 'an-operators-token-0123', 'other': 'another-operators-token', 'observer': 'an-observers-token-4567'}
BODIES, SESSIONS, STREAMS, SOCKETS, IDLE = 25, 64, 256, 32, 200


class Address:
    """Where the gateway listens, and the token of a client."""

    def __init__(self, host, port, token):
        self.host, self.port, self.token = host, port, token

    def head(self, verb, target, headers=()):
        lines = ['%s %s HTTP/1.1' % (verb, target), 'Host: %s:%d' % (self.host, self.port), 'Authorization: Bearer ' + self.token]
        return ('\r\n'.join(lines + ['%s: %s' % pair for pair in headers]) + '\r\n\r\n').encode()

    def connect(self):
        return socket.create_connection((self.host, self.port), 20)

    def exchange(self, verb, target, headers=(), body=b''):
        """One request on a connection of its own; its status, 0 without an answer."""
        if verb == 'POST':
            headers = [*headers, ('Content-Length', len(body))]
        try:
            with self.connect() as link:
                link.sendall(self.head(verb, target, headers) + body)
                return status(link)
        except OSError:
            return 0


def status(link):
    """The status of an answer whose head has come, 0 without one."""
    data = b''
    while b'\r\n\r\n' not in data:
        piece = link.recv(4096)
        if not piece:
            return 0
        data += piece
    return int(data.split(None, 2)[1])


UPGRADE = [('Upgrade', 'websocket'), ('Connection', 'Upgrade'), ('Sec-WebSocket-Version', 13)]
JSON = ('Content-Type', 'application/json')


def key():
    return ('Sec-WebSocket-Key', base64.b64encode(os.urandom(16)).decode())


class Attack:
    """Connections of one token that hold what they get; those that end are opened again."""

    def __init__(self, address):
        picture, size = ('Content-Type', 'image/jpeg'), ('Content-Length', 16 << 20)
        one = address
        kinds = [('bodies', BODIES, lambda n: one.head('POST', '/v1/scan.picture?mode=barcode', [picture, size])),
                 ('parameters', BODIES, lambda n: one.head('POST', '/v1/ping', [JSON, ('Content-Length', 60 << 10)])),
                 ('sessions', SESSIONS, lambda n: one.head('POST', '/v1/ping', [JSON, ('Waymark-Session', 's%d' % n), ('Content-Length', 2)]) + b'{}'),
                 ('streams', STREAMS, lambda n: one.head('GET', '/v1/events')),
                 ('sockets', SOCKETS, lambda n: one.head('GET', '/v1/socket', [*UPGRADE, key()])),
                 ('idle', IDLE, lambda n: one.head('GET', '/v1/openapi.json'))]
        self.address, self.opened, self.ended = address, 0, False
        self.wanted = [(kind, make, number) for kind, count, make in kinds for number in range(count)]
        self.links = {}
        self.selector = selectors.DefaultSelector()
        threading.Thread(target=self.run, daemon=True).start()

    def open(self, place):
        kind, make, number = self.wanted[place]
        try:
            link = self.address.connect()
            link.sendall(make(number))
        except OSError:
            return
        link.setblocking(False)
        self.opened += 1
        self.links[place] = link
        self.selector.register(link, selectors.EVENT_READ, place)

    def drop(self, place):
        link = self.links.pop(place)
        self.selector.unregister(link)
        link.close()

    def run(self):
        last = time.monotonic()
        while not self.ended:
            for place in [place for place in range(len(self.wanted)) if place not in self.links][:20]:
                self.open(place)
            for selected, _ in self.selector.select(0.05):
                try:
                    if not selected.fileobj.recv(65536):
                        self.drop(selected.data)
                except BlockingIOError:
                    pass
                except OSError:
                    self.drop(selected.data)
            # A byte of each body every two seconds.
            if time.monotonic() < last + 2:
                continue
            last = time.monotonic()
            for place in list(self.links):
                if self.wanted[place][0] in ('bodies', 'parameters'):
                    try:
                        self.links[place].send(b' ')
                    except OSError:
                        self.drop(place)


class Operator:
    """A client that behaves: one request after another, each on a connection of its own."""

    def __init__(self, address, picture, until):
        self.address, self.picture, self.until = address, picture, until
        self.times, self.refused = {}, {}
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        ask, number = self.address.exchange, 0
        while time.monotonic() < self.until:
            number += 1
            session = ('Waymark-Session', 'own%d' % (number % 4))
            for kind, call in (
                    ('request', lambda: ask('POST', '/v1/status', [JSON], b'{}')), ('state', lambda: ask('GET', '/v1/state')),
                    ('session', lambda: ask('POST', '/v1/ping', [JSON, session], b'{}')), ('stream', lambda: ask('GET', '/v1/events')),
                    ('socket', lambda: ask('GET', '/v1/socket', [*UPGRADE, key()])),
                    ('picture', lambda: ask('POST', '/v1/scan.picture?mode=barcode', [('Content-Type', 'image/jpeg')], self.picture)),
                    ('snapshot', lambda: ask('POST', '/v1/media.snapshot', [JSON], b'{}'))):
                begin = time.monotonic()
                answer = call()
                self.times.setdefault(kind, []).append(time.monotonic() - begin)
                if answer not in (200, 101):
                    codes = self.refused.setdefault(kind, {})
                    codes[answer] = codes.get(answer, 0) + 1
            time.sleep(0.05)


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else float('inf')


def start(folder, waymark, gateway):
    """Starts both programs; gives them and the port of the gateway."""
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        port = one.getsockname()[1]
    for name, token in TOKENS.items():
        with open(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT, 0o600), 'w') as file:
            file.write(token + '\n')
    path, file = os.path.join(folder, 's.sock'), os.path.join(folder, 'gateway.yaml')
    with open(file, 'w') as output:
        json.dump({'listen': ['127.0.0.1:%d' % port], 'store': {'folder': os.path.join(folder, 'store')}, 'tokens': {
            name: {'file': os.path.join(folder, name), 'role': 'observer' if name == 'observer' else 'operator'} for name in TOKENS}}, output)
    log = open(os.path.join(folder, 'log'), 'ab')
    programs = [
        subprocess.Popen([waymark, 'serve', '--source', os.path.join(TOP, 'Samples', 'frames'), '--socket', path, '--log-level', 'error'], stderr=log),
        subprocess.Popen([gateway, '--config', file, '--socket', path], stderr=log)]
    return programs, port


def main():
    release = os.path.join(TOP, '.build', 'release')
    parser = argparse.ArgumentParser()
    parser.add_argument('--seconds', type=float, default=30)
    parser.add_argument('--strict', action='store_true')
    parser.add_argument('--address', help='of a gateway that runs: HOST:PORT')
    for name in TOKENS:
        parser.add_argument('--' + name, metavar='FILE', help='the token')
    parser.add_argument('waymark', nargs='?', default=os.path.join(release, 'waymark'))
    parser.add_argument('gateway', nargs='?', default=os.path.join(release, 'waymark-gateway'))
    options = parser.parse_args()
    with open(os.path.join(TOP, 'Samples', 'frames', '020.jpg'), 'rb') as file:
        picture = file.read()
    with tempfile.TemporaryDirectory(prefix='wm-', dir='/tmp') as folder:
        programs, tokens = [], dict(TOKENS)
        if options.address:
            host, _, port = options.address.rpartition(':')
            for name in TOKENS:
                with open(getattr(options, name)) as file:
                    tokens[name] = file.readline().strip()
        else:
            host = '127.0.0.1'
            programs, port = start(folder, options.waymark, options.gateway)
        addresses = {name: Address(host, int(port), token) for name, token in tokens.items()}
        try:
            patience = time.monotonic() + 60
            while addresses['operator'].exchange('GET', '/v1/state') != 200:
                if time.monotonic() > patience or any(one.poll() is not None for one in programs):
                    sys.exit('there is no gateway' + (': ' + open(os.path.join(folder, 'log')).read() if programs else ''))
                time.sleep(0.1)
            attack = Attack(addresses['observer'])
            time.sleep(3)
            until = time.monotonic() + options.seconds
            operators = [Operator(addresses[name], picture, until) for name in ('operator', 'other')]
            for one in operators:
                one.thread.join(options.seconds + 120)
            attack.ended = True
            lives = all(one.poll() is None for one in programs)
        finally:
            for one in programs:
                one.terminate()
            for one in programs:
                try:
                    one.wait(20)
                except subprocess.TimeoutExpired:
                    one.kill()
    found, everything, refused = {}, [], 0
    for kind in operators[0].times:
        times = [value for one in operators for value in one.times.get(kind, [])]
        codes = {}
        for one in operators:
            for code, count in one.refused.get(kind, {}).items():
                codes[code] = codes.get(code, 0) + count
        found[kind] = {'sent': len(times), 'refused': codes, 'p99': round(share(times, 0.99), 3)}
        everything += times
        refused += sum(codes.values())
    p99 = share(everything, 0.99)
    print(json.dumps({'sent': len(everything), 'refused': refused, 'p99': round(p99, 3), 'attackers': attack.opened, 'lives': lives, 'kinds': found}))
    sys.exit(0 if lives and everything and not refused and (not options.strict or p99 <= 1) else 1)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Runs the service with all lanes on frames that were drawn to cost as much as possible. See Scripts/hostile-lanes."""
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

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SIZES = [(640, 480), (1920, 1080)]
# Seconds between two signs of life, between a ping and its answer, and the latter with --strict.
WATCHDOG, PING, STRICT = 5.0, 1.0, 0.1
DARK, LIGHT = 20, 235


# A tile is a list of rows of booleans: dark or light modules.

def noise(random, width, height):
    return [[random.random() < 0.5 for _ in range(width)] for _ in range(height)]


def finder(tile, x, y):
    """The finder pattern of QR codes, with its separator."""
    for v in range(-1, 8):
        for u in range(-1, 8):
            if 0 <= y + v < len(tile) and 0 <= x + u < len(tile[0]):
                ring = max(abs(u - 3), abs(v - 3))
                tile[y + v][x + u] = ring in (0, 1, 3)


def quiet(tile, modules):
    width = len(tile[0]) + modules
    return [row + [False] * modules for row in tile] + [[False] * width for _ in range(modules)]


def micro_qr(random):
    side = random.choice([11, 13, 15, 17])
    tile = noise(random, side, side)
    finder(tile, 0, 0)
    for i in range(8, side):
        tile[0][i] = tile[i][0] = i % 2 == 0
    return quiet(tile, 2)


def qr(random):
    tile = noise(random, 21, 21)
    for x, y in ((0, 0), (14, 0), (0, 14)):
        finder(tile, x, y)
    for i in range(8, 13):
        tile[6][i] = tile[i][6] = i % 2 == 0
    return quiet(tile, 4)


def finders(random):
    tile = noise(random, 9, 9)
    finder(tile, 1, 1)
    return tile


def data_matrix(random):
    side = random.choice([10, 12, 14, 18])
    tile = noise(random, side, side)
    for i in range(side):
        tile[i][0] = tile[side - 1][i] = True
        tile[0][i] = i % 2 == 0
        tile[i][side - 1] = i % 2 == 1
    return quiet(tile, 1)


def aztec(random):
    tile = noise(random, 15, 15)
    for y in range(3, 12):
        for x in range(3, 12):
            tile[y][x] = max(abs(x - 7), abs(y - 7)) % 2 == 0
    return quiet(tile, 1)


def rings(random):
    return [[int(((x - 12) ** 2 + (y - 12) ** 2) ** 0.5 / 2) % 2 == 0 for x in range(25)] for y in range(25)]


def bars(random):
    row = []
    while len(row) < 300:
        row += [len(row) % 2 == 0] * random.randint(1, 4)
    return [row]


def stacked(random):
    """Rows as of PDF417: the start pattern, codewords, the stop pattern."""
    rows = []
    for _ in range(12):
        row, dark = [], True
        for width in [8, 1, 1, 1, 1, 1, 1, 3] + [random.randint(1, 4) for _ in range(32)] + [7, 1, 1, 3, 1, 1, 1, 2, 1]:
            row += [dark] * width
            dark = not dark
        rows += [row + [False] * 4] * 3
    return rows + [[False] * len(rows[0])] * 3


def letters(random):
    """Lines of random shapes of five by seven modules."""
    rows = [[False] * 240 for _ in range(10)]
    for place in range(40):
        if place % 7 != 6:
            for y in range(7):
                for x in range(5):
                    rows[1 + y][6 * place + x] = random.random() < 0.5
    return rows


def sheets(random):
    """Light rectangles on a dark ground: pages."""
    width, height = random.randint(20, 60), random.randint(20, 60)
    return [[not (3 < x < width - 3 and 3 < y < height - 3) for x in range(width)] for y in range(height)]


def checks(random):
    period = random.randint(1, 3)
    return [[(x // period + y // period) % 2 == 0 for x in range(2 * period)] for y in range(2 * period)]


def blocks(random):
    return noise(random, 97, 89)


KINDS = [micro_qr, qr, finders, data_matrix, aztec, rings, bars, stacked, letters, sheets, checks, blocks]


def picture(kind, random, width, height):
    """A portable graymap of tiles, or of noise."""
    if kind is None:
        body = random.randbytes(width * height)
    else:
        tile, module = kind(random), random.choice([1, 2, 2, 3, 4])
        rows = []
        for row in tile:
            line = b''.join(bytes([DARK if dark else LIGHT]) * module for dark in row)
            rows += [(line * (width // len(line) + 1))[:width]] * module
        body = b''.join(rows[y % len(rows)] for y in range(height))
    return b'P5\n%d %d\n255\n' % (width, height) + body


class Watchdog(threading.Thread):
    """Listens on the socket on which the service notifies systemd."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.signs = []
        self.start()

    def run(self):
        while True:
            if b'WATCHDOG=1' in self.socket.recv(4096):
                self.signs.append(time.monotonic())


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.file, self.number = self.socket.makefile('rb'), 0
        self.file.readline()

    def ask(self, method, **params):
        self.number += 1
        self.socket.sendall(json.dumps({'id': self.number, 'method': method, 'params': params}).encode() + b'\n')
        while True:
            line = self.file.readline()
            if not line:
                raise EOFError('the service closed the connection')
            answer = json.loads(line)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise ValueError(f'{method}: {answer["error"]["message"]}')
                return answer['result']


def drain(client):
    """Reads and forgets what comes: events, or pictures."""
    def loop():
        try:
            client.socket.settimeout(None)
            while client.socket.recv(1 << 20):
                pass
        except OSError:
            pass
    threading.Thread(target=loop, daemon=True).start()


def first(path, service, log):
    end = time.monotonic() + 60
    while service.poll() is None and time.monotonic() < end:
        try:
            return Client(path)
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.02)
    sys.exit('the service does not start\n' + open(log).read()[-2000:])


def show(program, library, width, height, frames, rate):
    """Plays hostile frames of one size; what was measured."""
    with tempfile.TemporaryDirectory(prefix='wm-', dir='/tmp') as folder:
        os.mkdir(f'{folder}/frames')
        kinds = KINDS + [None]
        for number in range(frames):
            # All of one kind come one after another: followers and voters see them again.
            kind = kinds[number * len(kinds) // frames]
            with open(f'{folder}/frames/{number:04}.pgm', 'wb') as file:
                file.write(picture(kind, random.Random(number), width, height))
        with open(f'{folder}/waymark.yaml', 'w') as file:
            json.dump({'anchors': {'library': library}, 'documents': {'folder': f'{folder}/documents'}}, file)
        watchdog = Watchdog(f'{folder}/notify')
        environment = dict(os.environ, NOTIFY_SOCKET=f'{folder}/notify', WATCHDOG_USEC='20000000')
        path, log = f'{folder}/s.sock', f'{folder}/log'
        service = subprocess.Popen(
            [program, 'serve', '--config', f'{folder}/waymark.yaml', '--socket', path, '--source', f'{folder}/frames',
             '--rate', str(rate)], stderr=open(log, 'wb'), env=environment)
        try:
            user, viewer, pinger = first(path, service, log), Client(path), Client(path)
            began = time.monotonic()
            viewer.socket.sendall(b'{"id":1,"method":"media.preview","params":{"rate":10}}\n')
            drain(viewer)
            told = []
            for method, params in (('scan.begin', {'mode': 'barcode', 'once': False, 'timeout': 86400}), ('codes.follow', {}),
                                   ('document.begin', {'mode': 'automatic'}), ('text.begin', {'timeout': 86400})):
                try:
                    user.ask(method, **params)
                except ValueError as problem:
                    told.append(str(problem))
            drain(user)
            pings, end = [], began + frames / rate
            while time.monotonic() < end and service.poll() is None:
                since = time.monotonic()
                pinger.ask('ping')
                pings.append(time.monotonic() - since)
                time.sleep(0.05)
            statistics = pinger.ask('status')['statistics']
            signs = [began] + [sign for sign in watchdog.signs if sign > began] + [time.monotonic()]
            lives = service.poll() is None
            service.send_signal(signal.SIGTERM)
            ended = service.wait(30)
        finally:
            service.kill()
        pings.sort()
        return {'size': f'{width}x{height}', 'seconds': round(end - began, 1), 'captured': statistics['frames']['captured'],
                'lanes': {lane['name']: {key: lane[key] for key in ('frames', 'skipped', 'p50', 'p99')} for lane in statistics['lanes']},
                'gap': max(b - a for a, b in zip(signs, signs[1:])), 'pings': len(pings),
                'pingP99': pings[int(0.99 * (len(pings) - 1))], 'pingMost': pings[-1],
                'workers': statistics.get('workers'), 'notOn': told, 'lives': lives and ended == 0}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--frames', type=int, default=300)
    parser.add_argument('--rate', type=float, default=5)
    parser.add_argument('--strict', action='store_true')
    parser.add_argument('--write', action='store_true', help='put the figures into docs/benchmarks.md')
    parser.add_argument('waymark', nargs='?', default=f'{TOP}/.build/release/waymark-station')
    options = parser.parse_args()
    faults, found = [], []
    with tempfile.TemporaryDirectory(prefix='wm-', dir='/tmp') as folder:
        library = f'{folder}/posters.library'
        subprocess.run([options.waymark, 'anchors', 'build', f'{TOP}/Samples/scenes/pump-room/pump-7.jpg',
                        f'{TOP}/Samples/scenes/pump-room/cabinet.jpg', '-o', library], check=True, stdout=subprocess.DEVNULL)
        for width, height in SIZES:
            one = show(options.waymark, library, width, height, options.frames, options.rate)
            found.append(one)
            print(json.dumps(one))
            if not one['lives']:
                faults.append(f'{one["size"]}: the service ended')
            if one['gap'] > WATCHDOG:
                faults.append(f'{one["size"]}: the watchdog was not fed for {one["gap"]:.1f} s')
            limit = STRICT if options.strict else PING
            if one['pingMost'] > limit:
                faults.append(f'{one["size"]}: a ping took {1000 * one["pingMost"]:.0f} ms, more than {1000 * limit:.0f}')
    if options.write:
        sys.path.insert(0, f'{TOP}/Benchmarks')
        import written
        lines = ['| frames of | watchdog fed | ping, most; 99th percentile | slowest lane, 99th percentile | its frames, skipped |',
                 '|---|---|---|---|---|']
        for one in found:
            name, lane = max(one['lanes'].items(), key=lambda item: item[1]['p99'])
            lines.append(f'| {one["size"]} | every {one["gap"]:.1f} s at most | {1000 * one["pingMost"]:.0f}; {1000 * one["pingP99"]:.0f} ms | '
                         f'{name}, {1000 * lane["p99"]:.0f} ms | {lane["frames"]}, {lane["skipped"]} |')
        written.write('benchmarks.md', 'hostile lanes', lines)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()

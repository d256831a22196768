"""Codes whose content is known: the truth that everything read is held against. Needs qrencode and cjpeg."""
import importlib.machinery
import importlib.util
import json
import os
import random
import subprocess
import threading

WIDTH, HEIGHT = 640, 480
HOST = 'soak.example.com'


def picture(text):
    """A gray picture with a QR code of `text` in its middle, as PGM."""
    art = subprocess.run(['qrencode', '-t', 'ASCII', '-m', '4', '-l', 'L', '-o', '-'], input=text.encode(),
                         capture_output=True, check=True).stdout.decode()
    rows = [[c == '#' for c in line[::2]] for line in art.split('\n') if line]
    module = min(HEIGHT // len(rows), 8)
    left, top = (WIDTH - module * len(rows)) // 2, (HEIGHT - module * len(rows)) // 2
    blank = bytes([150]) * WIDTH
    lines = [blank] * top
    for row in rows:
        dots = b''.join(bytes([25 if dark else 235]) * module for dark in row)
        lines += [blank[:left] + dots + blank[left + len(dots):]] * module
    lines += [blank] * (HEIGHT - len(lines))
    return b'P5\n%d %d\n255\n' % (WIDTH, HEIGHT) + b''.join(lines)


def jpeg(pgm, path):
    with open(path, 'wb') as file:
        file.write(subprocess.run(['cjpeg', '-quality', '80'], input=pgm, capture_output=True, check=True).stdout)
    return path


def payloads():
    """The maker of misleading payloads (Scripts/judge-payloads)."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../Scripts/judge-payloads')
    loader = importlib.machinery.SourceFileLoader('judge_payloads', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def large(side):
    """A JPEG of noise with so many pixels a side, as large as an honest camera's."""
    dice = random.Random(side)
    noise = b'P5\n%d %d\n255\n' % (side, side) + dice.randbytes(side * side)
    return subprocess.run(['cjpeg', '-quality', '60'], input=noise, capture_output=True, check=True).stdout


class Codes:
    """Makes fresh codes, and knows all that were ever shown."""

    def __init__(self, waymark, folder, first=None):
        self.waymark, self.folder = waymark, folder
        self.lock = threading.Lock()
        # Each with the cameras that are shown it, by name; pictures that clients send count as the first one's.
        self.truth, self.first = {}, first
        self.count = 0
        self.key = os.path.join(folder, 'key.pem')
        self.keys = os.path.join(folder, 'keys.jwks')
        made = subprocess.run([waymark, 'onboarding', 'keygen', '--key', self.key, '--kid', 'soak'], capture_output=True,
                              check=True)
        with open(self.keys, 'wb') as file:
            file.write(made.stdout)

    def known(self, text, camera=None):
        with self.lock:
            self.truth.setdefault(text, set()).add(camera or self.first)

    def is_known(self, text, camera=None):
        with self.lock:
            return camera in self.truth.get(text, ())

    def plain(self, camera=None):
        """A text that was never shown before."""
        with self.lock:
            self.count += 1
            text = 'waymark-soak-%06d' % self.count
            self.truth[text] = {camera or self.first}
        return text

    def token(self, lasting='1d', camera=None):
        """A signed payload that may be confirmed once."""
        with self.lock:
            self.count += 1
            payload = json.dumps({'appID': 'com.example.soak', 'host': HOST, 'protocol': 'https', 'n': self.count})
        text = self.signed(payload, lasting)
        self.known(text, camera)
        return text

    def signed(self, payload, lasting='1d'):
        """A payload under the signature that the service wants."""
        return subprocess.run(
            [self.waymark, 'onboarding', 'sign', '--key', self.key, '--kid', 'soak', '--expires-in', lasting, '--jti',
             'random', '-'], input=payload.encode(), capture_output=True, check=True).stdout.decode().strip()

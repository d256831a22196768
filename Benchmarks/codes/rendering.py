"""Codes as pictures, and what a camera does to them: shared by the scripts of this folder that render.

Needs: qrencode, zint, numpy and opencv-python-headless (PyPI).
"""
import subprocess, tempfile
import cv2, numpy as np

random = np.random.default_rng(1)


def run(*command, data=None): return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def qr(text, version=1, level='M'):
    art = run('qrencode', '-t', 'ASCII', '-m', '0', '-v', str(version), '-l', level, '-o', '-', data=text.encode()).decode()
    rows = [[c == '#' for c in line[::2]] for line in art.split('\n') if line]
    return np.pad(np.where(np.array(rows), 0, 255).astype(np.uint8), 4, constant_values=255)


def bars(kind, data, *options):
    dump = run('zint', '-b', kind, '-d', data, '--dump', *options).decode().split('\n')[0].replace(' ', '')
    bits = ''.join(format(int(c, 16), '04b') for c in dump).rstrip('0')
    row = np.array([0 if b == '1' else 255 for b in bits], np.uint8)
    return np.pad(np.tile(row, (max(24, len(bits) // 4), 1)), ((4, 4), (12, 12)), constant_values=255)


def sized(code, pixels):
    big = cv2.resize(code, None, fx=12, fy=12, interpolation=cv2.INTER_NEAREST)
    return cv2.resize(big, None, fx=pixels / 12, fy=pixels / 12, interpolation=cv2.INTER_AREA)


def blur(p, sigma): return cv2.GaussianBlur(p, (0, 0), sigma) if sigma else p
def noise(p, sigma): return np.clip(p + random.normal(0, sigma, p.shape), 0, 255).astype(np.uint8)


def drawn(kind, data, columns, *options):
    """A symbol of any kind as zint draws it, large, and how many of its pixels a module has."""
    with tempfile.NamedTemporaryFile(suffix='.png') as file:
        run('zint', '-b', kind, '-d', data, '--scale=5', '--notext', '-o', file.name, *options)
        picture = cv2.imread(file.name, cv2.IMREAD_GRAYSCALE)
    return picture, picture.shape[1] / columns if columns else 10

#!/usr/bin/env python3
"""How many DotCode symbols waymark reads: drawn by zint and BWIPP, seen at an angle, and printed by an ink jet.

  dots.py [--program FILE] [--count N] [--seed N] [--only CASE] [--keep FOLDER] [--misses]

drawn     zint and BWIPP draw N random texts each, in every shape, at 2 to 6 pixels a module.
seen      The same tilted by up to 30°, turned by any angle, blurred by up to 0.6 modules, with noise; some light on dark.
printed   Drawn by a model of an ink jet: dots of 0.6 to 1.1 modules, 8 % missing, rows shifted by up to a third of a dot, around a can,
          turned by any angle, 3 to 8 pixels a module, blurred by up to 0.3 modules, with noise.
beside    A DotCode beside a QR code: both must be read.

Needs: zint, qrencode, Ghostscript, and numpy, opencv-python-headless and treepoem (PyPI).
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
from rendering import blur, noise, qr, random, sized

ROOT = Path(__file__).resolve().parents[2]
ALPHABETS = ('0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz ', 'ABCDEFGHIJ0123456789abcdefgh-./:#')


def text():
    """Text, digits, or element strings of GS1; and how the encoders are asked."""
    kind, length = random.integers(5), int(3 * 70 ** random.random())
    if kind == 4:
        digits = ''.join(random.choice(list('0123456789'), 12))
        check = -sum(int(d) * (3 if i % 2 == 0 else 1) for i, d in enumerate(reversed('0' + digits))) % 10
        lot = ''.join(random.choice(list(ALPHABETS[1]), min(length, 18)))
        return f'010{digits}{check}10{lot}', f'[01]0{digits}{check}[10]{lot}'
    words = ''.join(random.choice(list(ALPHABETS[kind]), length))
    return words.strip() or '123', None


def by_zint(words, spelt, size, scale):
    """A symbol as zint draws it, one in two with its own number of columns."""
    columns = [f'--cols={random.integers(7, 60)}'] if random.random() < 0.5 else []
    with tempfile.NamedTemporaryFile(suffix='.png') as file:
        for extra in (columns, []):
            run = subprocess.run(['zint', '-b', 'DOTCODE', '-d', spelt or words, f'--scale={scale / 2}', '-o', file.name,
                                  *(['--gs1'] if spelt else []), *extra], capture_output=True, check=False)
            if run.returncode == 0: return cv2.imread(file.name, cv2.IMREAD_GRAYSCALE)
    return None


def by_bwipp(words, spelt, size, scale):
    import treepoem
    kind, data = ('gs1dotcode', spelt.replace('[', '(').replace(']', ')')) if spelt else ('dotcode', words)
    big = np.array(treepoem.generate_barcode(kind, data, scale=6).convert('L'))
    return big if scale == 12 else cv2.resize(big, None, fx=scale / 12, fy=scale / 12, interpolation=cv2.INTER_AREA)


def padded(picture, margin, tone=255): return np.pad(picture, round(margin), constant_values=tone)


def camera(picture, module, target, tilt, turn):
    """A picture seen at an angle: tilted about a random axis and turned, with `target` pixels a module in its middle."""
    height, width = picture.shape
    axis = random.uniform(0, np.pi)
    across = np.array([np.cos(axis), np.sin(axis), 0])
    skew = np.array([[0, -across[2], across[1]], [across[2], 0, -across[0]], [-across[1], across[0], 0]])
    tilted = np.eye(3) + np.sin(tilt) * skew + (1 - np.cos(tilt)) * skew @ skew
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ tilted
    scale, away = target / module, 4 * max(width, height)
    corners = np.array([[-width / 2, -height / 2], [width / 2, -height / 2], [width / 2, height / 2], [-width / 2, height / 2]])
    points = np.c_[corners, np.zeros(4)] @ rotation.T
    points = points[:, :2] * (away / (away + points[:, 2:])) * scale
    low = points.min(axis=0)
    matrix = cv2.getPerspectiveTransform((corners + [width / 2, height / 2]).astype(np.float32), (points - low).astype(np.float32))
    size = np.ceil(points.max(axis=0) - low).astype(int)
    # Averaged over each pixel.
    fine = cv2.warpPerspective(picture, np.diag([3, 3, 1]) @ matrix, tuple(int(v) for v in 3 * size), flags=cv2.INTER_LINEAR,
                               borderValue=int(picture[0, 0]))
    return cv2.resize(fine, tuple(int(v) for v in size), interpolation=cv2.INTER_AREA)


def modules(picture):
    """The grid of a symbol drawn with 12 pixels a module."""
    rows, columns = (round(side / 12) for side in picture.shape)
    grid = cv2.resize(picture, (columns * 12, rows * 12)).reshape(rows, 12, columns, 12)
    return grid[:, 4:8, :, 4:8].mean(axis=(1, 3)) < 128


def printed(grid):
    """A grid as an ink jet prints it, 12 pixels a module, and then around a can."""
    unit, margin = 12, 4
    rows, columns = grid.shape
    big = np.full(((rows + 2 * margin) * unit, (columns + 2 * margin) * unit), 235, np.uint8)
    shifts = random.uniform(0, 1 / 3, rows)
    for y, x in np.argwhere(grid):
        if random.random() < 0.08: continue
        center = (np.array([x + shifts[y], y]) + margin + 0.5 + random.normal(0, 0.05, 2)) * unit
        tone = int(random.uniform(20, 70))
        cv2.circle(big, tuple(int(v) for v in np.rint(center * 16)), int(random.uniform(0.6, 1.1) * unit * 8), tone, -1, cv2.LINE_AA, 4)
    if random.random() < 0.5: big = big.T.copy()
    # The symbol covers up to a third of the circumference that is seen.
    reach = random.uniform(0.2, 1.0)
    height, width = big.shape
    seen = int(width * np.sin(reach) / reach)
    xs = np.arcsin(np.linspace(-np.sin(reach), np.sin(reach), seen)) / reach * width / 2 + width / 2
    u, v = np.meshgrid(xs.astype(np.float32), np.arange(height, dtype=np.float32))
    bent = cv2.remap(big, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shade = np.cos(np.linspace(-reach, reach, seen)) ** 0.5
    return (bent * shade).astype(np.uint8)


def pictures(case, count):
    """The pictures of a case with the texts that must be read, and who drew them."""
    for i in range(count):
        words, spelt = text()
        for name, draw in (('zint', by_zint), ('BWIPP', by_bwipp)):
            module = float(random.uniform(3, 8) if case == 'printed' else random.uniform(2, 6))
            picture = draw(words, spelt, module, module if case == 'drawn' else 12)
            if picture is None: continue
            texts = {words}
            if case == 'drawn':
                picture = padded(picture, 3 * module)
            elif case == 'seen':
                picture = camera(padded(picture, 48), 12, module, np.radians(random.uniform(0, 30)), random.uniform(0, 2 * np.pi))
                picture = noise(blur(picture * 0.8 + 20, module * random.uniform(0, 0.6)), random.uniform(0, 6))
            elif case == 'printed':
                picture = camera(printed(modules(picture)), 12, module, np.radians(random.uniform(0, 15)), random.uniform(0, 2 * np.pi))
                picture = noise(blur(picture, module * random.uniform(0, 0.3)), random.uniform(0, 6))
            else:
                code = sized(qr(f'beside {i}'), module)
                dots = cv2.resize(padded(picture, 48), None, fx=module / 12, fy=module / 12, interpolation=cv2.INTER_AREA)
                height = max(code.shape[0], dots.shape[0])
                picture = np.hstack([np.pad(p, ((0, height - p.shape[0]), (0, 0)), constant_values=255) for p in (code, dots)])
                texts.add(f'beside {i}')
            yield name, (255 - picture if random.random() < 0.15 and case != 'beside' else picture), texts, module


def arguments(description):
    """The options of a benchmark of drawn pictures."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', default=str(ROOT / '.build/release/waymark'))
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only')
    parser.add_argument('--keep')
    parser.add_argument('--misses', action='store_true')
    return parser.parse_args()


def main():
    options = arguments(__doc__)
    print('| pictures | zint | BWIPP | wrong |', '|---|--:|--:|--:|', sep='\n')
    for case in ('drawn', 'seen', 'printed', 'beside'):
        if options.only not in (None, case): continue
        random.bit_generator.state = np.random.default_rng(options.seed).bit_generator.state
        folder = Path(options.keep or tempfile.mkdtemp(prefix='waymark-dots-')) / case
        folder.mkdir(parents=True, exist_ok=True)
        jobs = []
        for name, picture, texts, module in pictures(case, options.count):
            path = folder / f'{len(jobs):04d}.png'
            cv2.imwrite(str(path), picture)
            jobs.append((path, name, texts, module))
        if options.keep: (folder / 'truth.json').write_text(json.dumps([[p.name, n, sorted(t), m] for p, n, t, m in jobs]))
        tally = {'zint': [0, 0], 'BWIPP': [0, 0], 'wrong': 0}
        for at in range(0, len(jobs), 100):
            part = jobs[at:at + 100]
            lines = subprocess.run([options.program, 'scan', '--json', '--formats', 'dotCode,qr', *(str(job[0]) for job in part)],
                                   capture_output=True, text=True, check=False).stdout.splitlines()
            for (path, name, texts, module), line in zip(part, lines, strict=True):
                found = {symbol['text'] for symbol in json.loads(line).get('symbols') or []}
                tally[name][0] += texts <= found
                tally[name][1] += 1
                tally['wrong'] += bool(found - texts)
                if options.misses and found != texts: print(path, name, round(module, 1), texts, found, file=sys.stderr)
        print(f'| {case} |', ' | '.join('{} of {}'.format(*tally[name]) for name in ('zint', 'BWIPP')), f'| {tally["wrong"]} |', flush=True)
        if not options.keep: shutil.rmtree(folder)


if __name__ == '__main__': main()

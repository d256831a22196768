#!/usr/bin/env python3
"""How far rendered codes may be spoilt until they are no longer read, plain libzbar beside ours: the tables of README.md.

  Benchmarks/codes/limits.py [--write] [--keep FOLDER]

Codes come from qrencode and zint; every spoiling is a series from harmless to hopeless, and the table names the last step
that all codes of the series still pass ("-": none), the first column with `--effort plain`, the second with `--effort still`.
--write puts the tables into README.md, --keep leaves the pictures there.
Needs: qrencode, zint, numpy, opencv-python-headless and zxing-cpp (PyPI), and a built .build/release/waymark (or $WAYMARK).
"""
import argparse, json, math, os, subprocess, sys, tempfile
import cv2, numpy as np, zxingcpp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import written
from rendering import bars, blur, drawn, noise, qr, sized

HERE = os.path.dirname(os.path.abspath(__file__))
WAYMARK = os.environ.get('WAYMARK', os.path.join(HERE, '..', '..', '.build', 'release', 'waymark'))


def placed(picture, level=235, margin=40):
    paper = np.full((picture.shape[0] + 2 * margin, picture.shape[1] + 2 * margin), level, np.uint8)
    paper[margin:-margin, margin:-margin] = (picture.astype(np.float32) * (level - 30) / 255 + 30).astype(np.uint8)
    return paper


def tilt(p, degrees):
    h, w = p.shape
    a, f = math.radians(degrees), 1.6 * max(h, w)
    corners = np.float32([[0, 0], [w, 0], [w, h], [0, h]])
    seen = []
    for x, y in corners - [w / 2, h / 2]:
        z = f + x * math.sin(a)
        seen.append([f * x * math.cos(a) / z + w / 2, f * y / z + h / 2])
    return cv2.warpPerspective(p, cv2.getPerspectiveTransform(corners, np.float32(seen)), (w, h), flags=cv2.INTER_AREA, borderValue=200)


def turn(p, degrees):
    h, w = p.shape
    s = int(math.hypot(h, w)) + 2
    m = cv2.getRotationMatrix2D((w / 2, h / 2), degrees, 1); m[:, 2] += [(s - w) / 2, (s - h) / 2]
    return cv2.warpAffine(p, m, (s, s), flags=cv2.INTER_LINEAR, borderValue=200)


def motion(p, length): return cv2.filter2D(p, -1, np.full((1, int(length)), 1 / int(length), np.float32))
def contrast(p, span): return (128 + (p.astype(np.float32) - 128) * span / 205).astype(np.uint8)
def invert(p, _): return 255 - p


def curve(p, degrees):
    """The label of a cylinder of which so many degrees are seen."""
    h, w = p.shape
    half = math.radians(degrees) / 2
    if half == 0: return p
    x = np.linspace(-1, 1, w)
    source = (np.arcsin(np.clip(x * math.sin(half), -1, 1)) / half + 1) / 2 * (w - 1)
    y = np.arange(h)[:, None] - (1 - np.cos(np.arcsin(np.clip(x * math.sin(half), -1, 1))))[None, :] * h * 0.15
    return cv2.remap(p, np.tile(source, (h, 1)).astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderValue=200)


def glare(p, share):
    h, w = p.shape
    y, x = np.mgrid[0:h, 0:w]
    spot = np.exp(-(((x - w * .6) / (w * share)) ** 2 + ((y - h * .45) / (h * share)) ** 2)) if share else 0 * x
    return np.clip(p + 300 * spot, 0, 255).astype(np.uint8)


def shadow(p, depth):
    h, w = p.shape
    y, x = np.mgrid[0:h, 0:w]
    return (p * np.where(x + 0.4 * y > 0.6 * w, 1 - depth, 1)).astype(np.uint8)


def screen(p, strength, dark=False):
    """A phone: grid of its pixels against those of the camera (moiré), refresh bands, a gloss."""
    p = 255 - p if dark else p
    h, w = p.shape
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    moire = strength * 45 * np.sin(x * 1.9 + y * 0.13) * np.sin(y * 1.83 - x * 0.09)
    bands = 1 - 0.5 * strength * (0.5 + 0.5 * np.sin(y * 2 * math.pi / (h / 3.3)))
    gloss = 120 * strength * np.clip(1 - np.abs(x - y - w * 0.2) / (w * 0.18), 0, 1)
    return np.clip((p + moire) * bands + gloss, 0, 255).astype(np.uint8)


QR_SET = {'v1': (qr('WAYMARK-1', 1), 'WAYMARK-1'), 'v4': (qr('https://example.com/onboarding?d=4711', 4), 'https://example.com/onboarding?d=4711'),
          'v10': (qr('x' * 170, 10), 'x' * 170)}
BAR_SET = {'EAN-13': (bars('EANX', '400638133393'), '4006381333931'), 'Code 128': (bars('CODE128', 'WAYMARK-128'), 'WAYMARK-128')}
SERIES = [
    ('pixels a module, smallest', [8, 4, 3, 2.5, 2, 1.75, 1.5, 1.25], None, 0),
    ('tilt, degrees', [0, 15, 30, 40, 45, 50, 55, 60, 65], tilt, 4), ('turn, degrees', [0, 5, 10, 20, 30, 45], turn, 3),
    ('blur, sigma in modules', [.2, .4, .5, .6, .7, .8, .9, 1, 1.2], lambda p, s: blur(p, 4 * s), 4),
    ('motion along, modules', [1, 1.5, 2, 2.5, 3, 4], lambda p, s: motion(p, 4 * s), 4),
    ('noise, sigma in gray levels', [10, 20, 30, 45, 60, 80], noise, 3), ('contrast, gray levels', [150, 80, 40, 24, 16, 10, 6], contrast, 4),
    ('light on dark', [1], invert, 4), ('curved, degrees of a cylinder', [0, 40, 80, 110, 130, 150], curve, 4),
    ('glare, share of the side', [.05, .1, .15, .2, .25, .3], glare, 4), ('shadow, depth', [.3, .5, .7, .8, .9], shadow, 4),
    ('phone screen, strength', [.3, .6, 1, 1.3, 1.6], screen, 4), ('phone in dark mode, strength', [.3, .6, 1, 1.3, 1.6], lambda p, s: screen(p, s, True), 4)]
SYMBOLOGIES = [('EAN-13', 'EANX', '400638133393', '4006381333931'), ('EAN-8', 'EANX', '9638507', '96385074'), ('UPC-A', 'UPCA', '03600029145', '036000291452'),
               ('UPC-E', 'UPCE', '0425261', '04252614'), ('Code 128', 'CODE128', 'Waymark 128', 'Waymark 128'), ('Code 39', 'CODE39', 'WAYMARK-39', 'WAYMARK-39'),
               ('Code 93', 'CODE93', 'WAYMARK93', 'WAYMARK93'), ('Codabar', 'CODABAR', 'A40156B', 'A40156B'), ('ITF', 'C25INTER', '12345678', '12345678'),
               ('DataBar', 'DBAR_OMN', '0950110153001', '0109501101530010'),
               ('DataBar Expanded', 'DBAR_EXP', '[01]98898765432106[3202]012345[15]991231', '0198898765432106320201234515991231')]
# As zint draws them, ten pixels a module but for the hexagons of MaxiCode: name, zint's name, data, text, modules across, options, the
# name to ask for.
DRAWN = [('DataBar Limited', 'DBAR_LTD', '0950110153001', '0109501101530010', 0, [], None),
         ('DataBar Expanded Stacked', 'DBAR_EXPSTK', '[01]98898765432106[3202]012345[15]991231', '0198898765432106320201234515991231', 0, ['--gs1', '--cols=2'], None),
         ('Code 32', 'CODE32', '93102846', 'A931028462', 0, [], 'code32'), ('Standard 2 of 5', 'C25IND', '5776158811', '5776158811', 0, [], 'standard2of5'),
         ('Telepen', 'TELEPEN', 'Telepen', 'Telepen', 0, [], 'telepen'),
         ('Data Matrix', 'DATAMATRIX', 'Waymark 4711', 'Waymark 4711', 0, [], None), ('Aztec', 'AZTEC', 'Waymark 4711', 'Waymark 4711', 0, [], None),
         ('PDF417', 'PDF417', 'Waymark 4711', 'Waymark 4711', 0, [], None), ('MicroPDF417', 'MICROPDF417', 'Waymark 4711', 'Waymark 4711', 0, [], None),
         ('Micro QR', 'MICROQR', 'Way 4711', 'Way 4711', 0, [], None), ('rMQR', 'RMQR', 'Waymark 4711', 'Waymark 4711', 0, [], None),
         ('MaxiCode', 'MAXICODE', 'MaxiCode of Waymark', 'MaxiCode of Waymark', 30, ['--mode=4'], None)]
STEPS = [4, 3, 2.5, 2, 1.75, 1.5, 1.25, 1]

a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
a.add_argument('--write', action='store_true'); a.add_argument('--keep'); a = a.parse_args()
folder = a.keep or tempfile.mkdtemp(prefix='waymark-limits-')
os.makedirs(folder, exist_ok=True)
jobs = []  # (path, expected, key)


def add(key, picture, expected):
    path = os.path.join(folder, f'{len(jobs):05d}.png')
    cv2.imwrite(path, placed(picture) if key[0] == 'size' else picture)
    jobs.append((path, expected, key))


for title, steps, spoil, pixels in SERIES:
    for group, codes in (('QR', QR_SET), ('bars', BAR_SET)):
        for code, text in codes.values():
            for step in steps:
                picture = placed(sized(code, step if spoil is None else pixels))
                add((title, group, step), noise(spoil(picture, step) if spoil else picture, 3), text)
for name, kind, data, text in SYMBOLOGIES:
    for step in STEPS: add(('symbology', name, step), noise(placed(sized(bars(kind, data), step)), 3), text)
asked = {}
for name, kind, data, text, columns, options, wanted in DRAWN:
    picture, pixels = drawn(kind, data, columns, *options)
    for step in STEPS:
        if wanted: asked[len(jobs)] = wanted
        small = cv2.resize(picture, None, fx=step / pixels, fy=step / pixels, interpolation=cv2.INTER_AREA)
        add(('symbology', name, step), noise(placed(small), 3), text)
for level in 'LMQH':
    for version in range(1, 41):
        capacity = int((16 * version + 128) * version * {'L': .58, 'M': .45, 'Q': .32, 'H': .24}[level] / 8) if version > 1 else 7
        text = ('Waymark ' * 400)[:max(6, capacity)]
        try: add(('version', level, version), noise(placed(sized(qr(text, version, level), 3)), 3), text)
        except subprocess.CalledProcessError: pass


def read(effort):
    lines = []
    for at, end in spans:
        paths = [p for p, _, _ in jobs[at:end]]
        formats = ['--formats', asked[at]] if at in asked else []
        lines += subprocess.run([WAYMARK, 'scan', '--json', '--effort', effort, *formats, *paths], capture_output=True, text=True).stdout.split('\n')[:-1]
    passed = {}
    for (_, text, key), line in zip(jobs, lines, strict=True):
        texts = [s['text'] for s in json.loads(line).get('symbols') or []]
        passed[key] = passed.get(key, True) and (text in texts or '0' + text in texts)
    return passed


def peer():
    """What zxing-cpp makes of the symbologies."""
    passed = {}
    for path, text, key in jobs:
        if key[0] != 'symbology': continue
        codes = zxingcpp.read_barcodes(cv2.imread(path, cv2.IMREAD_GRAYSCALE), text_mode=zxingcpp.TextMode.Plain)
        passed[key] = any(code.text in (text, '0' + text) or code.text.strip('*').lstrip('A') == text.lstrip('A') for code in codes)
    return passed


# Runs of pictures for which the same is looked for.
bounds = sorted({0, len(jobs), *range(0, len(jobs), 500), *(i for i in range(1, len(jobs)) if asked.get(i) != asked.get(i - 1))})
spans = list(zip(bounds, bounds[1:]))
results = [read('plain'), read('still')]
others = peer()


def last(passed, title, group, steps):
    best = '-'
    for step in steps:
        if not passed.get((title, group, step)): break
        best = step
    return best


rows = ['| spoilt by | QR: zbar | QR: ours | bars: zbar | bars: ours |', '|---|---|---|---|---|']
for title, steps, _, _ in SERIES:
    cells = [last(r, title, g, steps) for g in ('QR', 'bars') for r in results]
    rows.append(f"| {title} | " + ' | '.join('yes' if title == 'light on dark' and c == 1 else 'no' if title == 'light on dark' else str(c) for c in cells) + ' |')
rows += ['', '| symbology, smallest pixels a module | zbar | zxing-cpp | ours |', '|---|---|---|---|']
for name, *_ in SYMBOLOGIES + DRAWN:
    rows.append(f'| {name} | ' + ' | '.join(str(last(r, 'symbology', name, STEPS)) for r in (results[0], others, results[1])) + ' |')
rows += ['', '| QR, versions 1 to 40 at 3 pixels a module, read of rendered | zbar | ours |', '|---|---|---|']
for level in 'LMQH':
    all_of = [k for k in results[0] if k[:2] == ('version', level)]
    rows.append(f'| level {level} | ' + ' | '.join(f'{sum(r[k] for k in all_of)} of {len(all_of)}' for r in results) + ' |')
print('\n'.join(rows))
if a.write: written.write('../Benchmarks/codes/README.md', 'limits', rows)
if not a.keep: subprocess.run(['rm', '-r', folder])

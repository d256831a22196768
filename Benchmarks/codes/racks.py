#!/usr/bin/env python3
"""Racks and trays of labels, rendered: how many of the codes of such a picture `waymark scan` reads, and zxing-cpp, and the time.

  Benchmarks/codes/racks.py [--pictures N] [--seed N] [--formats LIST] [--keep FOLDER] [--misses]
  Benchmarks/codes/racks.py --seed 15 --fixture Tests/Fixtures/Racks/labels.jpg

Each picture shows 10 to 60 holders, gray from dark to light, with a label each: one module around its code, tilted, at times in a
shadow that ends at the code, or under gloss. Two pictures in three are all Data Matrix, the others of several symbologies. A code counts
as read when its text is among those that were read; each text occurs once. What is read beyond is wrong. Processor time is that of
reading alone, pictures gray and in memory. --fixture writes the one picture that the tests read.
Needs: qrencode, zint, numpy, opencv-python-headless and zxing-cpp (PyPI), and a built .build/release/waymark (or $WAYMARK).
"""
import argparse, collections, json, math, os, subprocess, tempfile, time
import cv2, numpy as np, zxingcpp

from rendering import bars, blur, drawn, noise, qr, random, sized

HERE = os.path.dirname(os.path.abspath(__file__))
WAYMARK = os.environ.get('WAYMARK', os.path.join(HERE, '..', '..', '.build', 'release', 'waymark'))


def trimmed(code, margin, pixels):
    """A code of `pixels` a module without its quiet zone but for `margin` modules."""
    y, x = np.where(code < 128)
    code = code[y.min():y.max() + 1, x.min():x.max() + 1]
    return np.pad(code, int(margin * pixels), constant_values=255)


def matrix(kind, text, columns, pixels):
    picture, had = drawn(kind, text, columns)
    return cv2.resize(picture, None, fx=pixels / had, fy=pixels / had, interpolation=cv2.INTER_AREA)


KINDS = {
    'Data Matrix': lambda text, s: trimmed(matrix('DATAMATRIX', text, 0, s), 1, s),
    'QR': lambda text, s: trimmed(sized(qr(text), s), 2, s),
    'Aztec': lambda text, s: trimmed(matrix('AZTEC', text, 0, s), 1, s),
    'Micro QR': lambda text, s: trimmed(matrix('MICROQR', text[:9], 0, s), 2, s),
    'Code 128': lambda text, s: sized(bars('CODE128', text), max(1.5, s / 3)),
}


def label(kind, text, module, tone, dark):
    code = KINDS[kind](text, module).astype(np.float32) / 255
    words = int(0.35 * code.shape[0])
    paper = np.pad(code, ((0, words), (2, 2)), constant_values=1)
    picture = np.ascontiguousarray((dark + paper * (tone - dark)).astype(np.uint8))
    cv2.putText(picture, text, (3, picture.shape[0] - words // 4), cv2.FONT_HERSHEY_SIMPLEX, words / 70 + 0.1, int(dark) + 10, 1, cv2.LINE_AA)
    return picture


def rack(kinds, count, module):
    """A picture of so many labels, and the texts of its codes by symbology."""
    texts, labels = [], []
    for i in range(count):
        kind = kinds[int(random.integers(len(kinds)))]
        text = f'{"CASE" if len(kinds) > 1 else "case"}-{int(random.integers(1000)):03d}{i:02d}'
        if kind == 'Micro QR': text = text[:9]
        tone = random.uniform(140, 235)
        labels.append(label(kind, text, module * random.uniform(0.85, 1.2), tone, random.uniform(15, 0.35 * tone)))
        texts.append((kind, text))
    side = int(1.25 * max(max(p.shape) for p in labels)) + 6
    across = max(1, round(math.sqrt(count * 1.3)))
    down = -(-count // across)
    picture = np.full((down * side + side, across * side + side), random.uniform(20, 160), np.uint8)
    for i, p in enumerate(labels):
        x, y = side // 2 + i % across * side, side // 2 + i // across * side
        # The holder, and the shadow beside or below the label, which begins a pixel from it.
        cv2.rectangle(picture, (x + 1, y + 1), (x + side - 3, y + side - 3), random.uniform(30, 210), -1)
        h, w = p.shape
        angle = random.uniform(-12, 12) if random.random() < 0.8 else random.uniform(-180, 180)
        turn = cv2.getRotationMatrix2D((w / 2, h / 2), angle, 1)
        turn[:, 2] += [x + (side - w) / 2, y + (side - h) / 2]
        corners = turn @ np.float32([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]]).T
        quad = corners.T + random.uniform(-0.05, 0.05, (4, 2)) * min(w, h)
        if random.random() < 0.5:
            cv2.fillConvexPoly(picture, (quad + random.uniform(2, 5, 2)).astype(np.int32), random.uniform(5, 40))
        to = cv2.getPerspectiveTransform(np.float32([[0, 0], [w, 0], [w, h], [0, h]]), np.float32(quad))
        size = picture.shape[::-1]
        mask = cv2.warpPerspective(np.full(p.shape, 255, np.uint8), to, size, flags=cv2.INTER_LINEAR)
        picture = np.where(mask > 127, cv2.warpPerspective(p, to, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE), picture)
    h, w = picture.shape
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    # Light from one side, bands of shadow, a streak of gloss.
    light = 1 - random.uniform(0, 0.45) * x / w - random.uniform(0, 0.3) * y / h
    band = 1 - random.uniform(0, 0.4) * (np.sin(x / side * random.uniform(2, 7) + random.uniform(0, 6)) > 0.4)
    gloss = random.uniform(0, 70) * np.exp(-((x - y * random.uniform(-0.5, 0.5) - random.uniform(0, w)) / (0.15 * side)) ** 2)
    seen = picture * light * cv2.GaussianBlur(band.astype(np.float32), (0, 0), 0.02 * side) + gloss
    return noise(blur(np.clip(seen, 0, 255), 0.12 * module), random.uniform(1, 6)), texts


def score(results, truths):
    table, wrong = collections.OrderedDict(), 0
    for texts, truth in zip(results, truths, strict=True):
        left = collections.Counter(texts)
        for kind, text in truth:
            row = table.setdefault(kind, [0, 0])
            row[1] += 1
            if left[text]: left[text] -= 1; row[0] += 1
        wrong += sum(1 for text in left.elements() if text not in [t for _, t in truth])
    return table, wrong


a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
a.add_argument('--pictures', type=int, default=60); a.add_argument('--seed', type=int, default=1); a.add_argument('--formats')
a.add_argument('--keep'); a.add_argument('--misses', action='store_true'); a.add_argument('--fixture'); a = a.parse_args()
random.bit_generator.state = np.random.default_rng(a.seed).bit_generator.state
if a.fixture:
    picture, truth = rack(['Data Matrix'], 12, 4)
    cv2.imwrite(a.fixture, picture, [cv2.IMWRITE_JPEG_QUALITY, 80])
    print('\n'.join(text for _, text in truth))
    raise SystemExit
folder = a.keep or tempfile.mkdtemp(prefix='waymark-racks-')
os.makedirs(folder, exist_ok=True)
paths, truths = [], []
for i in range(a.pictures):
    kinds = ['Data Matrix'] if i % 3 else list(KINDS)
    picture, truth = rack(kinds, int(random.integers(10, 61)), random.uniform(2.5, 7))
    paths.append(os.path.join(folder, f'{i:03d}.png')); truths.append(truth)
    cv2.imwrite(paths[-1], picture)
formats = ['--formats', a.formats] if a.formats else []
lines = [json.loads(l) for l in subprocess.run([WAYMARK, 'scan', '--json', '--jobs', '1', *formats, *paths], capture_output=True, text=True).stdout.splitlines()]
ours = [[s['text'] for s in line.get('symbols') or []] for line in lines]
peer, spent = [], 0
for path in paths:
    picture = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    start = time.process_time()
    found = zxingcpp.read_barcodes(picture, text_mode=zxingcpp.TextMode.Plain)
    spent += time.process_time() - start
    peer.append([code.text for code in found])
(mine, wrong), (theirs, others) = score(ours, truths), score(peer, truths)
print('| codes of racks and trays | rendered | waymark | zxing-cpp |\n|---|---|---|---|')
for kind, (read, count) in mine.items(): print(f'| {kind} | {count} | {100 * read / count:.1f} % | {100 * theirs[kind][0] / count:.1f} % |')
print(f'| wrong | | {wrong} | {others} |')
print(f'| time of reading | | {sum(line.get("elapsed", 0) for line in lines) / spent:.1f} | 1 |')
if a.misses:
    for path, texts, truth in zip(paths, ours, truths): print(path, [t for t in truth if t[1] not in texts])

#!/usr/bin/env python3
"""`waymark scan` beside zxing-cpp on photographs of QR codes, in turns: how many of the labelled codes are read, and the time.

  Benchmarks/codes/qr.py FOLDER [--effort still|live] [--every N] [--misses]

FOLDER holds CATEGORY/PICTURE.jpg or .png, and beside each PICTURE.txt with the corners of its codes: eight numbers a line after a
line SETS, or four lines of two; the layout of the BoofCV QR benchmark. A code counts as read when the quadrilateral of a read
overlaps its label; every label and every read counts once. The last line is the mean of the categories, and the ratio of the
processor times of reading alone, both on one processor, picture by picture in turns.

Needs: numpy, opencv-python-headless, shapely and zxing-cpp (PyPI), and a built .build/release/waymark (or $WAYMARK).
"""
import argparse, collections, glob, json, os, subprocess, time
import cv2, zxingcpp
from shapely.geometry import Polygon

HERE = os.path.dirname(os.path.abspath(__file__))
WAYMARK = os.environ.get('WAYMARK', os.path.join(HERE, '..', '..', '.build', 'release', 'waymark'))


def labels(path):
    rows = [[float(x) for x in line.split()] for line in open(path) if line[0] != '#' and line.strip() not in ('SETS', '')]
    if rows and len(rows[0]) == 2: rows = [sum(rows[i:i + 4], []) for i in range(0, len(rows) - 3, 4)]
    return [Polygon(list(zip(row[0:8:2], row[1:8:2]))).convex_hull for row in rows if len(row) >= 8]


def hits(quadrilaterals, truth):
    """The labels that were read, and how many reads lie outside all of them."""
    used, outside = set(), 0
    for corners in quadrilaterals:
        polygon = Polygon([tuple(c) for c in corners]).convex_hull.buffer(1)
        area, best = max(((polygon.intersection(t).area, i) for i, t in enumerate(truth) if i not in used), default=(0, -1))
        if area > 0: used.add(best)
        else: outside += 1
    return len(used), outside


def peer(path):
    gray = cv2.imread(path, cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION)
    start = time.process_time()
    found = zxingcpp.read_barcodes(gray, formats=zxingcpp.BarcodeFormat.QRCode)
    seconds = time.process_time() - start
    places = [b.position for b in found]
    return [[(p.x, p.y) for p in (b.top_left, b.top_right, b.bottom_right, b.bottom_left)] for b in places], seconds


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('folder'); a.add_argument('--effort', default='still'); a.add_argument('--every', type=int, default=1)
    a.add_argument('--misses', action='store_true')
    a = a.parse_args()
    cv2.setNumThreads(1)
    pictures = sorted(p for p in glob.glob(os.path.join(a.folder, '*', '*')) if p.endswith(('.jpg', '.png', '.pgm')))[::a.every]
    table = collections.OrderedDict()
    times, outside = [0.0, 0.0], [0, 0]
    for at in range(0, len(pictures), 8):
        chunk = pictures[at:at + 8]
        command = ['taskset', '-c', '0', WAYMARK, 'scan', '--json', '--jobs', '1', '--formats', 'qr', '--effort', a.effort, *chunk]
        lines = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
        for path, line in zip(chunk, lines, strict=True):
            report, truth = json.loads(line), labels(os.path.splitext(path)[0] + '.txt')
            row = table.setdefault(path.split('/')[-2], [0, 0, 0, []])
            theirs, seconds = peer(path)
            mine = hits([s['corners'] for s in report.get('symbols') or []], truth)
            other = hits(theirs, truth)
            times = [times[0] + (report.get('elapsed') or 0), times[1] + seconds]
            outside = [outside[0] + mine[1], outside[1] + other[1]]
            row[0] += len(truth); row[1] += mine[0]; row[2] += other[0]
            if mine[0] < len(truth): row[3].append(f'{os.path.basename(path)} {mine[0]}/{len(truth)}')
    print(f"{'category':14}{'codes':>6}{'waymark':>10}{'zxing-cpp':>11}")
    for name, (n, ours, others, misses) in table.items():
        print(f'{name:14}{n:>6}{100 * ours / n:>9.1f}%{100 * others / n:>10.1f}%' + ('  ' + ', '.join(misses) if a.misses else ''))
    mean = [sum(100 * row[side] / row[0] for row in table.values()) / len(table) for side in (1, 2)]
    print(f"{'mean':14}{'':>6}{mean[0]:>9.1f}%{mean[1]:>10.1f}%   reads outside labels {outside[0]}, {outside[1]};"
          f' time {times[0] / max(1e-9, times[1]):.2f} of zxing-cpp\'s')


if __name__ == '__main__': main()

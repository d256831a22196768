#!/usr/bin/env python3
"""Counts the claims in rendered frames that show no anchor: rooms, pages of text and fabrics.

  negatives.py WAYMARK PICTURES [--frames 10000] [--anchors 500] [--seed 1] [--size 640x480] [--effort thorough] [--keep FOLDER]

Each kind takes a third of the frames. A room has walls, a floor, furniture with shelves, panes and plain posters, in perspective; a page has lines of
letters in fonts of several sizes, with rules and boxes, tilted; a fabric is a weave, stripes, checks, dots or a knit, bent in folds. All are unevenly lit,
out of focus, smeared and noisy, and compressed as JPEG. Claims are printed with their frames, which --keep leaves in a folder. Needs numpy and
opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile
import cv2, numpy as np
import library

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("--frames", type=int, default=10000)
ap.add_argument("--anchors", type=int, default=500); ap.add_argument("--seed", type=int, default=1); ap.add_argument("--size", default="640x480")
ap.add_argument("--effort"); ap.add_argument("--keep")
a = ap.parse_args()
cv2.setNumThreads(1)
W, H = map(int, a.size.split("x"))
LETTERS = list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;-€%&")


def tilted(rng, picture, gray):
    """The picture as seen from one side, before a plain ground."""
    h, w = picture.shape; angle = rng.uniform(-.4, .4); c, s = np.cos(angle), np.sin(angle); k = rng.uniform(.7, 1.5)
    q = np.float32([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 * k @ np.float32([[c, s], [-s, c]]) + [W / 2, H / 2] + rng.uniform(-60, 60, (4, 2))
    M = cv2.getPerspectiveTransform(np.float32([[0, 0], [w, 0], [w, h], [0, h]]), np.float32(q))
    return cv2.warpPerspective(picture, M, (W, H), flags=cv2.INTER_AREA, borderValue=gray)


def word(rng): return "".join(rng.choice(LETTERS, int(rng.integers(2, 11))))


def write(rng, picture, left, top, right, bottom, size, ink):
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_PLAIN]))
    thick = int(rng.integers(1, 1 + max(2, round(2.5 * size)))); y = top + int(30 * size); drawn = picture.astype(np.uint8)
    while y < bottom:
        x = left + int(rng.uniform(0, 30))
        while x < right:
            text = word(rng); cv2.putText(drawn, text, (x, y), font, size, float(ink), thick, cv2.LINE_AA)
            x += cv2.getTextSize(text, font, size, thick)[0][0] + int(14 * size)
        y += int(rng.uniform(32, 46) * size)
    picture[:] = drawn


def page(rng):
    paper, ink = rng.uniform(150, 250), rng.uniform(0, 90)
    if rng.random() < .2: paper, ink = ink, paper
    p = np.full((H, W), paper, np.float32); y = int(rng.integers(5, 40))
    while y < H:
        height = int(rng.integers(40, 220)); columns = int(rng.integers(1, 4))
        for k in range(columns):
            write(rng, p, k * W // columns + 10, y, (k + 1) * W // columns - 30, min(H, y + height), rng.uniform(.3, 1.6), ink)
        if rng.random() < .3: cv2.line(p, (10, y), (W - 10, y), float(ink), int(rng.integers(1, 4)))
        if rng.random() < .3: cv2.rectangle(p, (int(rng.integers(0, W // 2)), y), (int(rng.integers(W // 2, W)), y + height), float(ink), int(rng.integers(1, 4)))
        y += height + int(rng.integers(5, 40))
    return tilted(rng, p, rng.uniform(20, 220)) if rng.random() < .8 else p


def fabric(rng):
    y, x = np.mgrid[:H, :W].astype(np.float32); turn = rng.uniform(0, np.pi); fold = rng.uniform(0, 12)
    bend = fold * np.sin(x / rng.uniform(40, 160) + rng.uniform(0, 6)) + fold * np.sin(y / rng.uniform(40, 160))
    u, v = x * np.cos(turn) + y * np.sin(turn) + bend, y * np.cos(turn) - x * np.sin(turn) + bend
    period = rng.uniform(4, 60); p, q = 2 * np.pi * u / period, 2 * np.pi * v / (period * rng.uniform(.5, 2)); kind = rng.integers(5)
    if kind == 0: g = np.where((np.floor(p / np.pi) + np.floor(q / np.pi)) % 2 == 0, np.sin(4 * p), np.sin(4 * q))
    elif kind == 1: g = np.sign(np.sin(p)) + .5 * np.sign(np.sin(p * rng.uniform(1.5, 4)))
    elif kind == 2: g = np.sign(np.sin(p)) + np.sign(np.sin(q))
    elif kind == 3: g = ((np.sin(p) + np.sin(q)) > rng.uniform(.5, 1.6)).astype(np.float32)
    else: g = np.abs(np.sin(p + .8 * np.abs(np.sin(q)) * np.pi))
    threads = cv2.GaussianBlur(rng.normal(0, 1, (H, W)).astype(np.float32), (0, 0), rng.uniform(.6, 2))
    shade = cv2.resize(rng.normal(0, 1, (6, 8)).astype(np.float32), (W, H), interpolation=cv2.INTER_CUBIC)
    return (rng.uniform(70, 170) + rng.uniform(10, 60) * g + rng.uniform(0, 60) * threads + rng.uniform(0, 25) * shade).astype(np.float32)


def room(rng):
    p = np.full((H, W), rng.uniform(110, 230), np.float32); corner = rng.uniform(.2, .8) * W; floor = rng.uniform(.55, .85) * H
    cv2.fillPoly(p, [np.int32([[corner, 0], [W, -60], [W, H], [corner, floor]])], rng.uniform(80, 220))
    cv2.fillPoly(p, [np.int32([[0, floor + 60], [corner, floor], [W, floor + 80], [W, H], [0, H]])], rng.uniform(40, 180))
    for _ in range(int(rng.integers(0, 16))):
        cv2.line(p, (int(corner), int(floor)), (int(rng.uniform(-W, 2 * W)), H + 200), float(rng.uniform(30, 180)), 1)
    for _ in range(int(rng.integers(4, 14))):
        w, h = int(rng.uniform(30, 260)), int(rng.uniform(30, 260)); n = np.full((h, w), rng.uniform(30, 230), np.float32); what = rng.integers(5)
        cv2.rectangle(n, (0, 0), (w - 1, h - 1), float(rng.uniform(0, 255)), int(rng.integers(1, 6)))
        if what == 0:
            for y in range(0, h, int(rng.integers(18, 60))): cv2.line(n, (0, y), (w, y), float(rng.uniform(0, 120)), 3)
            for x in range(0, w, int(rng.integers(5, 16))):
                cv2.rectangle(n, (x, int(rng.uniform(0, h))), (x + int(rng.integers(3, 16)), h), float(rng.uniform(20, 240)), -1)
        elif what == 1:
            for j in range(1, int(rng.integers(2, 5))): cv2.line(n, (j * w // 4, 0), (j * w // 4, h), 20.0, 2); cv2.line(n, (0, j * h // 4), (w, j * h // 4), 20.0, 2)
        elif what == 2: write(rng, n, 4, 4, w - 10, h - 4, rng.uniform(.3, 1.2), rng.uniform(0, 255))
        elif what == 3:
            for _ in range(int(rng.integers(3, 30))):
                cv2.circle(n, (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(rng.uniform(2, 30)), float(rng.uniform(0, 255)), -1 if rng.random() < .5 else 2)
        else: n += cv2.resize(rng.normal(0, 25, (h // 6 + 1, w // 6 + 1)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
        at = np.float32([rng.uniform(-40, W - 20), rng.uniform(-40, H - 20)]); q = np.float32([[0, 0], [w, 0], [w, h], [0, h]])
        M = cv2.getPerspectiveTransform(q, q + at + np.float32(rng.uniform(-.12, .12, (4, 2)) * [w, h]))
        mask = cv2.warpPerspective(np.ones_like(n), M, (W, H)); p = p * (1 - mask) + mask * cv2.warpPerspective(n, M, (W, H), borderMode=cv2.BORDER_REPLICATE)
    return p


def seen(rng, g):
    y, x = np.mgrid[:H, :W]; turn = rng.uniform(0, 2 * np.pi)
    g = g * (1 + rng.uniform(0, .4) * ((x / W - .5) * np.cos(turn) + (y / H - .5) * np.sin(turn)))
    n = int(rng.integers(1, 6)); k = np.zeros((n, n), np.float32); k[n // 2, :] = 1 / n
    g = cv2.GaussianBlur(cv2.filter2D(g, -1, k if rng.random() < .5 else k.T), (0, 0), rng.uniform(.3, 1.5)) + rng.normal(0, rng.uniform(1, 5), (H, W))
    return cv2.imdecode(cv2.imencode(".jpg", np.clip(g, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(50, 95))])[1], 0)


with tempfile.TemporaryDirectory() as temporary:
    d = a.keep or temporary; os.makedirs(d, exist_ok=True)
    paths = sorted(glob.glob(f"{a.pictures}/*")); paths = paths[:: max(1, len(paths) // a.anchors)][: a.anchors]
    built = library.build(a.waymark, paths, d); claims = {}
    for start in range(0, a.frames, 100):
        kinds, names = [], []
        for k in range(start, min(start + 100, a.frames)):
            rng = np.random.default_rng([a.seed, k]); kind = (room, page, fabric)[k % 3]
            kinds.append(kind.__name__); names.append(f"{d}/negative-{k % 100:02}.pgm"); cv2.imwrite(names[-1], seen(rng, kind(rng)))
        effort = ["--effort", a.effort] if a.effort else []
        out = subprocess.run([a.waymark, "anchors", "match", built, *names, "--json", *effort], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        assert len(out) == len(names), "the program did not read every frame"
        for k, (kind, name, line) in enumerate(zip(kinds, names, out), start):
            found = json.loads(line)["anchors"]; n, c = claims.get(kind, (0, 0)); claims[kind] = (n + 1, c + len(found))
            if found:
                print(f"frame {k} ({kind}): {', '.join(x['name'] for x in found)}", flush=True)
                if a.keep: os.replace(name, f"{d}/claim-{k:05}.pgm")
        if (start // 100) % 10 == 9: print(f"{start + len(names)} frames", flush=True)
    print("; ".join(f"{kind}: {c} claims in {n} frames" for kind, (n, c) in claims.items()) + f"; {len(paths)} anchors")

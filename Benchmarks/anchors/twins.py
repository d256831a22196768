#!/usr/bin/env python3
"""Measures how pictures that look alike are distinguished: pairs of which a third of the area differs, each seen by a synthetic camera.

  twins.py WAYMARK PICTURES BACKGROUNDS [--pairs 200] [--seed 1] [--share 0.33] [--single] [--covered 0] [--keep FOLDER]

PICTURES is a folder of pictures to print, BACKGROUNDS one of pictures to stand behind them. The second of a pair is the first with a band, a block or
the middle of it replaced: in half of the pairs by a part of another picture, in the other half by a label with other words in both. Both are in
the library, or with --single the first alone. Each is shown once: 4 to 40 % of a frame of 640x480, tilted by up to 55 degrees, out of focus
by up to 1.5 pixels, with noise, other light and JPEG. --covered hides that share of it behind a piece of a background.

told: the right one is claimed; ambiguous: it is said that it may be either; wrong: the other one is claimed, and with --single, the first where the second is
shown; missed: nothing. Needs numpy and opencv-python-headless.
"""
import argparse, collections, glob, json, os, subprocess, tempfile
import cv2, numpy as np
import library

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("backgrounds"); ap.add_argument("--pairs", type=int, default=200)
ap.add_argument("--seed", type=int, default=1); ap.add_argument("--share", type=float, default=0.33); ap.add_argument("--single", action="store_true")
ap.add_argument("--covered", type=float, default=0.0); ap.add_argument("--keep"); ap.add_argument("--misses", action="store_true")
a = ap.parse_args()
cv2.setNumThreads(1)
pictures, grounds = sorted(glob.glob(f"{a.pictures}/*")), sorted(glob.glob(f"{a.backgrounds}/*"))
W, H = 640, 480
LETTERS = list("ABCDEFGHKLMNPRSTUVWXYZabcdefghkmnoprstuvwxyz0123456789")


def label(rng, w, h):
    """Words and a shape on plain ground."""
    dark = int(rng.integers(0, 110)); light = int(rng.integers(150, 256)); ground, ink = (light, dark) if rng.random() < 0.5 else (dark, light)
    out = np.full((h, w), ground, np.uint8); size = rng.uniform(0.6, 1.4) * min(w, h) / 100 + 0.3; y = int(10 + 24 * size)
    while y < h:
        word = "".join(rng.choice(LETTERS, rng.integers(3, 9)))
        cv2.putText(out, word, (int(rng.uniform(4, max(5, w / 3))), y), int(rng.integers(0, 4)), size, ink, max(1, int(2 * size)), cv2.LINE_AA)
        y += int(34 * size)
    cv2.circle(out, (int(rng.uniform(0.5, 0.9) * w), int(rng.uniform(0.3, 0.7) * h)), int(0.15 * min(w, h)), int(rng.integers(0, 256)), -1, cv2.LINE_AA)
    return out


def twins(rng, picture, donor):
    first = library.load(picture); h, w = first.shape; second = first.copy(); kind = rng.integers(4)
    if kind < 2:
        long = round(a.share * (h if kind == 0 else w)); at = int(rng.integers(0, (h if kind == 0 else w) - long + 1))
        x, y, bw, bh = (0, at, w, long) if kind == 0 else (at, 0, long, h)
    else:
        s = np.sqrt(a.share); bw, bh = round(w * s), round(h * s); x, y = (int(rng.integers(0, w - bw + 1)), int(rng.integers(0, h - bh + 1))) if kind == 2 else ((w - bw) // 2, (h - bh) // 2)
    if rng.random() < 0.5:
        first[y:y + bh, x:x + bw], second[y:y + bh, x:x + bw] = label(rng, bw, bh), label(rng, bw, bh)
    else:
        second[y:y + bh, x:x + bw] = cv2.resize(library.load(donor), (bw, bh), interpolation=cv2.INTER_AREA)
    return first, second


def show(rng, picture):
    h, w = picture.shape
    ground = cv2.resize(library.load(grounds[rng.integers(len(grounds))], 900), (W, H), interpolation=cv2.INTER_AREA).astype(np.float32)
    while True:
        tilt, axis, roll = np.radians(rng.uniform(0, 55)), rng.uniform(0, 6.28), rng.uniform(0, 6.28)
        R = cv2.Rodrigues(tilt * np.array([np.cos(axis), np.sin(axis), 0]))[0] @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
        z = 600 / np.sqrt(np.exp(rng.uniform(np.log(0.04), np.log(0.4))) * W * H / (w * h))
        M = np.array([[600, 0, W / 2], [0, 600, H / 2], [0, 0, 1]]) @ np.c_[R[:, 0], R[:, 1], [rng.uniform(-0.3, 0.3) * z / 2, rng.uniform(-0.2, 0.2) * z / 2, z]] @ np.array([[1, 0, -w / 2], [0, 1, -h / 2], [0, 0, 1]])
        q = np.c_[[[0, 0], [w, 0], [w, h], [0, h]], np.ones(4)] @ M.T
        if q[:, 2].min() <= 0: continue
        q = q[:, :2] / q[:, 2:]
        if q.min() > 2 and q[:, 0].max() < W - 2 and q[:, 1].max() < H - 2: break
    n = 3
    up = np.array([[n, 0, (n - 1) / 2], [0, n, (n - 1) / 2], [0, 0, 1.0]]) @ M
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.01, 0.35 * z / 600 / n))
    big = cv2.warpPerspective(soft.astype(np.float32), up, (W * n, H * n)); mask = cv2.warpPerspective(np.ones((h, w), np.float32), up, (W * n, H * n))
    small = lambda x: cv2.resize(x, (W, H), interpolation=cv2.INTER_AREA)
    frame = small(big * mask) + ground * (1 - small(mask)); seen = small(mask) > 0.5
    if a.covered:
        other = cv2.resize(library.load(grounds[rng.integers(len(grounds))], 900), (W, H)).astype(np.float32); ys, xs = np.where(seen); angle = rng.uniform(0, 6.28)
        d = xs * np.cos(angle) + ys * np.sin(angle); edge = np.quantile(d, 1 - a.covered); Y, X = np.mgrid[:H, :W]
        frame = np.where(X * np.cos(angle) + Y * np.sin(angle) > edge, other, frame)
    sigma = rng.uniform(0, 1.5)
    if sigma > 0.3: frame = cv2.GaussianBlur(frame, (0, 0), sigma)
    frame = 255 * rng.uniform(0.5, 1.1) * (np.clip(frame, 0, 255) / 255) ** rng.uniform(0.7, 1.4) + rng.normal(0, rng.uniform(1, 6), frame.shape)
    return cv2.imdecode(cv2.imencode(".jpg", np.clip(frame, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(50, 95))])[1], 0)


with tempfile.TemporaryDirectory() as folder:
    d = a.keep or folder; os.makedirs(f"{d}/anchors", exist_ok=True); os.makedirs(f"{d}/frames", exist_ok=True)
    # No picture is used twice, so that no two pairs are alike.
    order = np.random.default_rng(a.seed).permutation(len(pictures))
    for i in range(min(a.pairs, len(pictures) // 2)):
        rng = np.random.default_rng([a.seed, i])
        for which, picture in zip("ab", twins(rng, pictures[order[2 * i]], pictures[order[2 * i + 1]])):
            if which == "a" or not a.single: cv2.imwrite(f"{d}/anchors/{i:03}{which}.png", picture)
            cv2.imwrite(f"{d}/frames/{i:03}{which}.png", show(rng, picture))
    subprocess.run([a.waymark, "anchors", "build", f"{d}/anchors", "-o", f"{d}/library"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    out = subprocess.run([a.waymark, "anchors", "match", f"{d}/library", f"{d}/frames", "--json"], stdout=subprocess.PIPE, text=True).stdout
    table = collections.Counter()
    for line in out.splitlines():
        r = json.loads(line); true = os.path.basename(r["input"])[:4]; claims = {x["name"]: "ambiguous" in x for x in r["anchors"]}
        right = None if a.single and true[3] == "b" else true
        if any(n != right and not doubted for n, doubted in claims.items()): verdict = "wrong"
        elif right in claims and not claims[right]: verdict = "told"
        elif claims: verdict = "ambiguous"
        else: verdict = "missed"
        shown = "other shown" if a.single and true[3] == "b" else "shown"
        table[shown, verdict] += 1; table[shown, "n"] += 1; table[shown, "ms"] += 1e3 * r["elapsed"]
        if a.misses and verdict in ("wrong", "ambiguous"): print(f"  {true}: {verdict}, {claims}")
for shown in sorted({s for s, _ in table}):
    n = table[shown, "n"]; named = n - table[shown, "missed"]
    print(f"{shown:12} {n} frames: {table[shown, 'told']} told ({100 * table[shown, 'told'] / max(1, named):.1f} % of those named), {table[shown, 'ambiguous']} ambiguous, "
          f"{table[shown, 'wrong']} wrong, {table[shown, 'missed']} missed, {table[shown, 'ms'] / n:.1f} ms")

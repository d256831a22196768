#!/usr/bin/env python3
"""Measures copies of a picture in one frame: shelves of a few articles, rendered before photographs.

  copies.py WAYMARK PICTURES BACKGROUNDS [--counts 2,5,10,20,30] [--frames 20] [--anchors 50] [--size 640x480] [--seed 1] [--follow N] [--keep FOLDER]

For every count `--frames` shelves are rendered that show so many things in rows: copies of one to three of the library's pictures,
each a little shifted, turned, lit and a fifth of them partly covered, the shelf seen at up to 40 degrees, defocus, noise. Told is a thing
with a claim of its picture within 3 pixels (mean of the corners); wrong is a claim beyond that, and a second one of the same thing. The
table has the same frames with one copy an anchor allowed. With --follow each shelf is shown N frames with the tremor of a hand and fresh
noise: how many things are followed after a quarter of them and at the end. Times are processor time a frame. Needs numpy and
opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile
import cv2, numpy as np
import library

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("backgrounds")
ap.add_argument("--counts", default="2,5,10,20,30"); ap.add_argument("--frames", type=int, default=20)
ap.add_argument("--anchors", type=int, default=50); ap.add_argument("--size", default="640x480")
ap.add_argument("--seed", type=int, default=1); ap.add_argument("--follow", type=int, default=0); ap.add_argument("--keep")
a = ap.parse_args()
cv2.setNumThreads(1)
W, H = map(int, a.size.split("x"))

def corners(M, w, h):
    p = M @ np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]], float).T
    return (p[:2] / p[2]).T

def shelf(rng, pictures, count, ground):
    """A frame and its truth: [name, corners]."""
    names = list(rng.choice(list(pictures), size=min(count, int(rng.integers(1, 4))), replace=False))
    rows = max(1, int(round((count * 0.6) ** 0.5)))
    per = -(-count // rows)
    cell_w, cell_h = 1.0 / per, 0.75 / rows
    # The shelf is a plane one wide and 0.75 high, seen from the front and a little from the side.
    tilt = np.deg2rad(rng.uniform(-40, 40, 2) * [0.4, 1]); f = 1.2
    R = cv2.Rodrigues(np.array([tilt[0], tilt[1], 0.0]))[0] @ cv2.Rodrigues(np.array([0, 0, rng.uniform(-0.15, 0.15)]))[0]
    K = np.array([[f * W, 0, W / 2 - .5], [0, f * W, H / 2 - .5], [0, 0, 1]])
    far = f * rng.uniform(1.0, 1.25)
    plane = K @ np.column_stack([R[:, 0], R[:, 1], [0, 0, far]])
    g = cv2.imread(ground, 0); s = max(W / g.shape[1], H / g.shape[0])
    out = cv2.resize(g, (int(np.ceil(g.shape[1] * s)), int(np.ceil(g.shape[0] * s))))[:H, :W].astype(np.float32)
    truth = []
    for i in range(count):
        name = names[i * len(names) // count]; picture = pictures[name]; h, w = picture.shape
        scale = min(0.94 * cell_w / w, 0.94 * cell_h / h)
        x, y = (i % per + .5) * cell_w - .5, (i // per + .5) * cell_h - .375
        x += rng.uniform(-.02, .02) * cell_w; y += rng.uniform(-.02, .02) * cell_h; t = rng.normal(0, .02)
        place = np.array([[np.cos(t), -np.sin(t), x], [np.sin(t), np.cos(t), y], [0, 0, 1]]) @ np.diag([scale, scale, 1]) @ np.array([[1, 0, -w / 2], [0, 1, -h / 2], [0, 0, 1]])
        M = plane @ place; M /= M[2, 2]
        c = corners(M, w, h)
        if (c < 0).any() or (c[:, 0] > W).any() or (c[:, 1] > H).any(): continue
        shown = (picture.astype(np.float32) - 128) * rng.uniform(.75, 1.05) + 128 + rng.uniform(-18, 12)
        if rng.random() < .2:
            cw, ch = int(w * rng.uniform(.2, .45)), int(h * rng.uniform(.2, .45)); cx, cy = rng.integers(0, w - cw), rng.integers(0, h - ch)
            shown[cy:cy + ch, cx:cx + cw] = rng.uniform(40, 200)
        # Reduced first as the frame reduces it, so that nothing aliases.
        k = max(1.0, np.sqrt(w * h / max(1.0, abs(cv2.contourArea(c.astype(np.float32))))))
        small = cv2.resize(shown, (max(1, round(w / k)), max(1, round(h / k))), interpolation=cv2.INTER_AREA)
        up = np.array([[w / small.shape[1], 0, w / small.shape[1] / 2 - .5], [0, h / small.shape[0], h / small.shape[0] / 2 - .5], [0, 0, 1]])
        D = M @ up
        layer = cv2.warpPerspective(small, D, (W, H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        mask = np.zeros((H, W), np.uint8); cv2.fillConvexPoly(mask, np.round((c - .5) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        m = mask / 255.0
        out = out * (1 - m) + layer * m
        truth.append((name, c))
    out = cv2.GaussianBlur(out, (0, 0), rng.uniform(.4, .9)) + rng.normal(0, 3, (H, W))
    return np.clip(out, 0, 255).astype(np.uint8), truth

def count_told(claims, truth):
    """Counts the claims that match an object of the frame, each object once, and the claims that match no object."""
    told = 0; left = list(truth)
    for x in claims:
        near = [k for k, (name, c) in enumerate(left) if name == x["name"] and np.linalg.norm(c - np.array(x["corners"]), axis=1).mean() < 3]
        if near: told += 1; left.pop(near[0])
    return told, len(claims) - told

def score(lines, truths):
    reports = [json.loads(line) for line in lines]; ms = [1e3 * r["elapsed"] for r in reports]
    told, wrong = np.sum([count_told(r["anchors"], truth) for r, truth in zip(reports, truths)], axis=0)
    return told, wrong, np.median(ms), np.quantile(ms, .95)

def follow(name, truth, seed):
    """Counts the reported and the wrong claims of a shelf after a quarter of the frames and at the end; with the times."""
    rng = np.random.default_rng(seed); shelf = cv2.imread(name, 0).astype(np.float32); shifts = []
    with tempfile.TemporaryDirectory() as t:
        for k in range(a.follow):
            x, y = .7 * np.sin(k / 5), .5 * np.cos(k / 7); shifts.append((x, y))
            frame = cv2.warpAffine(shelf, np.float32([[1, 0, x], [0, 1, y]]), (W, H), borderMode=cv2.BORDER_REFLECT) + rng.normal(0, 2, (H, W))
            cv2.imwrite(f"{t}/{k:04}.pgm", np.clip(frame, 0, 255).astype(np.uint8))
        out = subprocess.run([a.waymark, "anchors", "track", built, t, "--json", "--copies", "30"], stdout=subprocess.PIPE, text=True).stdout
    reports = [json.loads(line) for line in out.splitlines()]
    at = lambda k: count_told(reports[k]["anchors"], [(n, c + shifts[k]) for n, c in truth])
    return (*at(a.follow // 4), *at(a.follow - 1)), [1e3 * r["elapsed"] for r in reports]

with tempfile.TemporaryDirectory() as temporary:
    d = a.keep or temporary; os.makedirs(d, exist_ok=True)
    paths = sorted(glob.glob(f"{a.pictures}/*"))[: a.anchors]
    pictures = {library.name(p): library.load(p) for p in paths}
    built = library.build(a.waymark, paths, d)
    grounds = sorted(glob.glob(f"{a.backgrounds}/*"))
    print(f"{'things':>7}{'in sight':>10}{'told, 30 copies':>17}{'wrong':>7}{'median ms':>11}{'p95 ms':>8}{'told, 1 copy':>14}{'wrong':>7}{'median ms':>11}")
    for count in map(int, a.counts.split(",")):
        rng = np.random.default_rng(1000 * a.seed + count); names, truths = [], []
        for k in range(a.frames):
            frame, truth = shelf(rng, pictures, count, grounds[int(rng.integers(len(grounds)))])
            names.append(f"{d}/shelf-{count:02}-{k:03}.pgm"); cv2.imwrite(names[-1], frame); truths.append(truth)
        run = lambda *more: subprocess.run([a.waymark, "anchors", "match", built, *names, "--json", *more], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        many, one = score(run("--copies", "30"), truths), score(run(), truths)
        if a.follow:
            followed = [follow(n, t, k) for k, (n, t) in enumerate(zip(names, truths))]; ms = np.concatenate([f[1] for f in followed])
            early, early_wrong, late, late_wrong = np.sum([f[0] for f in followed], axis=0)
            print(f"{count:7}{sum(map(len, truths)):10}  followed after {a.follow // 4} frames {early}, wrong {early_wrong}; after {a.follow} {late}, wrong {late_wrong}; mean {ms.mean():.1f} ms, p95 {np.quantile(ms, .95):.1f}", flush=True)
        print(f"{count:7}{sum(map(len, truths)):10}{many[0]:17}{many[1]:7}{many[2]:11.1f}{many[3]:8.1f}{one[0]:14}{one[1]:7}{one[2]:11.1f}", flush=True)

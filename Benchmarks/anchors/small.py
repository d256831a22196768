#!/usr/bin/env python3
"""Measures how small a picture may be seen: recall by the width in the frame.

  small.py WAYMARK PICTURES BACKGROUNDS [--widths 50,60,70,80,90,100,110] [--frames 40] [--anchors 50] [--crop 300x140] [--size 640x360] [--seed 1] [--keep FOLDER]

For every width `--frames` frames are rendered before a photograph, each with one picture of the library whose longer side is so many pixels in the
frame, turned and tilted by up to 45 degrees, out of focus and smeared by up to a pixel, with noise of two gray levels and the artefacts of a video
(JPEG of quality 60 to 85). Found is a picture with a claim within 3 pixels (mean of the corners); off is one within 10, wrong is any other claim. Times are processor
time a frame. Needs numpy and opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile
import cv2, numpy as np
import library

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("backgrounds")
ap.add_argument("--widths", default="50,60,70,80,90,100,110"); ap.add_argument("--frames", type=int, default=40)
ap.add_argument("--anchors", type=int, default=50); ap.add_argument("--size", default="640x360")
ap.add_argument("--crop")
ap.add_argument("--seed", type=int, default=1); ap.add_argument("--keep")
a = ap.parse_args()
cv2.setNumThreads(1)
W, H = map(int, a.size.split("x"))


def banner(path, folder):
    g = cv2.imread(path, 0); w, h = map(int, a.crop.split("x")); H, W = g.shape; s = max(w / W, h / H)
    g = cv2.resize(g, (max(w, round(s * W)), max(h, round(s * H))), interpolation=cv2.INTER_AREA); y, x = (g.shape[0] - h) // 2, (g.shape[1] - w) // 2
    out = f"{folder}/{os.path.splitext(os.path.basename(path))[0]}.png"; cv2.imwrite(out, g[y:y + h, x:x + w])
    return out


def corners(M, w, h):
    p = M @ np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]], float).T
    return (p[:2] / p[2]).T


def render(rng, picture, width, ground):
    """A frame with the picture, its longer side `width` pixels long before it is tilted, and its corners."""
    h, w = picture.shape; f = 1.1 * W; unit = 1 / max(w, h)
    R = cv2.Rodrigues(np.array([0, 0, rng.uniform(-.4, .4)]))[0]
    angle, way = np.deg2rad(rng.uniform(0, 45)), rng.uniform(0, 2 * np.pi)
    R = cv2.Rodrigues(angle * np.array([np.cos(way), np.sin(way), 0]))[0] @ R
    far = f / width
    x, y = rng.uniform(.15, .85) * W, rng.uniform(.2, .8) * H
    plane = np.column_stack([R[:, 0], R[:, 1], [(x - W / 2) / f * far, (y - H / 2) / f * far, far]])
    M = np.array([[f, 0, W / 2 - .5], [0, f, H / 2 - .5], [0, 0, 1]]) @ plane @ np.array([[unit, 0, -unit * w / 2], [0, unit, -unit * h / 2], [0, 0, 1]])
    M /= M[2, 2]; c = corners(M, w, h)
    g = cv2.imread(ground, 0); s = max(W / g.shape[1], H / g.shape[0])
    out = cv2.resize(g, (int(np.ceil(g.shape[1] * s)), int(np.ceil(g.shape[0] * s))))[:H, :W].astype(np.float32)
    shown = (picture.astype(np.float32) - 128) * rng.uniform(.7, 1) + 128 + rng.uniform(-20, 15)
    # Drawn at four times the size from a picture that was reduced to it, so that nothing aliases.
    n = 4; k = max(1.0, 1 / (n * width * unit))
    small = cv2.resize(shown, (round(w / k), round(h / k)), interpolation=cv2.INTER_AREA)
    up = np.array([[n, 0, (n - 1) / 2], [0, n, (n - 1) / 2], [0, 0, 1]]) @ M @ np.array([[w / small.shape[1], 0, w / small.shape[1] / 2 - .5], [0, h / small.shape[0], h / small.shape[0] / 2 - .5], [0, 0, 1]])
    low = np.floor(c.min(0)).astype(int) - 3; high = np.ceil(c.max(0)).astype(int) + 3
    low, high = np.maximum(low, 0), np.minimum(high, [W, H])
    size = tuple(int(v) for v in n * (high - low)); up = np.array([[1, 0, -n * low[0]], [0, 1, -n * low[1]], [0, 0, 1.0]]) @ up
    big = cv2.warpPerspective(small, up, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(np.ones_like(small), up, size)
    to = tuple(int(v) for v in high - low)
    m = cv2.resize(mask, to, interpolation=cv2.INTER_AREA); part = cv2.resize(big, to, interpolation=cv2.INTER_AREA)
    box = (slice(low[1], high[1]), slice(low[0], high[0]))
    out[box] = out[box] * (1 - m) + part * m
    smear, turn = rng.uniform(0, 1), rng.uniform(0, np.pi)
    D = np.array([smear * np.cos(turn), smear * np.sin(turn)]) / 2
    out = sum(cv2.warpAffine(out, np.float32([[1, 0, t * D[0]], [0, 1, t * D[1]]]), (W, H), borderMode=cv2.BORDER_REPLICATE) for t in (-1, -.33, .33, 1)) / 4
    out = cv2.GaussianBlur(out, (0, 0), rng.uniform(.4, 1)) + rng.normal(0, 2, (H, W))
    out = np.clip(out, 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 86))])[1], 0), c


with tempfile.TemporaryDirectory() as temporary:
    d = a.keep or temporary; os.makedirs(d, exist_ok=True)
    paths = sorted(glob.glob(f"{a.pictures}/*"))[: a.anchors]
    if a.crop: paths = [banner(p, d) for p in paths]
    pictures = {library.name(p): library.load(p) for p in paths}
    built = library.build(a.waymark, paths, d)
    grounds = sorted(glob.glob(f"{a.backgrounds}/*"))
    print(f"{'width':>6}{'frames':>8}{'found':>7}{'off':>5}{'wrong':>7}{'median px':>11}{'median ms':>11}")
    for width in map(int, a.widths.split(",")):
        rng = np.random.default_rng(1000 * a.seed + width); names, truths = [], []
        for k in range(a.frames):
            name = str(rng.choice(list(pictures)))
            frame, c = render(rng, pictures[name], width, grounds[int(rng.integers(len(grounds)))])
            names.append(f"{d}/small-{width:03}-{k:03}.pgm"); cv2.imwrite(names[-1], frame); truths.append((name, c))
        if a.keep: json.dump([(n, c.tolist()) for n, c in truths], open(f"{d}/truth-{width:03}.json", "w"))
        out = subprocess.run([a.waymark, "anchors", "match", built, *names, "--json"], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        found = off = wrong = 0; errors, ms = [], []
        for r, (name, c) in zip(map(json.loads, out), truths):
            ms.append(1e3 * r["elapsed"])
            for x in r["anchors"]:
                e = np.linalg.norm(c - np.array(x["corners"]), axis=1).mean() if x["name"] == name else np.inf
                if e < 3: found += 1; errors.append(e)
                elif e < 10: off += 1
                else: wrong += 1
        print(f"{width:6}{a.frames:8}{found:7}{off:5}{wrong:7}{np.median(errors) if errors else np.nan:11.2f}{np.median(ms):11.1f}", flush=True)

#!/usr/bin/env python3
"""Counts how often a picture that repeats itself slips by a step while it is followed: rows of icons, and bricks.

  slips.py WAYMARK [--sequences 6] [--frames 150] [--seed 11] [--others WAYMARK]

Draws the pictures and, for each, a hand-held path of 8 to 25 pixels a frame (single ones up to 48) with the smear of a shutter that is open for four
fifths of a frame, noise of three gray levels, and half a second out of focus. A slip is a frame that is told with `fullTracking` while its corners are off by
more than five pixels in the mean. --others measures another build beside, in turns. Needs numpy and opencv-python-headless.
"""
import argparse, json, subprocess, tempfile
import cv2, numpy as np
from handheld import H, W, Path

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("--sequences", type=int, default=6); ap.add_argument("--frames", type=int, default=150)
ap.add_argument("--seed", type=int, default=11); ap.add_argument("--others")
a = ap.parse_args()
cv2.setNumThreads(1)


def icons(rng, columns=9, rows=5, cell=52):
    sheet = np.full((rows * cell, columns * cell), 235, np.uint8)
    for r in range(rows):
        for c in range(columns):
            t, m, tone = np.full((cell, cell), 235, np.uint8), cell // 2, int(rng.integers(20, 120))
            cv2.rectangle(t, (6, 6), (cell - 7, cell - 7), 60, 2)
            kind = rng.integers(0, 5)
            if kind == 0: cv2.circle(t, (m, m), 10, tone, -1)
            elif kind == 1: cv2.rectangle(t, (m - 9, m - 9), (m + 9, m + 9), tone, 3)
            elif kind == 2: cv2.line(t, (m - 10, m - 10), (m + 10, m + 10), tone, 4); cv2.line(t, (m - 10, m + 10), (m + 10, m - 10), tone, 4)
            elif kind == 3: cv2.putText(t, chr(65 + rng.integers(26)), (m - 10, m + 10), cv2.FONT_HERSHEY_SIMPLEX, 1, tone, 3)
            else: cv2.fillPoly(t, [np.int32([[m, m - 11], [m + 11, m + 9], [m - 11, m + 9]])], tone)
            sheet[r * cell:(r + 1) * cell, c * cell:(c + 1) * cell] = t
    return sheet


def bricks(rng, w=468, h=260):
    wall = np.full((h, w), 190, np.uint8)
    for r in range(h // 26):
        for c in range(-26 if r % 2 else 0, w, 52):
            cv2.rectangle(wall, (c + 2, r * 26 + 2), (c + 49, r * 26 + 23), int(rng.integers(90, 130)), -1)
    return np.clip(wall + rng.normal(0, 4, wall.shape), 0, 255).astype(np.uint8)


def clutter(rng):
    ground = np.full((H, W), 128, np.uint8)
    for _ in range(300):
        p = rng.integers(0, [W, H]); size = rng.integers(8, 90, 2)
        cv2.ellipse(ground, tuple(int(v) for v in p), tuple(int(v) for v in size // 2), float(rng.uniform(0, 180)), 0, 360, int(rng.integers(20, 235)), -1)
    return cv2.GaussianBlur(ground, (0, 0), 0.8).astype(np.float32)


builds = [("this", a.waymark)] + ([("other", a.others)] if a.others else [])
total = {name: [0, 0, 0, []] for name, _ in builds}
for s in range(a.sequences):
    rng = np.random.default_rng([a.seed, s])
    kind, picture = ("bricks", bricks(rng)) if s % 3 == 2 else ("icons", icons(rng))
    h, w = picture.shape
    ground = clutter(rng)
    path = Path(rng, (0.3, 0.8), [0.35, 0.35, 0.4, 0.09, 0.07, 0.10], [1, 1.6, 1.2, 2.2, 2.6, 1.8][s % 6], 0.46, (w, h))

    with tempfile.TemporaryDirectory() as d:
        cv2.imwrite(f"{d}/picture.png", picture)
        truth, paths = [], []
        for i in range(a.frames):
            t = i / 30
            frame = path.exposed(picture, ground, t, 0.8, 8)
            if 60 <= i < 75: frame = cv2.GaussianBlur(frame, (0, 0), 3)
            frame = np.clip(0.8 * frame + rng.normal(0, 3, frame.shape), 0, 255).astype(np.uint8)
            paths.append(f"{d}/{i:04}.pgm"); cv2.imwrite(paths[-1], frame)
            truth.append(path.corners(t))
        motion = np.linalg.norm(np.diff(truth, axis=0), axis=2).mean(1)
        line = f"{s} {kind:7} {motion.mean():5.1f} px a frame (up to {motion.max():.0f})"
        for name, waymark in builds:
            subprocess.run([waymark, "anchors", "build", "-o", f"{d}/library", "--fresh", f"{d}/picture.png"], check=True, capture_output=True)
            out = subprocess.run([waymark, "anchors", "track", f"{d}/library", *paths, "--json"], capture_output=True, text=True, check=True).stdout
            slips = untold = 0
            for row, q in zip(map(json.loads, out.splitlines()), truth):
                seen = [x for x in row["anchors"] if x["trackingMethod"] == "fullTracking"]
                total[name][3].append(row["elapsed"])
                if not seen: untold += 1
                elif np.linalg.norm(np.array(seen[0]["corners"]) - q, axis=1).mean() > 5: slips += 1
            total[name][0] += a.frames; total[name][1] += slips; total[name][2] += untold
            line += f"   {name}: {slips} slips, {untold} frames without a place"
        print(line)
for name, (frames, slips, untold, ms) in total.items():
    print(f"{name}: {slips} slips in {frames} frames, {untold} without a place, {1e3 * np.median(ms):.2f} ms a frame")

#!/usr/bin/env python3
"""Measures how exactly a picture is followed, beside OpenCV's pyramidal Lucas-Kanade.

  follow.py WAYMARK PICTURES BACKGROUNDS [--speeds 0,0.3,0.6,1,1.6,2.4] [--each 3] [--frames 150] [--seed 1] [--rest SECONDS] [--peers klt]
            [--others WAYMARK]

PICTURES is a folder of pictures to print, BACKGROUNDS one of pictures to stand behind them. For each speed --each sequences of other pictures are
rendered: a hand-held path (at 0 the camera rests), smeared by a shutter that is open for half of a frame, noise of three gray levels,
drifting gamma and gain. All pictures are in one library.

motion: pixels a frame; followed: frames told with the corners off by less than ten pixels in the mean; error: the mean of that distance;
jitter: the root mean square of its change from frame to frame, the mean of the sequences and the worst one; lag: with --rest, for which the picture
stands still before it sets off at full speed, how many frames the corners are behind their way at most in the first ten frames of it; <5: frames with
less than five pixels; sigma: the root mean square of the distances in units of the uncertainties told; ms: mean processor time
of a frame, detection included. bound: the jitter that the noise leaves to any estimate that looks at one frame alone and knows the picture, the
smear and the light (Cramér-Rao), by one frame of each sequence. The peer detects with 2,000 SIFT features, the
ratio test at 0.8 and MAGSAC++; then it finds up to 200 corners of the picture from where they were in the frame before, and
detects again where fewer than 12 agree. --others measures another build beside. Needs numpy and opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile, time
import cv2, numpy as np
import library
from handheld import H, W, Path

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("backgrounds")
ap.add_argument("--speeds", default="0,0.3,0.6,1,1.6,2.4"); ap.add_argument("--frames", type=int, default=150)
ap.add_argument("--each", type=int, default=3); ap.add_argument("--seed", type=int, default=1); ap.add_argument("--peers", default="klt"); ap.add_argument("--others")
ap.add_argument("--rest", type=float, default=0)
a = ap.parse_args()
cv2.setNumThreads(1)
speeds = [float(s) for s in a.speeds.split(",")]
NOISE = 3


def background(path):
    return cv2.resize(cv2.imread(path, 0), (W, H), interpolation=cv2.INTER_AREA).astype(np.float32)


class KLT:
    def __init__(self, picture):
        self.size, self.sift, self.matcher = picture.shape[::-1], cv2.SIFT_create(2000), cv2.BFMatcher()
        self.points, self.words = self.sift.detectAndCompute(picture, None)
        self.corners = cv2.goodFeaturesToTrack(picture, 200, 0.01, 7)
        self.last = self.map = None

    def fit(self, there, here):
        M, kept = cv2.findHomography(there, here, cv2.USAC_MAGSAC, 3) if len(there) >= 12 else (None, None)
        self.map = M if M is not None and kept.sum() >= 12 else None

    def detect(self, frame):
        points, words = self.sift.detectAndCompute(frame, None)
        pairs = [] if words is None else self.matcher.knnMatch(self.words, words, k=2)
        good = [p[0] for p in pairs if len(p) == 2 and p[0].distance < 0.8 * p[1].distance]
        self.fit(np.float32([self.points[m.queryIdx].pt for m in good]), np.float32([points[m.trainIdx].pt for m in good]))

    def follow(self, frame):
        """The corners of the picture in the next frame; None where it is lost."""
        if self.map is not None:
            before = cv2.perspectiveTransform(self.corners, self.map)
            now, seen, _ = cv2.calcOpticalFlowPyrLK(self.last, frame, before, None, winSize=(21, 21), maxLevel=3)
            self.fit(self.corners[seen[:, 0] > 0], now[seen[:, 0] > 0])
        if self.map is None: self.detect(frame)
        self.last = frame
        w, h = self.size
        return None if self.map is None else cv2.perspectiveTransform(np.float64([[[0, 0], [w, 0], [w, h], [0, h]]]), self.map)[0]


def bound(frame, corners, size):
    """The least jitter: from the derivatives of the pixels by the eight coordinates of the corners."""
    w, h = size
    rectangle = np.float32([[0, 0], [w, 0], [w, h], [0, h]])
    place = lambda moved: cv2.getPerspectiveTransform(rectangle, np.float32(corners + moved))
    inside = cv2.erode(cv2.fillConvexPoly(np.zeros((H, W), np.uint8), np.int32(corners), 1), np.ones((7, 7))) > 0
    y, x = np.where(inside)
    there = cv2.perspectiveTransform(np.float64(np.c_[x, y])[None], np.linalg.inv(place(np.zeros((4, 2)))))
    slopes = [cv2.Sobel(frame, cv2.CV_64F, dx, 1 - dx, ksize=3)[inside] / 8 for dx in (1, 0)]
    rows, step = [], 0.05
    for i in range(8):
        moved = step * np.eye(8)[i].reshape(4, 2)
        d = (cv2.perspectiveTransform(there, place(moved)) - cv2.perspectiveTransform(there, place(-moved)))[0] / (2 * step)
        rows.append(slopes[0] * d[:, 0] + slopes[1] * d[:, 1])
    rows = np.array(rows)
    return float(np.sqrt(2 * NOISE ** 2 * np.trace(np.linalg.inv(rows @ rows.T)) / 4))


def score(told, truth, ms):
    """(followed, below five pixels, error, jitter, lag, sigma, ms) of a sequence."""
    errors, steps, lags, parts, before = [], [], [0], [], None
    for i, (found, true) in enumerate(zip(told, truth)):
        off = None if found is None else np.array(found["corners"]) - true
        if off is None or np.linalg.norm(off, axis=1).mean() >= 10: before = None; continue
        errors.append(np.linalg.norm(off, axis=1).mean())
        if before is not None: steps.append(((off - before) ** 2).sum(1).mean())
        if found.get("uncertainty"): parts.append((np.array(off) ** 2).sum(1).mean() / 2 / np.mean(np.square(found["uncertainty"])))
        if a.rest and 0 < i - round(30 * a.rest) <= 10:
            way = true - truth[i - 1]
            lags.append(-(off * way).sum() / (way * way).sum())
        before = off
    mean = lambda v: float(np.mean(v)) if v else float("nan")
    share = 100 / len(truth)
    return share * len(errors), share * sum(e < 5 for e in errors), mean(errors), mean(steps) ** 0.5, max(lags), mean(parts) ** 0.5, float(np.mean(ms))


with tempfile.TemporaryDirectory() as folder:
    pictures, grounds = sorted(glob.glob(f"{a.pictures}/*")), sorted(glob.glob(f"{a.backgrounds}/*"))
    chosen = [pictures[i] for i in np.random.default_rng(a.seed).permutation(len(pictures))[:len(speeds) * a.each]]
    os.makedirs(f"{folder}/pictures")
    names = [f"{folder}/pictures/{k:03}.png" for k in range(len(chosen))]
    for path, name in zip(chosen, names): cv2.imwrite(name, library.load(path))
    known = library.build(a.waymark, names, folder)
    builds = [("waymark", a.waymark)] + ([("other", a.others)] if a.others else [])
    print("motion           followed       <5   error  jitter (worst)    lag  sigma     ms   bound")
    for number, speed in enumerate(speeds):
        table, motion, bounds = {}, [], []
        for k in range(number * a.each, min((number + 1) * a.each, len(chosen))):
            rng, picture = np.random.default_rng([a.seed, k]), cv2.imread(names[k], 0)
            ground = background(grounds[rng.integers(len(grounds))])
            reach = np.array([0.5, 0.5, 0.6, 0.045, 0.03, 0.10]) * min(1, speed)
            path = Path(rng, (0.15, 0.6), reach, max(0.3, speed), 0.36, picture.shape[::-1], a.rest)
            frames, files, truth = [], [], []
            for i in range(a.frames):
                t = i / 30
                frame = path.exposed(picture, ground, t, 0.5, 4 if speed else 1)
                frame = 255 * (1 - 0.125 * (1 + np.sin(0.7 * t))) * (frame / 255) ** (1 + 0.2 * np.sin(t))
                if i == a.frames // 2: bounds.append(bound(frame, path.corners(t), path.size))
                frames.append(np.clip(frame + rng.normal(0, NOISE, frame.shape), 0, 255).astype(np.uint8)); truth.append(path.corners(t))
                files.append(f"{folder}/{i:04}.pgm"); cv2.imwrite(files[-1], frames[-1])
            motion.append(np.linalg.norm(np.diff(truth, axis=0), axis=2).mean())
            for name, waymark in builds:
                out = subprocess.run([waymark, "anchors", "track", known, *files, "--json"], capture_output=True, text=True).stdout
                rows = [json.loads(line) for line in out.splitlines()]
                told = [next((x for x in row["anchors"] if x["name"] == library.name(names[k])), None) for row in rows]
                table.setdefault(name, []).append(score(told, truth, [1e3 * row["elapsed"] for row in rows]))
            if "klt" in a.peers:
                peer, told, ms = KLT(picture), [], []
                for frame in frames:
                    start = time.process_time(); corners = peer.follow(frame); ms.append(1e3 * (time.process_time() - start))
                    told.append(None if corners is None else {"corners": corners})
                table.setdefault("klt", []).append(score(told, truth, ms))
        for name, values in table.items():
            followed, near, error, jitter, _, sigma, ms = np.nanmean(values, 0)
            worst = np.nanmax(values, 0)
            print(f"{np.mean(motion):6.1f} {name:8} {followed:7.1f} % {near:6.1f} % {error:7.3f} {jitter:7.3f} {worst[3]:7.3f} {worst[4]:6.2f} {sigma:6.2f} {ms:6.2f} {np.mean(bounds):7.3f}")

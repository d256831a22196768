#!/usr/bin/env python3
"""Counts the claims in frames that show none of a library's anchors, each frame alone and as a sequence.

  claims.py WAYMARK PICTURES FRAMES [--peers sift] [--rate 30] [--copies 1]

PICTURES is a folder of references, FRAMES a folder of frames in the order of their names, none of which shows a reference. A
peer claims what 12 correspondences under MAGSAC say. Needs numpy and opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile
import cv2, numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("frames")
ap.add_argument("--peers", default="sift"); ap.add_argument("--rate", default="30")
ap.add_argument("--copies", default="1", help="how many copies of each reference may be claimed")
a = ap.parse_args()
cv2.setNumThreads(1)
frames = sorted(glob.glob(f"{a.frames}/*"))

def ours(mode, extra=()):
    out = subprocess.run([a.waymark, "anchors", mode, library, *frames, "--json", "--copies", a.copies, *extra], stdout=subprocess.PIPE, text=True).stdout
    return [(r["input"], [x["name"] for x in r["anchors"]]) for r in map(json.loads, out.splitlines())]

def sift():
    feat = cv2.SIFT_create(1000)
    def gray(p):
        g = cv2.imread(p, 0); s = 480 / max(g.shape)
        return cv2.resize(g, None, fx=s, fy=s, interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_CUBIC)
    parts = [(p, *feat.detectAndCompute(gray(p), None)) for p in sorted(glob.glob(f"{a.pictures}/*"))]
    parts = [p for p in parts if p[2] is not None]
    own = np.concatenate([np.full(len(k), i) for i, (_, k, _) in enumerate(parts)])
    P = np.array([q.pt for _, k, _ in parts for q in k], np.float32)
    m = cv2.FlannBasedMatcher(dict(algorithm=1, trees=4), dict(checks=64)); m.add([np.concatenate([d for _, _, d in parts])]); m.train()
    for f in frames:
        k, d = feat.detectAndCompute(cv2.imread(f, 0), None)
        found = []
        pairs = [] if d is None else [(x[0].queryIdx, x[0].trainIdx) for x in m.knnMatch(d, k=2) if len(x) == 2 and x[0].distance < 0.8 * x[1].distance]
        if len(pairs) >= 8:
            qi, ti = np.array(pairs).T; votes = np.bincount(own[ti], minlength=len(parts))
            for c in np.argsort(-votes)[:3]:
                if votes[c] < 8: break
                s = own[ti] == c
                H, inl = cv2.findHomography(P[ti[s]], np.float32([k[i].pt for i in qi[s]]), cv2.USAC_MAGSAC, 3.0, maxIters=2000, confidence=0.995)
                if H is not None and inl.sum() >= 12: found.append(os.path.basename(parts[c][0]))
        yield f, found

with tempfile.TemporaryDirectory() as d:
    library = f"{d}/library"
    subprocess.run([a.waymark, "anchors", "build", a.pictures, "-o", library], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rows = {"match": ours("match"), "track": ours("track", ["--rate", a.rate])}
    if "sift" in a.peers.split(","): rows["SIFT"] = list(sift())
for name, results in rows.items():
    wrong = [(os.path.basename(f), c) for f, c in results if c]
    print(f"{name:6} {len(wrong)} of {len(results)} frames with a claim")
    for f, c in wrong: print(f"         {f}: {', '.join(c)}")

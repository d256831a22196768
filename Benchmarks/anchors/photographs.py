#!/usr/bin/env python3
"""Counts which references are found in photographs of walls, beside SIFT.

  photographs.py WAYMARK PHOTOGRAPHS REFERENCES [--long 640,1280] [--peers sift]

PHOTOGRAPHS holds pictures and truth.json: {"photographs": [{"image", "paintings": [{"reference": NAME or null, "frame": [[x, y] x 4]}]}]}, REFERENCES
one picture for each NAME. The photographs are reduced to each of the sizes. Found is a reference that hangs there and is claimed with its middle
inside the outline; wrong is any other claim. SIFT has 2,000 features, the ratio test at 0.8 and MAGSAC++, and claims with 12 inliers; its
descriptors of all references lie in one index. Times are processor time. Needs numpy and opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile, time
import cv2, numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("photographs"); ap.add_argument("references")
ap.add_argument("--long", default="640,1280"); ap.add_argument("--peers", default="sift")
a = ap.parse_args()
cv2.setNumThreads(1)
truth = json.load(open(f"{a.photographs}/truth.json"))["photographs"]
references = sorted(p for p in glob.glob(f"{a.references}/*") if p.lower().endswith((".jpg", ".jpeg", ".png")))


def ours(paths, library):
    out = subprocess.run([a.waymark, "anchors", "match", library, *paths, "--json"], stdout=subprocess.PIPE, text=True).stdout
    return [([(x["name"], np.mean(x["corners"], 0)) for x in r["anchors"]], 1e3 * r["elapsed"]) for r in map(json.loads, out.splitlines())]


def sift(paths):
    feature, index, known = cv2.SIFT_create(2000), cv2.FlannBasedMatcher(dict(algorithm=1, trees=4), dict(checks=64)), []
    for path in references:
        g = cv2.imread(path, 0); points, words = feature.detectAndCompute(g, None)
        known.append((os.path.splitext(os.path.basename(path))[0], g.shape, points)); index.add([words])
    index.train()
    for path in paths:
        start = time.process_time(); points, words = feature.detectAndCompute(cv2.imread(path, 0), None); pairs, told = {}, []
        for m in index.knnMatch(words, k=2):
            if len(m) == 2 and m[0].distance < 0.8 * m[1].distance: pairs.setdefault(m[0].imgIdx, []).append(m[0])
        for k, matches in pairs.items():
            if len(matches) < 12: continue
            name, (h, w), there = known[k]
            H, inside = cv2.findHomography(np.float32([there[m.trainIdx].pt for m in matches]), np.float32([points[m.queryIdx].pt for m in matches]), cv2.USAC_MAGSAC, 3)
            if H is not None and inside.sum() >= 12: told.append((name, cv2.perspectiveTransform(np.float32([[[w / 2, h / 2]]]), H)[0, 0]))
        yield told, 1e3 * (time.process_time() - start)


with tempfile.TemporaryDirectory() as work:
    library = f"{work}/library"
    subprocess.run([a.waymark, "anchors", "build", *references, "-o", library], check=True, stdout=subprocess.DEVNULL)
    print(f"{'':16} {'found':>12} {'wrong':>6} {'ms':>7}")
    for long in map(int, a.long.split(",")):
        paths, scales = [], []
        for n, p in enumerate(truth):
            g = cv2.imread(f"{a.photographs}/{p['image']}", 0); s = min(1, long / max(g.shape))
            paths.append(f"{work}/{n:05}.png"); scales.append(s); cv2.imwrite(paths[-1], cv2.resize(g, None, fx=s, fy=s, interpolation=cv2.INTER_AREA))
        for who in ["waymark", *filter(None, a.peers.split(","))]:
            found = wrong = wanted = 0; ms = []
            for p, s, (told, each) in zip(truth, scales, ours(paths, library) if who == "waymark" else sift(paths)):
                hang = [(x["reference"], np.float32(x["frame"]) * s) for x in p["paintings"] if x["reference"]]; wanted += len(hang); ms.append(each)
                for name, middle in told:
                    right = [h for h in hang if h[0] == name and cv2.pointPolygonTest(h[1], [float(v) for v in middle], False) >= 0]
                    if right: found += 1; hang = [h for h in hang if h is not right[0]]
                    else: wrong += 1
            print(f"{who + ' ' + str(long):16} {f'{found} of {wanted}':>12} {wrong:6} {np.median(ms):7.1f}", flush=True)

#!/usr/bin/env python3
"""Runs waymark and OpenCV's SIFT and ORB on the same frames, one after the other, and prints a table.

  compare.py WAYMARK DATA [--suite mixed] [--every N] [--anchors 50] [--mirrored] [--peers sift,orb] [--library FILE] [--copies N]

Large libraries: --suite mixed --anchors 954 --peers "", and the same with --mirrored, which adds every reference once more, mirrored.
Thousands: build a library of DATA's anchors, make a large one of it with grow.py, and name that as --library.

DATA holds truth.json ({"anchors": [{"id", "file", "w", "h"}], "frames": [{"frame", "suite", "anchors": [{"id",
"corners"}]}]}), frames/*.pgm and the reference pictures. $WAYMARK_DATA stands in for DATA. Needs numpy and
opencv-python-headless. Times are processor time of one thread, so that other work on the machine hardly counts; run it pinned
to one core (taskset -c 0).
"""
import argparse, json, os, subprocess, sys, tempfile, time
import cv2, numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark")
ap.add_argument("data", nargs="?", default=os.environ.get("WAYMARK_DATA"))
ap.add_argument("--suite"); ap.add_argument("--every", type=int, default=1)
ap.add_argument("--anchors", type=int, default=50)
ap.add_argument("--mirrored", action="store_true")
ap.add_argument("--peers", default="sift,orb")
ap.add_argument("--copies", type=int, help="how many copies of each anchor may be told; every further one is wrong")
ap.add_argument("--library"); ap.add_argument("--width", type=float, default=0.2)
a = ap.parse_args()
if not a.data: ap.error("name a folder, or set WAYMARK_DATA")
cv2.setNumThreads(1)
truth = json.load(open(f"{a.data}/truth.json"))
anchors, frames = truth["anchors"][: a.anchors], [f for f in truth["frames"] if a.suite in (None, f["suite"])][:: a.every]

def corners(H, t):
    p = H @ np.array([[0, 0, 1], [t["w"], 0, 1], [t["w"], t["h"], 1], [0, t["h"], 1]], float).T
    return (p[:2] / p[2]).T

def ours():
    with tempfile.TemporaryDirectory() as d:
        manifest = f"{d}/list.json"
        entries = [{"name": t["id"], "image": os.path.abspath(f"{a.data}/{t['file']}"), "physicalWidth": a.width} for t in anchors]
        for e in list(entries) if a.mirrored else []:
            flipped = f"{d}/{e['name']}-mirrored.pgm"
            cv2.imwrite(flipped, cv2.imread(e["image"], 0)[:, ::-1])
            entries.append(dict(e, name=e["name"] + "-mirrored", image=flipped))
        json.dump(entries, open(manifest, "w"))
        used = lambda: sum(os.times()[2:4])
        start, library = used(), a.library or f"{d}/library"
        if not a.library:
            subprocess.run([a.waymark, "anchors", "build", manifest, "-o", library, "--jobs", "1"], check=True, stdout=sys.stderr)
            print(f"build: {1e3 * (used() - start) / len(entries):.0f} ms an anchor", file=sys.stderr)
        paths = [f"{a.data}/frames/{f['frame']}.pgm" for f in frames]
        # What `build` needed says nothing about matching: it is measured beside this process's other children.
        measured = ["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:]); "
                    "print(f'match: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000:.0f} MB at its peak', file=sys.stderr)"]
        out = subprocess.run([*measured, a.waymark, "anchors", "match", library, *paths, "--json", *(["--copies", str(a.copies)] if a.copies else [])], stdout=subprocess.PIPE, text=True).stdout
        for f, line in zip(frames, out.splitlines()):
            r = json.loads(line)
            yield f, r["elapsed"], [(x["name"], np.array(x["corners"])) for x in r["anchors"]]

def peer(kind):
    feat = cv2.SIFT_create(1000) if kind == "sift" else cv2.ORB_create(1000, fastThreshold=10)
    parts = [(t, *feat.detectAndCompute(cv2.imread(f"{a.data}/{t['file']}", 0), None)) for t in anchors]
    own = np.concatenate([np.full(len(k), i) for i, (_, k, _) in enumerate(parts)])
    P = np.array([p.pt for _, k, _ in parts for p in k], np.float32)
    db = np.concatenate([d for _, _, d in parts])
    if kind == "sift":
        m = cv2.FlannBasedMatcher(dict(algorithm=1, trees=4), dict(checks=64)); m.add([db]); m.train(); knn = lambda d: m.knnMatch(d, k=2)
    else:
        bf = cv2.BFMatcher(cv2.NORM_HAMMING); knn = lambda d: bf.knnMatch(d, db, k=2)
    for f in frames:
        g = cv2.imread(f"{a.data}/frames/{f['frame']}.pgm", 0)
        start = time.process_time()
        k, d = feat.detectAndCompute(g, None)
        found = []
        if d is not None and len(k) >= 8:
            q = np.array([p.pt for p in k], np.float32)
            pairs = [(m[0].queryIdx, m[0].trainIdx) for m in knn(d) if len(m) == 2 and m[0].distance < 0.8 * m[1].distance]
            if len(pairs) >= 8:
                qi, ti = np.array(pairs).T
                votes = np.bincount(own[ti], minlength=len(parts))
                for c in np.argsort(-votes)[:3]:
                    if votes[c] < 8: break
                    s = own[ti] == c
                    H, inl = cv2.findHomography(P[ti[s]], q[qi[s]], cv2.USAC_MAGSAC, 3.0, maxIters=2000, confidence=0.995)
                    if H is not None and inl.sum() >= 12: found.append((parts[c][0]["id"], corners(H, parts[c][0])))
        yield f, time.process_time() - start, found

print(f"{'':10}{'suite':10}{'<3 px %':>9}{'<5 px %':>9}{'<10 px %':>9}{'wrong':>7}{'median px':>11}{'median ms':>11}{'p95 ms':>9}")
medians = {}
for name in ["waymark"] + [p for p in a.peers.split(",") if p]:
    rows = {}
    for f, seconds, found in (ours() if name == "waymark" else peer(name)):
        r = rows.setdefault(f["suite"], dict(n=0, e=[], wrong=0, ms=[])); r["ms"].append(1e3 * seconds)
        want = {x["id"]: np.array(x["corners"]) for x in f["anchors"]}; r["n"] += len(want); seen = set()
        for i, c in found:
            e = np.linalg.norm(c - want[i], axis=1).mean() if i in want else np.inf
            if i in want and i not in seen and e <= 20: r["e"].append(e)
            else: r["wrong"] += 1
            seen.add(i)
    for suite, r in rows.items():
        e, n = np.array(r["e"]), max(1, r["n"]); medians[name, suite] = np.median(r["ms"])
        share = lambda t: 100 * (e < t).sum() / n
        med = f"{np.median(e):.2f}" if len(e) else "-"
        print(f"{name:10}{suite:10}{share(3):9.1f}{share(5):9.1f}{share(10):9.1f}{r['wrong']:7}{med:>11}{np.median(r['ms']):11.2f}{np.quantile(r['ms'], .95):9.2f}")
for (name, suite), ms in medians.items():
    if name != "waymark": print(f"{suite}: waymark takes 1/{ms / medians['waymark', suite]:.1f} of the median time of {name}")

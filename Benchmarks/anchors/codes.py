#!/usr/bin/env python3
"""Measures the pose of a followed QR code beside that of an AprilTag of the same printed size, on one rendered path.

  codes.py WAYMARK [--frames 90] [--every 1] [--size 0.04] [--path move|stand|face|all] [--sixty] [--flips 10000]

The printed size is 20 % of the frame's height at a distance of 25 cm; frames have four samples a pixel, a blur of 0.7 pixels and noise of
two gray levels. AprilTag 3 is Debian's (python3-apriltag, under Debian's own Python), its pose by IPPE from its corners. --sixty times
sixty codes in frames of 1280x720. --flips counts, over so many frames in which the code is seen face-on within a degree or two, in ten sequences,
how often the pose takes the other tilt; the frames are crops around the code with two samples a pixel. Needs numpy, opencv-python-headless (with aruco, for the tags' pictures) and qrencode.
"""
import argparse, json, os, subprocess, tempfile
import cv2, numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("--frames", type=int, default=90); ap.add_argument("--every", type=int, default=1)
ap.add_argument("--size", type=float, default=0.04); ap.add_argument("--path", default="all"); ap.add_argument("--sixty", action="store_true")
ap.add_argument("--flips", type=int)
a = ap.parse_args()
cv2.setNumThreads(1)
F = 600.0
rng = np.random.default_rng(1)

def qr(text):
    with tempfile.NamedTemporaryFile(suffix=".png") as f:
        subprocess.run(["qrencode", "-s", "1", "-m", "0", "-l", "M", "-o", f.name, text], check=True)
        return cv2.imread(f.name, 0)

def tag():
    return cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11), 7, 8)

def camera(w, h): return np.array([[F, 0, (w - 1) / 2], [0, F, (h - 1) / 2], [0, 0, 1]])

def ground(w, h):
    g = cv2.GaussianBlur(rng.integers(0, 255, (h, w)).astype(np.float32), (0, 0), 6)
    return (g - g.min()) / (g.max() - g.min()) * 120 + 60

def draw(frame, modules, R, t, size, K):
    """Draws a symbol into an enlarged frame; returns its true corners."""
    S, n, px = 4, modules.shape[0], 12
    q = max(1, round(n * .15))
    img = cv2.copyMakeBorder(modules, q, q, q, q, cv2.BORDER_CONSTANT, value=255).astype(np.float32) * .7 + 30
    img = cv2.resize(img, None, fx=px, fy=px, interpolation=cv2.INTER_NEAREST)
    s = size / (n * px); c = (img.shape[0] - 1) / 2; e = n * px / 2
    H = K @ np.column_stack([R[:, 0], R[:, 1], t]) @ np.array([[s, 0, -s * c], [0, s, -s * c], [0, 0, 1]])
    U = np.array([[S, 0, (S - 1) / 2], [0, S, (S - 1) / 2], [0, 0, 1.]])
    big = cv2.warpPerspective(img, U @ H, frame.shape[::-1], flags=cv2.INTER_LINEAR, borderValue=-1000)
    np.copyto(frame, big, where=big > -1)
    p = (H @ np.array([[c - e, c - e, 1], [c + e, c - e, 1], [c + e, c + e, 1], [c - e, c + e, 1]]).T)
    return (p[:2] / p[2]).T

def finish(big, w, h):
    f = cv2.GaussianBlur(cv2.resize(big, (w, h), interpolation=cv2.INTER_AREA), (0, 0), .7)
    return np.clip(f + rng.normal(0, 2, f.shape), 0, 255).astype(np.uint8)

def pose(path, T):
    if path == "stand": rv, t = [.35, -.25, .1], [.01, -.005, .25]
    elif path == "face": rv, t = [.01 * np.sin(2 * T), .01 * np.cos(1.3 * T), .1], [.002 * np.sin(T), 0, .25]
    else:
        rv = [.5 * np.sin(1.1 * T + .3), .5 * np.sin(.8 * T + 1), .3 * np.sin(.5 * T)]
        t = [.02 * np.sin(1.3 * T), .015 * np.sin(1.7 * T), .25 + .03 * np.sin(.9 * T)]
    return cv2.Rodrigues(np.array(rv))[0], np.array(t) * a.size / 0.04

def angle(A, B): return np.degrees(np.arccos(np.clip((np.trace(A.T @ B) - 1) / 2, -1, 1)))

def show(name, truth, P, C):
    pos = [100 * np.linalg.norm(t - truth[i][1]) / np.linalg.norm(truth[i][1]) for i, (R, t) in P.items()]
    rot = [angle(R, truth[i][0]) for i, (R, t) in P.items()]
    px = [np.linalg.norm(c, axis=1).mean() for c in C.values()]
    pairs = [(i, i + 1) for i in P if i + 1 in P]
    jp = [100 * np.linalg.norm(P[j][1] - P[i][1] - truth[j][1] + truth[i][1]) / np.linalg.norm(truth[i][1]) for i, j in pairs]
    jr = [angle(P[i][0].T @ P[j][0], truth[i][0].T @ truth[j][0]) for i, j in pairs]
    rms = lambda v: np.sqrt(np.mean(np.square(v))) if v else float("nan")
    print(f"  {name:12} found {len(P)}/{len(truth)}  corners {np.median(px):.3f} px  position {np.median(pos):.3f} % (p95 {np.quantile(pos, .95):.3f})  "
          f"rotation {np.median(rot):.3f} deg (p95 {np.quantile(rot, .95):.3f})  jitter {rms(jp):.4f} % {rms(jr):.4f} deg  flips {sum(r > 8 for r in jr)}")

APRIL = """
import sys, json, numpy as np
from apriltag import apriltag
d = apriltag('tag36h11')
for path in sys.argv[1:]:
    b = open(path, 'rb').read(); w, h = map(int, b.split(b'\\n')[1].split()); g = np.frombuffer(b[-w * h:], np.uint8).reshape(h, w)
    r = d.detect(g); print(json.dumps([list(map(float, p)) for p in r[0]['lb-rb-rt-lt']] if r else None))
"""

def save(path, g):
    with open(path, "wb") as f: f.write(b"P5\n%d %d\n255\n" % (g.shape[1], g.shape[0]) + g.tobytes())

def run(folder, K, width, extra=()):
    frames = sorted(f"{folder}/{f}" for f in os.listdir(folder) if f.startswith("qr"))
    out = subprocess.run([a.waymark + "-probes", "codes", *frames, "--every", str(a.every), "--formats", "qr",
                          "--intrinsics", f"{F},{F},{K[0, 2]},{K[1, 2]}", "--width", str(width), *extra], stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(l) for l in out.splitlines()]

def one(path):
    K = camera(640, 480); base = cv2.resize(ground(640, 480), (2560, 1920)); symbols = {"qr": qr("PUMP-7 https://example.com/p/7"), "tag": tag()}
    truth, corners = [], {"qr": [], "tag": []}
    with tempfile.TemporaryDirectory() as d:
        for i in range(a.frames):
            R, t = pose(path, i / 30); truth.append((R, t))
            for name, m in symbols.items():
                big = base.copy(); corners[name].append(draw(big, m, R, t, a.size, K)); save(f"{d}/{name}_{i:05d}.pgm", finish(big, 640, 480))
        rows = run(d, K, a.size)
        print(f"{path}: {sum(r['following'] for r in rows) / len(rows) * 1e3:.2f} ms a frame of following")
        FL, B = np.diag([1., -1, -1]), np.array([[1., 0, 0], [0, 0, -1], [0, 1, 0]])
        for key in ("pose", "rawPose"):
            P, C = {}, {}
            for i, r in enumerate(rows):
                seen = [c for c in r["codes"] if c["trackingMethod"] == "fullTracking" and c[key]]
                if not seen: continue
                M = np.array(seen[0][key]["matrix"]).reshape(4, 4).T[:3, :3]
                P[i] = (FL @ M @ B, np.array(seen[0][key]["position"]) * [1, -1, -1]); C[i] = np.array(seen[0]["corners"]) - corners["qr"][i]
            show("ours" if key == "pose" else "ours, raw", truth, P, C)
        tags = sorted(f"{d}/{f}" for f in os.listdir(d) if f.startswith("tag"))
        peer = subprocess.run(["/usr/bin/python3", "-c", APRIL, *tags], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        if len(peer) != len(tags): print("  AprilTag is not there: apt-get install python3-apriltag python3-numpy"); return
        P, C = {}, {}; h = a.size / 2; obj = np.array([[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0]])
        for i, line in enumerate(peer):
            q = json.loads(line)
            if q is None: continue
            # Its pixels' centres lie at halves; which corner is first is up to the family.
            best = min((np.roll((np.array(q) - .5)[::-1], s, axis=0) for s in range(4)), key=lambda c: np.linalg.norm(c - corners["tag"][i]))
            _, rv, tv, _ = cv2.solvePnPGeneric(obj, best.reshape(-1, 1, 2), K, None, flags=cv2.SOLVEPNP_IPPE)
            P[i] = (cv2.Rodrigues(rv[0])[0], tv[0].ravel()); C[i] = best - corners["tag"][i]
        show("AprilTag 3", truth, P, C)

def sixty():
    w, h = 1280, 720; K = camera(w, h); symbols = [qr(f"LABEL {k:02d}") for k in range(60)]
    base = cv2.resize(ground(w, h), (4 * w, 4 * h))
    with tempfile.TemporaryDirectory() as d:
        for i in range(min(a.frames, 30)):
            big = base.copy(); R = cv2.Rodrigues(np.array([.1 * np.sin(i / 20), .1 * np.cos(i / 17), .02]))[0]
            for k, m in enumerate(symbols):
                p = np.array([(k % 10 - 4.5) * .06, (k // 10 - 2.5) * .06, 0])
                draw(big, m, R, R @ p + np.array([.004 * np.sin(i / 9), .003 * np.sin(i / 7), .36]), a.size, K)
            save(f"{d}/qr_{i:05d}.pgm", finish(big, w, h))
        rows = run(d, K, a.size)
        late = rows[len(rows) // 2:]
        seen = np.mean([sum(c["trackingMethod"] == "fullTracking" for c in r["codes"]) for r in late])
        print(f"sixty codes, 1280x720: {seen:.1f} followed, {np.mean([r['following'] for r in late]) * 1e3:.1f} ms a frame of following")

def flips():
    w, h, S, n = 240, 200, 2, a.flips // 10
    K = camera(w, h); FL, B = np.diag([1., -1, -1]), np.array([[1., 0, 0], [0, 0, -1], [0, 1, 0]])
    total = {"pose": 0, "rawPose": 0}; worst = {"pose": [], "rawPose": []}; seen = count = 0; tags = [0, 0]
    names = [qr(f"PART {k:04d}") for k in range(10)]; mark = tag()
    for k in range(10):
        base = cv2.resize(ground(w, h), (S * w, S * h)); phase = rng.uniform(0, 6.28, 5); truth = []
        tilt = .01 if k % 2 else .035
        def render(m, R, t):
            px, size = 8, m.shape[0]; q = max(1, round(size * .15))
            img = cv2.resize(cv2.copyMakeBorder(m, q, q, q, q, cv2.BORDER_CONSTANT, value=255).astype(np.float32) * .7 + 30, None, fx=px, fy=px, interpolation=cv2.INTER_NEAREST)
            s = a.size / (size * px); c = (img.shape[0] - 1) / 2
            H = K @ np.column_stack([R[:, 0], R[:, 1], t]) @ np.array([[s, 0, -s * c], [0, s, -s * c], [0, 0, 1]])
            U = np.array([[S, 0, (S - 1) / 2], [0, S, (S - 1) / 2], [0, 0, 1.]]); big = base.copy()
            img = cv2.GaussianBlur(img, (0, 0), 1.0)
            d = cv2.warpPerspective(img, U @ H, (S * w, S * h), flags=cv2.INTER_LINEAR, borderValue=-1000)
            np.copyto(big, d, where=d > -1)
            return finish(big, w, h)
        with tempfile.TemporaryDirectory() as d:
            for i in range(n):
                T = i / 30
                R = cv2.Rodrigues(np.array([tilt * np.sin(2 * T + phase[0]), tilt * np.cos(1.3 * T + phase[1]), .1 + .3 * np.sin(.4 * T + phase[2])]))[0]
                t = np.array([.004 * np.sin(T + phase[3]), .003 * np.sin(.7 * T + phase[4]), .25]); truth.append((R, t))
                save(f"{d}/qr_{i:05d}.pgm", render(names[k], R, t))
                if i < n // 5: save(f"{d}/tag_{i:05d}.pgm", render(mark, R, t))
            rows = run(d, K, a.size)
            for key in total:
                off = False
                for i, r in enumerate(rows):
                    c = [c for c in r["codes"] if c["trackingMethod"] == "fullTracking" and c[key]]
                    if not c: continue
                    if key == "pose": seen += 1
                    e = angle(FL @ np.array(c[0][key]["matrix"]).reshape(4, 4).T[:3, :3] @ B, truth[i][0])
                    worst[key].append(e)
                    # The other tilt lies about twice the tilt away from this one; face-on both are one, and noise is not a flip.
                    total[key] += (e > 6) and not off; off = e > 6
            count += len(rows)
            files = sorted(f"{d}/{f}" for f in os.listdir(d) if f.startswith("tag")); h2 = a.size / 2
            obj = np.array([[-h2, -h2, 0], [h2, -h2, 0], [h2, h2, 0], [-h2, h2, 0]]); off = False
            peer = subprocess.run(["/usr/bin/python3", "-c", APRIL, *files], stdout=subprocess.PIPE, text=True).stdout.splitlines()
            for i, line in enumerate(peer):
                q = json.loads(line)
                if q is None: continue
                P = []
                for s in range(4):
                    _, rv, tv, _ = cv2.solvePnPGeneric(obj, np.roll((np.array(q) - .5)[::-1], s, axis=0).reshape(-1, 1, 2), K, None, flags=cv2.SOLVEPNP_IPPE)
                    P.append(angle(cv2.Rodrigues(rv[0])[0], truth[i][0]))
                e = min(P); tags[1] += 1; tags[0] += (e > 6) and not off; off = e > 6
    for key in total: print(f"{key}: {total[key]} flips in {seen} of {count} frames; rotation off by {np.median(worst[key]):.3f} deg (p99.9 {np.quantile(worst[key], .999):.2f}, most {max(worst[key]):.2f})")
    print(f"AprilTag 3, frame by frame: {tags[0]} flips in {tags[1]} frames")

if a.flips: flips()
elif a.sixty: sixty()
else:
    for path in ("move", "stand", "face") if a.path == "all" else [a.path]: one(path)

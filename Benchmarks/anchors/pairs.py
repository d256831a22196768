#!/usr/bin/env python3
"""Measures one photograph found in another beside SIFT: hard views whose homography is known because the second picture is drawn from the first scene.

  pairs.py WAYMARK PICTURES... [--count 8] [--seed 1] [--kinds zoom,view,...] [--both] [--steps] [--keep FOLDER] [--peers sift,asift] [--effort thorough]

PICTURES are folders of photographs of at least 800 pixels. For each kind --count of them are drawn, once each as the first picture (the anchor) and,
under another homography, as the second (the frame), both reduced from the same photograph, with noise and JPEG of quality 85 of their own:

  view     tilted by 30 to 60 degrees, turned by up to 30
  zoom     1.5 to 6 times larger in the second, turned in the picture by any angle
  blur     out of focus in the second by a Gaussian of 1.5 to 5 pixels
  light    0.15 to 0.5 of the light, gamma 0.7 to 1.5, noise of that light
  coded    JPEG of quality 2 to 10
  extreme  tilted by 72 to 82 degrees
  depth    near and large: corner depths 3 to 6 times apart
  aside    both pictures tilted by 55 to 72 degrees, in directions 90 to 108 degrees apart; the error is that of the middle third
  small    the first fills 2 to 5 % of a second of 640 pixels, before another photograph

--both looks for the second in the first as well (zoom, view, extreme and blur). --steps draws series of six pictures instead, as Oxford's are: the
first is the anchor, and each of the others has more of one distortion (view, zoom, blur, light and coded). Counted is the mean distance of the anchor's four corners from their true
places, in pixels of the frame, below 3, 5 and 10. SIFT has 2,000 features, the ratio test at 0.8 and OpenCV's MAGSAC++, and counts as claimed with 12
inliers. Times are processor time. Needs numpy and opencv-python-headless.
"""
import argparse, json, os, subprocess, tempfile, time
import cv2, numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures", nargs="+"); ap.add_argument("--count", type=int, default=8); ap.add_argument("--seed", type=int, default=1)
ap.add_argument("--kinds", default="view,zoom,blur,light,coded,extreme,depth,small"); ap.add_argument("--both", action="store_true"); ap.add_argument("--keep")
ap.add_argument("--peers", default="sift"); ap.add_argument("--steps", action="store_true"); ap.add_argument("--misses", action="store_true")
ap.add_argument("--effort", default="quick")
a = ap.parse_args()
cv2.setNumThreads(1)
files = []
for folder in a.pictures:
    for name in sorted(os.listdir(folder)):
        picture = cv2.imread(f"{folder}/{name}", 0)
        if picture is not None and max(picture.shape) >= 800: files.append(f"{folder}/{name}")


def corners(w, h): return np.float64([[0, 0], [w, 0], [w, h], [0, h]])


def apply(H, p):
    q = np.c_[p, np.ones(len(p))] @ H.T
    return q[:, :2] / q[:, 2:]


def scaled(s): return np.array([[s, 0, (s - 1) / 2], [0, s, (s - 1) / 2], [0, 0, 1.0]])


def camera(w, h, tilt, azimuth, roll, distance=3.0):
    """Homography of a plane w x h seen under `tilt` from `distance` of its sizes, its middle in the middle of a frame as large."""
    f, ca, sa, ct, st, cr, sr = distance * max(w, h), *(t(x) for x in (azimuth, tilt, roll) for t in (np.cos, np.sin))
    R = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]]) @ np.array([[ca, sa, 0], [-sa, ca, 0], [0, 0, 1]]) @ \
        np.array([[ct, 0, 0], [0, 1, 0], [-st, 0, 1]]) @ np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    plane = np.array([[1, 0, -w / 2], [0, 1, -h / 2], [0, 0, 1]])
    M = R.copy(); M[:, 2] = [0, 0, f]
    return np.array([[f, 0, w / 2], [0, f, h / 2], [0, 0, 1]]) @ M @ plane


def draw(scene, H, w, h, ground=None):
    """The scene through H, four samples a pixel each way."""
    n = 4
    # All coordinates are those of pixel centres, as OpenCV's and Waymark's.
    up = np.array([[n, 0, (n - 1) / 2], [0, n, (n - 1) / 2], [0, 0, 1.0]]) @ H
    big = cv2.warpPerspective(scene, up, (w * n, h * n), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=110).astype(np.float32)
    if ground is not None:
        mask = cv2.warpPerspective(np.full_like(scene, 255), up, (w * n, h * n))
        big = np.where(mask > 127, big, cv2.resize(ground, (w * n, h * n)).astype(np.float32))
    return cv2.resize(big, (w, h), interpolation=cv2.INTER_AREA)


def photograph(picture, rng, noise=2.0, quality=85):
    noisy = np.clip(picture + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])[1], 0)


def aside(scene, rng):
    """Two oblique pictures of a scene, 1000 by 750 pixels each, and the homography between them."""
    h, w = scene.shape
    azimuth, apart, maps = rng.uniform(0, 2 * np.pi), rng.uniform(np.pi / 2, 0.6 * np.pi), []
    for k in range(2):
        M = camera(w, h, np.radians(rng.uniform(55, 72)), azimuth + k * apart, rng.uniform(-0.3, 0.3), rng.uniform(1.5, 3))
        q = apply(M, corners(w, h)); s = 1.25 * min(1000 / np.ptp(q[:, 0]), 750 / np.ptp(q[:, 1]))
        middle = (q.min(0) + q.max(0)) / 2
        maps.append(np.array([[s, 0, 500 - s * middle[0]], [0, s, 375 - s * middle[1]], [0, 0, 1]]) @ M)
    return *(photograph(draw(scene, M, 1000, 750), rng) for M in maps), maps[1] @ np.linalg.inv(maps[0])


def pair(kind, scene, ground, rng, size=800):
    """Two pictures of a scene and the homography from the first to the second."""
    if kind == "aside": return aside(scene, rng)
    h, w = scene.shape
    s = size / max(w, h)
    W, H = round(w * s), round(h * s)
    first = scaled(s); second = scaled(s); noise, quality, sigma, gain, gamma, base = 2.0, 85, 0, 1.0, 1.0, None
    at = lambda low, high: rng.uniform(low, high)
    if kind == "view": second = camera(W, H, np.radians(at(30, 60)), at(0, 6.28), np.radians(at(-30, 30)), at(1.5, 3)) @ scaled(s)
    elif kind == "extreme":
        second = camera(W, H, np.radians(at(72, 82)), at(0, 6.28), np.radians(at(-30, 30)), at(2, 3))
        q = apply(second, corners(W, H)); k = 0.95 * min(W / np.ptp(q[:, 0]), H / np.ptp(q[:, 1]))
        second = np.array([[k, 0, W / 2 - k * (q[:, 0].min() + q[:, 0].max()) / 2], [0, k, H / 2 - k * (q[:, 1].min() + q[:, 1].max()) / 2], [0, 0, 1]]) @ second @ scaled(s)
    elif kind == "zoom":
        z, t = np.exp(at(np.log(1.5), np.log(6))), at(0, 6.28)
        # The first is small, so that the second has detail of its own.
        first = scaled(s * 0.75); c = np.array([at(0.35, 0.65) * w, at(0.35, 0.65) * h])
        k = z * s * 0.75
        A = k * np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
        second = np.eye(3); second[:2, :2] = A; second[:2, 2] = np.array([W, H]) / 2 - A @ c
    elif kind == "blur": sigma = at(1.5, 5); second = camera(W, H, np.radians(at(0, 15)), at(0, 6.28), 0) @ scaled(s)
    elif kind == "light": gain, gamma, noise = at(0.15, 0.5), at(0.7, 1.5), 3.0; second = camera(W, H, np.radians(at(0, 15)), at(0, 6.28), 0) @ scaled(s)
    elif kind == "coded": quality = at(2, 10); second = camera(W, H, np.radians(at(0, 10)), at(0, 6.28), 0) @ scaled(s)
    elif kind == "depth":
        while True:
            M = camera(W, H, np.radians(at(55, 72)), at(0, 6.28), np.radians(at(-20, 20)), at(0.75, 1.1))
            d = np.c_[corners(W, H), np.ones(4)] @ M[2]
            if d.min() > 0 and 3 <= d.max() / d.min() <= 6: break
        second = M @ scaled(s)
    elif kind == "small":
        share, base = at(0.02, 0.05), ground
        W2, H2 = 640, 480
        k = np.sqrt(share * W2 * H2 / (W * H))
        M = camera(W, H, np.radians(at(0, 40)), at(0, 6.28), np.radians(at(-20, 20)))
        M = np.array([[k, 0, at(60, W2 - 60 - k * W)], [0, k, at(40, max(41, H2 - 40 - k * H))], [0, 0, 1]]) @ M
        second = M @ scaled(s); first = scaled(s * 300 / max(W, H))
        A = photograph(draw(scene, first, round(W * 300 / max(W, H)), round(H * 300 / max(W, H))), rng)
        B = photograph(cv2.GaussianBlur(draw(scene, second, W2, H2, base), (0, 0), 0.6), rng)
        return A, B, second @ np.linalg.inv(first)
    fw, fh = (round(W * 0.75), round(H * 0.75)) if kind == "zoom" else (W, H)
    A = photograph(draw(scene, first, fw, fh), rng)
    B = draw(scene, second, W, H)
    if sigma: B = cv2.GaussianBlur(B, (0, 0), sigma)
    if gain != 1: B = 255 * gain * (B / 255) ** gamma
    return A, photograph(B, rng, noise, quality), second @ np.linalg.inv(first)


STEPS = {"view": (40, 50, 60, 70, 76), "zoom": (2, 3, 4.5, 6, 8), "blur": (2, 3, 4.5, 6, 8), "light": (0.5, 0.3, 0.2, 0.12, 0.07), "coded": (30, 15, 8, 4, 2)}


def series(kind, scene, rng, size=800):
    """The first picture of a scene, and five more with the homographies to them, each with more of one distortion."""
    h, w = scene.shape
    s = size / max(w, h)
    W, H = round(w * s), round(h * s)
    small = 0.75 if kind == "zoom" else 1
    first = scaled(s * small)
    A = photograph(draw(scene, first, round(W * small), round(H * small)), rng)
    axis, turn = rng.uniform(0, 2 * np.pi, 2)
    for step in STEPS[kind]:
        second = camera(W, H, np.radians(rng.uniform(2, 6)), axis, 0) @ scaled(s)
        if kind == "view": second = camera(W, H, np.radians(step), axis, np.radians(rng.uniform(-20, 20)), 2) @ scaled(s)
        elif kind == "zoom":
            t = turn * step / STEPS[kind][-1]
            M = step * s * small * np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
            second = np.eye(3); second[:2, :2] = M; second[:2, 2] = np.array([W, H]) / 2 - M @ [w / 2, h / 2]
        B = draw(scene, second, W, H)
        if kind == "blur": B = cv2.GaussianBlur(B, (0, 0), step)
        if kind == "light": B = 255 * step * (B / 255) ** 1.2
        yield A, photograph(B, rng, quality=step if kind == "coded" else 85), second @ np.linalg.inv(first)


built = {}


def library(A, d):
    """The library of a picture, the last ones compiled kept; None where it cannot be compiled."""
    key = A.tobytes()
    if key not in built:
        if len(built) > 8: built.clear()
        cv2.imwrite(f"{d}/a.png", A)
        build = subprocess.run([a.waymark, "anchors", "build", "-o", f"{d}/library", "--fresh", f"{d}/a.png"], capture_output=True, text=True)
        built[key] = None if build.returncode else open(f"{d}/library", "rb").read()
    if built[key]: open(f"{d}/library", "wb").write(built[key])
    return built[key]


def ours(A, B, d):
    cv2.imwrite(f"{d}/b.png", B)
    if library(A, d) is None: return None, 0.0
    r = json.loads(subprocess.run([a.waymark, "anchors", "match", f"{d}/library", f"{d}/b.png", "--json", "--effort", a.effort], capture_output=True, text=True).stdout.splitlines()[0])
    return (np.array(r["anchors"][0]["corners"]) if r["anchors"] else None), r["elapsed"]


def asift(A, B, d): return sift(A, B, d, cv2.AffineFeature_create(cv2.SIFT_create(2000)))


def sift(A, B, d, f=None):
    f = f or cv2.SIFT_create(2000)
    k1, d1 = f.detectAndCompute(A, None)
    start = time.process_time()
    k2, d2 = f.detectAndCompute(B, None)
    if d1 is None or d2 is None or min(len(k1), len(k2)) < 8: return None, time.process_time() - start
    m = [x for x in cv2.BFMatcher().knnMatch(d1, d2, k=2) if len(x) == 2 and x[0].distance < 0.8 * x[1].distance]
    if len(m) < 8: return None, time.process_time() - start
    H, inl = cv2.findHomography(np.float64([k1[x[0].queryIdx].pt for x in m]), np.float64([k2[x[0].trainIdx].pt for x in m]), cv2.USAC_MAGSAC, 3.0, maxIters=5000, confidence=0.999)
    spent = time.process_time() - start
    return (apply(H, corners(A.shape[1], A.shape[0])) if H is not None and inl.sum() >= 12 else None), spent


peers = {"waymark": ours, **{name: {"sift": sift, "asift": asift}[name] for name in a.peers.split(",") if name}}
table = {}
for kind in [k for k in a.kinds.split(",") if k in STEPS or not a.steps]:
    rng = np.random.default_rng([a.seed, *kind.encode()])
    for i in rng.choice(len(files), a.count, replace=len(files) < a.count):
        scene = cv2.imread(files[i], 0); ground = cv2.imread(files[(i + 7) % len(files)], 0)
        if a.steps: tasks = [("", *found) for found in series(kind, scene, rng)]
        else:
            A, B, H = pair(kind, scene, ground, rng)
            tasks = [("", A, B, H)]
        if a.both and not a.steps and kind in ("view", "zoom", "blur", "extreme"): tasks.append((" back", B, A, np.linalg.inv(H)))
        for way, X, Y, G in tasks:
            zoom = np.sqrt(abs(np.linalg.det(G / G[2, 2])))
            if a.keep:
                os.makedirs(a.keep, exist_ok=True); name = f"{a.keep}/{kind}{way.strip()}-{i:03}-{len(table.get((kind + way, 'waymark'), []))}"
                cv2.imwrite(name + "-a.png", X); cv2.imwrite(name + "-b.png", Y); json.dump(G.tolist(), open(name + ".json", "w"))
            for who, run in peers.items():
                with tempfile.TemporaryDirectory() as d: found, seconds = run(X, Y, d)
                row = table.setdefault((kind + way, who), [])
                at = corners(X.shape[1], X.shape[0])
                e = np.inf if found is None else np.linalg.norm(found - apply(G, at), axis=1).mean()
                if kind == "aside" and found is not None:
                    middle = at.mean(0) + (at - at.mean(0)) / 3
                    e = np.linalg.norm(apply(cv2.getPerspectiveTransform(np.float32(at), np.float32(found)), middle) - apply(G, middle), axis=1).mean()
                row.append((e, seconds, found is not None))
                if a.misses and who == "waymark" and e >= 5: print(f"  {kind}{way} {os.path.basename(files[i])} ({zoom:.1f}): {e:.1f} px")
print(f"{'':16}{'':9}{'n':>4}{'<3 px':>7}{'<5 px':>7}{'<10 px':>8}{'wrong':>7}{'median px':>11}{'ms':>7}")
for who in peers:
    rows = [(k[0], v) for k, v in table.items() if k[1] == who]
    for kind, row in rows + [("all", [x for _, v in rows for x in v])]:
        e = np.array([x[0] for x in row]); good = e[e < 10]
        print(f"{kind:16}{who:9}{len(e):4}{(e < 3).sum():7}{(e < 5).sum():7}{(e < 10).sum():8}{sum(x[2] and x[0] >= 20 for x in row):7}"
              f"{np.median(good) if len(good) else float('nan'):11.2f}{1e3 * np.median([x[1] for x in row]):7.1f}")

#!/usr/bin/env python3
"""Learns which boxes the descriptor compares, and prints the table of Sources/WaymarkAnchors/Features/SamplingPattern.swift.

  learn_pattern.py [--score] PICTURES...      (gray pictures of any kind, some hundred; needs numpy and opencv-python-headless)

--score learns nothing: it tells which share of the true pairs the present table, SIFT, and 256 bits of SIFT accept, at the same corners and directions, where
they accept so and so many of the wrong ones.

1. Pairs of 32x32 patches of one corner: a view of a picture, and the same after a small further tilt, scaling and turn, with
   blur or motion, gamma, gain, noise and JPEG; FAST corners in both that fall together, each turned to its own intensity
   centroid (pairs whose centroids differ by more than 22 degrees are left out).
2. 30,000 random pairs of boxes of 3, 5 or 7 pixels. A comparison is worth 2m(1-m) - f, m being its mean and f the share of
   pairs in which it flips.
3. Greedy from the best: first twenty correlated by at most 0.2 (the keys), then up to 256 correlated by at most 0.45.
"""
import argparse, pathlib, re, sys
import cv2, numpy as np
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("--score", action="store_true"); ap.add_argument("pictures", nargs="+")
given = ap.parse_args()
cv2.setNumThreads(1)
rng = np.random.default_rng(11)
N = 32
yy, xx = np.mgrid[-15:16, -15:16]
disc = xx ** 2 + yy ** 2 <= 15.5 ** 2

def turn(a): return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])

def sample(g, p, angle, n):
    c = np.arange(n) - (n - 1) / 2
    u, v = [m.ravel() for m in np.meshgrid(c, c)]
    co, si = np.cos(angle)[:, None], np.sin(angle)[:, None]
    mx = (p[:, :1] + co * u - si * v).astype(np.float32); my = (p[:, 1:] + si * u + co * v).astype(np.float32)
    return cv2.remap(g, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)

def corners(g, n=400, border=20):
    k = cv2.FastFeatureDetector_create(6, True).detect(cv2.GaussianBlur(g, (3, 3), 0.8), None)
    k = [p for p in k if border <= p.pt[0] < g.shape[1] - border and border <= p.pt[1] < g.shape[0] - border]
    return np.array([p.pt for p in sorted(k, key=lambda p: -p.response)[:n]]).reshape(-1, 2)

def centroid(g, p):
    P = sample(g, p, np.zeros(len(p)), 31).reshape(-1, 31, 31) * disc
    return np.arctan2((P * yy).sum((1, 2)), (P * xx).sum((1, 2)))

def warped(g, M):
    h, w = g.shape
    c = M @ np.array([[0, w, w, 0], [0, 0, h, h]], float)
    A = np.c_[M, 20 - c.min(1)]
    return A, cv2.warpAffine(g, A, tuple((np.ptp(c, axis=1) + 40).astype(int).tolist()), borderMode=cv2.BORDER_REFLECT)

def spoiled(f):
    f = f.astype(np.float32); b = rng.random()
    if b < 0.4: f = cv2.GaussianBlur(f, (0, 0), rng.uniform(0.3, 2))
    elif b > 0.7:
        n = int(rng.uniform(3, 10)) | 1; k = np.zeros((n, n), np.float32); a = rng.uniform(0, np.pi); c = (n - 1) / 2
        cv2.line(k, (round(c - c * np.cos(a)), round(c - c * np.sin(a))), (round(c + c * np.cos(a)), round(c + c * np.sin(a))), 1.0, 1)
        f = cv2.filter2D(f, -1, k / k.sum())
    f = 255 * (np.clip(f, 0, 255) / 255) ** np.exp(rng.uniform(-0.6, 0.6)) * np.exp(rng.uniform(-0.9, 0.3)) + rng.normal(0, rng.uniform(0, 12), f.shape)
    return cv2.imdecode(cv2.imencode(".jpg", np.clip(f, 0, 255).astype(np.uint8), [1, 60])[1], 0)

first, second = [], []
for path in given.pictures:
    g = cv2.imread(path, 0)
    if g is None: continue
    s = 480 / max(g.shape); g = cv2.resize(g, None, fx=s, fy=s, interpolation=cv2.INTER_AREA)
    for _ in range(2):
        t = np.exp(rng.uniform(0, np.log(2.8))); s = np.exp(rng.uniform(np.log(0.3), 0))
        A = turn(rng.uniform(0, 7)) @ np.diag([s / t, s]) @ turn(rng.uniform(0, 4))
        t2, s2, p2 = np.exp(rng.uniform(0, np.log(1.3))), np.exp(rng.uniform(-0.2, 0.2)), rng.uniform(0, np.pi)
        B = turn(rng.uniform(0, 7)) @ turn(-p2) @ np.diag([s2 * np.sqrt(t2), s2 / np.sqrt(t2)]) @ turn(p2) @ A
        (M1, i1), (M2, i2) = warped(g, A), warped(g, B)
        i2 = spoiled(i2); k1, k2 = corners(i1), corners(i2)
        if len(k1) < 20 or len(k2) < 20: continue
        C = np.vstack([M2, [0, 0, 1]]) @ np.linalg.inv(np.vstack([M1, [0, 0, 1]]))
        p = (np.c_[k1, np.ones(len(k1))] @ C.T)[:, :2]
        d = np.linalg.norm(p[:, None] - k2[None], axis=2); j = d.argmin(1); ok = d.min(1) < 2.2
        if ok.sum() < 5: continue
        s1, s2_ = cv2.GaussianBlur(i1, (3, 3), 0.8), cv2.GaussianBlur(i2, (3, 3), 0.8)
        x1, x2 = k1[ok], k2[j[ok]]; a1, a2 = centroid(s1, x1), centroid(s2_, x2)
        off = (a2 - a1 - np.arctan2(C[1, 0] - C[0, 1], C[0, 0] + C[1, 1]) + np.pi) % (2 * np.pi) - np.pi
        good = np.nonzero(np.abs(off) < np.deg2rad(22))[0][:60]
        first.append(sample(s1, x1[good], a1[good], N)); second.append(sample(s2_, x2[good], a2[good], N))
P1, P2 = np.concatenate(first), np.concatenate(second)

def means(P):
    I = np.pad(P.reshape(-1, N, N).cumsum(1).cumsum(2), ((0, 0), (1, 0), (1, 0)))
    return {s: np.rint((I[:, s:, s:] - I[:, :-s, s:] - I[:, s:, :-s] + I[:, :-s, :-s]) / s / s) for s in (3, 5, 7)}
b1, b2 = means(P1), means(P2)

def bit(b, c): return b[c[2]][:, c[1] - c[2] // 2, c[0] - c[2] // 2] > b[c[5]][:, c[4] - c[5] // 2, c[3] - c[5] // 2]

def present():
    source = pathlib.Path(__file__).parents[2] / "Sources/WaymarkAnchors/Features/SamplingPattern.swift"
    rows = [line for line in source.read_text().splitlines() if re.fullmatch(r"[ \d,]+", line) and "," in line]
    return np.array(re.findall(r"\d+", " ".join(rows)), int).reshape(-1, 6)

def sift(P, size=4.0):
    """RootSIFT over a window of six times `size` pixels."""
    feature, D = cv2.SIFT_create(), np.empty((len(P), 128), np.float32)
    for k, p in enumerate(P):
        g = cv2.copyMakeBorder(np.clip(p.reshape(N, N), 0, 255).astype(np.uint8), 8, 8, 8, 8, cv2.BORDER_REPLICATE)
        D[k] = feature.compute(g, [cv2.KeyPoint(23.5, 23.5, size, 0.0, 1.0, 0)])[1][0]
    return np.sqrt(D / (D.sum(1, keepdims=True) + 1e-9))

def hashed(A, B, kept=64):
    """256 signs of the directions that tell corners apart best for what one corner varies, fitted to the first half of the pairs (after HashSIFT)."""
    half = len(A) // 2; middle = A[:half].mean(0)
    within = np.cov((A - B)[:half].T); within += 0.02 * np.eye(128) * np.trace(within) / 128
    white = np.linalg.inv(np.linalg.cholesky(within))
    best = np.linalg.eigh(white @ np.cov(A[:half].T) @ white.T)[1][:, ::-1].T[:kept] @ white
    spread = np.linalg.qr(np.random.default_rng(1).normal(size=(256, 256)))[0][:, :kept] @ best
    return [((D - middle) @ spread.T > 0).astype(np.float32) for D in (A, B)]

def score():
    pattern, n = present(), len(P1)
    true = np.repeat(np.arange(n // 2, n)[:, None], 2, 1)
    false = rng.integers(n // 2, n, size=(400000, 2)); false = false[false[:, 0] != false[:, 1]]
    shares = (1e-2, 1e-3, 1e-4)
    print(f"{len(true)} pairs; wrong ones accepted: " + ", ".join(f"{100 * s:g} %" for s in shares))
    bits = [np.stack([bit(b, c) for c in pattern], 1).astype(np.float32) for b in (b1, b2)]
    words = sift(P1), sift(P2)
    for name, (A, B) in (("boxes, 256 bits", bits), ("SIFT", words), ("SIFT, 256 bits", hashed(*words))):
        # Whole distances are spread evenly, so that any share can be asked for.
        near, far = ([((A[i[k:k + 20000, 0]] - B[i[k:k + 20000, 1]]) ** 2).sum(1) for k in range(0, len(i), 20000)] for i in (true, false))
        near, far = (np.concatenate(d) + (rng.random(len(i)) if "bits" in name else 0) for d, i in ((near, true), (far, false)))
        print(f"{name:16}" + "".join(f"{100 * (near <= np.quantile(far, s)).mean():8.1f} %" for s in shares))

if given.score: sys.exit(score())
candidates = []
while len(candidates) < 30000:
    s = int(rng.choice([3, 5, 7])); row = []
    for q in (s, s if rng.random() < 0.7 else int(rng.choice([3, 5, 7]))):
        while True:
            a, r = rng.uniform(0, 2 * np.pi), 15.5 * np.sqrt(rng.random())
            x, y = int(round(15.5 + r * np.cos(a))), int(round(15.5 + r * np.sin(a)))
            if q // 2 <= x < N - q // 2 and q // 2 <= y < N - q // 2: break
        row += [x, y, q]
    candidates.append(row)
B1 = np.stack([bit(b1, c) for c in candidates]); B2 = np.stack([bit(b2, c) for c in candidates])
m = (B1.mean(1) + B2.mean(1)) / 2
order = np.argsort(-(2 * m * (1 - m) - (B1 != B2).mean(1)))
Z = B1[:, :6000].astype(np.float32); Z = (Z - Z.mean(1, keepdims=True)) / (Z.std(1, keepdims=True) + 1e-6)
chosen = []
for count, limit in ((20, 0.2), (256, 0.45)):
    for k in order:
        if len(chosen) == count: break
        if k not in chosen and (not chosen or np.abs(Z[chosen] @ Z[k]).max() / Z.shape[1] < limit): chosen.append(k)
for i in range(0, len(chosen), 4): print("    " + " ".join(", ".join(map(str, candidates[k])) + "," for k in chosen[i:i + 4]))

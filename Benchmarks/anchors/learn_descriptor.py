#!/usr/bin/env python3
"""Learns the directions whose signs describe a corner, and writes them as Sources/Foundation/CModels/anchor-descriptor.model.

  learn_descriptor.py PICTURES...            writes the model (gray pictures of any kind, some hundred: posters.py renders them)
  learn_descriptor.py --score PICTURES...    learns nothing: tells which share of the true pairs the present model, SIFT, and 256 bits of
                                             SIFT accept, at the same corners and directions, where they accept so and so many of the wrong ones

Needs numpy and opencv-python-headless.

1. Pairs of one corner: a view of a picture, and the same after a small further tilt, scaling and turn, with blur or motion, gamma, gain,
   noise and JPEG; FAST corners in both that fall together, each turned to its own intensity centroid (pairs whose centroids differ by
   more than 22 degrees are left out). Of each corner 16x16 samples as DescriptorModel.swift takes them, and their gradients as
   ck_gradient_shares counts them.
2. The directions that tell corners apart best for what the two views of one corner differ by: eigenvectors of the covariance of all
   corners where that of the differences is the unit matrix (C. Strecha et al., "LDAHash", PAMI 2012). The best 24 are the first bits, of
   which the keys of the index are made; the other 232 are random turns of the best 48, so that each carries about as much.
3. Each bit is the sign against the median, so that half of all corners have it.
"""
import pathlib, sys
import cv2, numpy as np
root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks/documents"))
import models
cv2.setNumThreads(1)
rng = np.random.default_rng(11)
SIDE, STEP, DIRECTIONS = 16, 1.5, 128
BITS, SHARES, FIRST, KEPT = 256, 64, 24, 48
N = 32
yy, xx = np.mgrid[-15:16, -15:16]
disc = xx ** 2 + yy ** 2 <= 15.5 ** 2

def turn(a): return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])

def smooth(g): return cv2.GaussianBlur(g, (3, 3), 0.8)

def sample(g, p, angle, n):
    c = np.arange(n) - (n - 1) / 2
    u, v = [m.ravel() for m in np.meshgrid(c, c)]
    co, si = np.cos(angle)[:, None], np.sin(angle)[:, None]
    mx = (p[:, :1] + co * u - si * v).astype(np.float32); my = (p[:, 1:] + si * u + co * v).astype(np.float32)
    return cv2.remap(g, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)

def grid(g, p, angle):
    """The samples of the descriptor: means of 5x5 pixels, the nearest one to each place of the turned grid."""
    means = cv2.blur(g, (5, 5)); a = np.round(angle / (2 * np.pi) * DIRECTIONS) / DIRECTIONS * 2 * np.pi
    u, v = [m.ravel() for m in np.meshgrid(*[(np.arange(SIDE) - (SIDE - 1) / 2) * STEP] * 2)]
    co, si = np.cos(a)[:, None], np.sin(a)[:, None]
    x = np.clip(np.round(co * u - si * v) + np.round(p[:, :1]), 0, g.shape[1] - 1).astype(int)
    y = np.clip(np.round(si * u + co * v) + np.round(p[:, 1:]), 0, g.shape[0] - 1).astype(int)
    return means[y, x]

def shares(P):
    """What ck_gradient_shares makes of samples."""
    P = P.reshape(-1, SIDE, SIDE).astype(np.float32)
    along, down = np.zeros_like(P), np.zeros_like(P)
    along[:, :, 1:-1] = P[:, :, 2:] - P[:, :, :-2]; down[:, 1:-1] = P[:, 2:] - P[:, :-2]
    tents = np.maximum(0, 1 - np.abs((np.arange(SIDE) + 0.5) / 4 - 0.5 - np.arange(4)[:, None])).astype(np.float32)
    parts = [np.einsum("ay,nyx,bx->nab", tents, np.maximum(0, g), tents, optimize=True) for g in (along, down, -along, -down)]
    D = np.stack(parts, -1).reshape(len(P), SHARES)
    return np.floor(512 * np.sqrt(D / np.maximum(D.sum(1, keepdims=True), 1e-3)) + 0.5)

def corners(g, n=400, border=20):
    k = cv2.FastFeatureDetector_create(6, True).detect(smooth(g), None)
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

def pairs(paths, takes):
    """What each of `takes` makes of the smoothed picture, the corners and their directions, for the first and the second views."""
    first, second = [[] for _ in takes], [[] for _ in takes]
    for path in paths:
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
            s1, s2_ = smooth(i1), smooth(i2)
            x1, x2 = k1[ok], k2[j[ok]]; a1, a2 = centroid(s1, x1), centroid(s2_, x2)
            off = (a2 - a1 - np.arctan2(C[1, 0] - C[0, 1], C[0, 0] + C[1, 1]) + np.pi) % (2 * np.pi) - np.pi
            good = np.nonzero(np.abs(off) < np.deg2rad(22))[0][:60]
            for k, take in enumerate(takes):
                first[k].append(take(s1, x1[good], a1[good])); second[k].append(take(s2_, x2[good], a2[good]))
    return [(np.concatenate(a), np.concatenate(b)) for a, b in zip(first, second)]

def best(A, B, kept):
    """The best directions for what the rows of A and B, two views each, differ by."""
    d = A.shape[1]; within = np.cov((A - B).T); within += 0.02 * np.eye(d) * np.trace(within) / d
    white = np.linalg.inv(np.linalg.cholesky(within))
    return np.linalg.eigh(white @ np.cov(np.vstack([A, B]).T) @ white.T)[1][:, ::-1].T[:kept] @ white

def turned(directions, bits): return np.linalg.qr(np.random.default_rng(1).normal(size=(BITS, BITS)))[0][:bits, :len(directions)] @ directions

def learn(paths):
    (P, Q), = pairs(paths, [grid]); A, B = shares(P), shares(Q)
    directions = best(A, B, KEPT)
    directions /= np.abs(directions).max()
    weights = np.vstack([directions[:FIRST], turned(directions, BITS - FIRST)])
    weights = np.rint(weights * 4095 / np.abs(weights).max())
    offsets = -np.rint(np.median(np.vstack([A, B]) @ weights.T, axis=0))
    print(f"{len(A)} pairs; {models.write('anchor-descriptor', 'Benchmarks/anchors/learn_descriptor.py', weights.astype('<i2').tobytes() + offsets.astype('<i4').tobytes(), models.SOURCES + '/Foundation/CModels')}")

def present(P):
    data = models.read(root / "Sources/Foundation/CModels/anchor-descriptor.model"); cut = 2 * BITS * SHARES
    weights, offsets = np.frombuffer(data[:cut], "<i2").reshape(BITS, SHARES), np.frombuffer(data[cut:], "<i4")
    return (shares(P) @ weights.T.astype(np.float64) + offsets > 0).astype(np.float32)

def sift(P, size=4.0):
    """RootSIFT over a window of six times `size` pixels."""
    feature, D = cv2.SIFT_create(), np.empty((len(P), 128), np.float32)
    for k, p in enumerate(P):
        g = cv2.copyMakeBorder(np.clip(p.reshape(N, N), 0, 255).astype(np.uint8), 8, 8, 8, 8, cv2.BORDER_REPLICATE)
        D[k] = feature.compute(g, [cv2.KeyPoint(23.5, 23.5, size, 0.0, 1.0, 0)])[1][0]
    return np.sqrt(D / (D.sum(1, keepdims=True) + 1e-9))

def hashed(A, B, kept=64):
    """256 signs of the directions that separate corners best, fitted to the first half of the pairs (after HashSIFT)."""
    half, middle = len(A) // 2, A.mean(0); spread = turned(best(A[:half], B[:half], kept), BITS)
    return [((D - middle) @ spread.T > 0).astype(np.float32) for D in (A, B)]

def score(paths):
    (P, Q), (R, S) = pairs(paths, [grid, lambda g, p, a: sample(g, p, a, N)]); n = len(P)
    true = np.repeat(np.arange(n // 2, n)[:, None], 2, 1)
    false = rng.integers(n // 2, n, size=(400000, 2)); false = false[false[:, 0] != false[:, 1]]
    rates = (1e-2, 1e-3, 1e-4)
    print(f"{len(true)} pairs; wrong ones accepted: " + ", ".join(f"{100 * s:g} %" for s in rates))
    roots = sift(R), sift(S)
    for name, (A, B) in (("the descriptor, 256 bits", (present(P), present(Q))), ("SIFT, 128 numbers", roots), ("SIFT, 256 bits", hashed(*roots))):
        # Whole distances are spread evenly, so that any share can be asked for.
        near, far = ([((A[i[k:k + 20000, 0]] - B[i[k:k + 20000, 1]]) ** 2).sum(1) for k in range(0, len(i), 20000)] for i in (true, false))
        near, far = (np.concatenate(d) + (rng.random(len(i)) if "bits" in name else 0) for d, i in ((near, true), (far, false)))
        print(f"{name:26}" + "".join(f"{100 * (near <= np.quantile(far, s)).mean():8.1f} %" for s in rates))

names = [a for a in sys.argv[1:] if a != "--score"]
if not names: sys.exit(__doc__)
score(names) if "--score" in sys.argv else learn(names)

#!/usr/bin/env python3
"""Measures in how many simulated views each picture is found, and compares that with what `waymark anchors quality` says.

  calibrate_quality.py WAYMARK PICTURES BACKGROUNDS [--every 8] [--views 60] [--seed 1] [--jobs 2] [--save FILE]

PICTURES and BACKGROUNDS are folders. Every view shows one picture before a background: tilted up to 70 degrees, 2 to 80 % of
the frame, every second one partly covered, some out of focus or smeared, dim, noisy, shaded, JPEG of quality 60. It counts
as found when it is named and its corners are right within 10 pixels. The library holds all pictures that are measured. The
scale's one number (AnchorQuality.Scale.reach) is fitted on every second picture and judged on the others. Nothing here is
shared with the simulated camera of the compiler. Needs numpy and opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile
import cv2, numpy as np

W, H, F = 640, 480, 600.0
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("backgrounds")
ap.add_argument("--every", type=int, default=8); ap.add_argument("--views", type=int, default=60)
ap.add_argument("--seed", type=int, default=1); ap.add_argument("--jobs", type=int, default=2); ap.add_argument("--save")
a = ap.parse_args()
cv2.setNumThreads(1)
list_files = lambda d: sorted(f for e in ("jpg", "png", "pgm") for f in glob.glob(f"{d}/*.{e}"))
files, backs = list_files(a.pictures)[:: a.every], list_files(a.backgrounds)


def gray(path, side=None):
    g = cv2.imread(path, 0)
    if side:
        s = side / max(g.shape)
        g = cv2.resize(g, (max(1, round(g.shape[1] * s)), max(1, round(g.shape[0] * s))), interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_CUBIC)
    return g


def background(rng):
    g = gray(backs[rng.integers(len(backs))]); s = 1.2 * max(W / g.shape[1], H / g.shape[0])
    g = cv2.resize(g, (int(np.ceil(g.shape[1] * s)), int(np.ceil(g.shape[0] * s))))
    x, y = rng.integers(0, g.shape[1] - W + 1), rng.integers(0, g.shape[0] - H + 1)
    return g[y:y + H, x:x + W].astype(np.float32)


def pose(rng, w, h):
    tilt, area = np.deg2rad(rng.uniform(0, 70)), np.exp(rng.uniform(np.log(.02), np.log(.8)))
    for _ in range(100):
        t, roll = rng.uniform(0, 2 * np.pi, 2)
        R = cv2.Rodrigues(tilt * np.array([np.cos(t), np.sin(t), 0]))[0] @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
        at = np.array([rng.uniform(.25, .75) * W, rng.uniform(.25, .75) * H]) if area < .3 else np.array([W / 2, H / 2])
        ray = np.array([(at[0] - W / 2) / F, (at[1] - H / 2) / F, 1])
        low, high = 10.0, 1e5
        for _ in range(40):
            z = np.sqrt(low * high)
            M = np.diag([F, F, 1]) @ np.column_stack([R[:, 0], R[:, 1], ray * z]); M[:2] += np.outer([W / 2, H / 2], M[2])
            M = M @ np.array([[1, 0, -(w - 1) / 2], [0, 1, -(h - 1) / 2], [0, 0, 1]])
            p = M @ np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]], float).T
            if (p[2] <= 1).any(): low = z; continue
            c = (p[:2] / p[2]).T
            if cv2.contourArea(c.astype(np.float32)) > area * W * H: low = z
            else: high = z
        if area > .3 or ((c > 0) & (c < [W, H])).all(): return M, c
    return M, c


def view(rng, g):
    h, w = g.shape
    M, c = pose(rng, w, h)
    shrink = np.sqrt(w * h / max(1, cv2.contourArea(c.astype(np.float32)))) / 2
    soft = cv2.GaussianBlur(g, (0, 0), .5 * shrink) if shrink > 1 else g
    S = np.array([[2, 0, .5], [0, 2, .5], [0, 0, 1]]) @ M
    ink = cv2.warpPerspective(soft.astype(np.float32), S, (2 * W, 2 * H), borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(np.ones(g.shape, np.float32), S, (2 * W, 2 * H))
    mask, ink = (cv2.resize(x, (W, H), interpolation=cv2.INTER_AREA) for x in (mask, ink * mask))
    img = background(rng) * (1 - mask) + ink
    if rng.random() < .5:  # something lies on it
        cover = np.zeros((H, W), np.float32); part, n = rng.uniform(0, .5), 0
        ys, xs = np.where(mask > .5); r = np.sqrt(len(xs) * max(.05, part) / np.pi)
        while len(xs) and n < 40 and (cover * mask).sum() < part * mask.sum():
            k = rng.integers(len(xs)); t = np.sort(rng.uniform(0, 2 * np.pi, 7)); q = r * rng.uniform(.3, .8, 7); n += 1
            cv2.fillConvexPoly(cover, cv2.convexHull(np.stack([xs[k] + q * np.cos(t), ys[k] + q * np.sin(t)], 1).astype(np.int32)), 1.0)
        img = img * (1 - cover) + background(rng) * cover
    kind = rng.random()
    if kind < .33: img = cv2.GaussianBlur(img, (0, 0), rng.uniform(.3, 2.5))
    elif kind > .67:
        n = int(rng.uniform(1, 15)) | 1; t = rng.uniform(0, np.pi); k = np.zeros((n, n), np.float32); m = n // 2
        cv2.line(k, (round(m - m * np.cos(t)), round(m - m * np.sin(t))), (round(m + m * np.cos(t)), round(m + m * np.sin(t))), 1.0)
        img = cv2.filter2D(img, -1, k / k.sum())
    t = rng.uniform(0, 2 * np.pi); x, y = np.meshgrid(np.linspace(-1, 1, W), np.linspace(-1, 1, H))
    img = 255 * (np.clip(img, 0, 255) / 255) ** np.exp(rng.uniform(-.6, .6)) * np.exp(rng.uniform(-.9, .4))
    img = img * (1 + rng.uniform(0, .5) * (np.cos(t) * x + np.sin(t) * y)) + rng.normal(0, rng.uniform(0, 12), img.shape)
    img = np.clip(img, 0, 255).round().astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", img, [cv2.IMWRITE_JPEG_QUALITY, 60])[1], 0), c


def ranks(v):
    order = np.argsort(v, kind="stable"); r = np.empty(len(v)); r[order] = np.arange(len(v))
    for x in np.unique(v): r[v == x] = r[v == x].mean()
    return r


spearman = lambda x, y: float(np.corrcoef(ranks(np.asarray(x)), ranks(np.asarray(y)))[0, 1])
with tempfile.TemporaryDirectory() as d:
    manifest = f"{d}/list.json"
    json.dump([{"name": str(i), "image": os.path.abspath(f)} for i, f in enumerate(files)], open(manifest, "w"))
    subprocess.run([a.waymark, "anchors", "build", manifest, "-o", f"{d}/library", "--jobs", str(a.jobs)], check=True)
    said = {}
    out = subprocess.run([a.waymark, "anchors", "quality", "--json", "--jobs", str(a.jobs), manifest], stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines(): r = json.loads(line); said[int(r["name"])] = r
    found = np.zeros((len(files), a.views), bool)
    for i, f in enumerate(files):
        g, truth, paths = gray(f, 480), {}, []
        for k in range(a.views):
            img, c = view(np.random.default_rng([a.seed, i, k]), g)
            path = f"{d}/{k}.pgm"; cv2.imwrite(path, img); truth[path] = c; paths.append(path)
        out = subprocess.run([a.waymark, "anchors", "match", f"{d}/library", *paths, "--json"], stdout=subprocess.PIPE, text=True).stdout
        for k, line in enumerate(out.splitlines()):
            for x in json.loads(line)["anchors"]:
                if x["name"] == str(i) and np.linalg.norm(np.array(x["corners"]) - truth[paths[k]], axis=1).mean() < 10: found[i, k] = True
recall = found.mean(1)
keep = [i for i in range(len(files)) if i in said]
quality = np.array([said[i]["quality"] for i in keep]); recall = recall[keep]
counts = [np.array(said[i]["corners"], float) for i in keep]
if a.save: json.dump([dict(file=os.path.basename(files[i]), recall=float(r), **{k: said[i][k] for k in ("quality", "corners", "features")}, reasons=[x["code"] for x in said[i]["reasons"]]) for i, r in zip(keep, recall)], open(a.save, "w"))
fit, held = np.arange(0, len(keep), 2), np.arange(1, len(keep), 2)


mean = np.array([c.mean() for c in counts])
predict = lambda reach: 1 - np.exp(-mean / reach)
best = min((np.mean((predict(r)[fit] - recall[fit]) ** 2), r) for r in np.arange(20, 200))
p = predict(best[1])
print(f"{len(keep)} pictures, {a.views} views each; mean recall {100 * recall.mean():.1f} %")
print(f"as printed: rank correlation {spearman(quality, recall):.3f}, on the held-out half {spearman(quality[held], recall[held]):.3f}, mean error {np.abs(quality - 100 * recall).mean():.1f} points")
print(f"best fit: reach {best[1]:.0f}: held-out rank correlation {spearman(p[held], recall[held]):.3f}, mean error {100 * np.abs(p - recall)[held].mean():.1f} points")
# How far the measured recall itself is from its true value, by chance alone: two halves of the views against each other.
print(f"one half of the views against the other: rank correlation {spearman(found[keep][:, ::2].mean(1), found[keep][:, 1::2].mean(1)):.3f}")
print("| quality | pictures | measured recall |\n|---|---|---|")
for low in range(0, 100, 10):
    s = (quality >= low) & (quality < low + 10 + (low == 90))
    if s.any(): print(f"| {low}–{low + 9 + (low == 90)} | {s.sum()} | {100 * recall[s].mean():.0f} % |")

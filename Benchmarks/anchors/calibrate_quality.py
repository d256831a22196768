#!/usr/bin/env python3
"""Measures in how many views each picture is found, and compares that with what `waymark anchors quality` says.

  calibrate_quality.py WAYMARK PICTURES BACKGROUNDS [--count 64] [--views 200] [--seed 11] [--jobs 2] [--save FILE]

PICTURES and BACKGROUNDS are folders. The pictures are divided by a hash of their names: on COUNT of one half the weights of
AnchorQuality.Scale.trial are fitted, on COUNT of the other half everything is judged. Every picture is shown in the same views
(pose, ground, cover, blur, light and noise of view k do not depend on the picture), which takes the luck of the draw out of
the comparison between pictures: tilts up to 70 degrees, 2 to 80 % of the frame, every second one partly covered, a third out
of focus, a third smeared, dim, noisy, shaded, JPEG of quality 60. A picture counts as found when it is named among all
others of its half and its corners are right within 10 pixels on average. Nothing here is shared with the cameras that
Waymark simulates. Needs numpy and opencv-python-headless.
"""
import argparse, glob, hashlib, json, multiprocessing as mp, os, subprocess, tempfile
import cv2, numpy as np

W, H, F = 640, 480, 600.0
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("backgrounds")
ap.add_argument("--count", type=int, default=64); ap.add_argument("--views", type=int, default=200)
ap.add_argument("--seed", type=int, default=11); ap.add_argument("--jobs", type=int, default=2); ap.add_argument("--save")
a = ap.parse_args()
cv2.setNumThreads(1)
list_files = lambda d: sorted(f for e in ("jpg", "png", "pgm") for f in glob.glob(f"{d}/*.{e}"))
digest = lambda f: hashlib.sha1(os.path.basename(f).encode()).digest()
halves = [sorted((f for f in list_files(a.pictures) if digest(f)[0] % 2 == p), key=digest)[:a.count] for p in (0, 1)]
backs = list_files(a.backgrounds)

def gray(path, side=None):
    g = cv2.imread(path, 0)
    if side:
        s = side / max(g.shape)
        g = cv2.resize(g, (max(1, round(g.shape[1] * s)), max(1, round(g.shape[0] * s))), interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_CUBIC)
    return g

cache = {}
def background(rng):
    k = int(rng.integers(len(backs))); u, v = rng.random(2)
    if k not in cache:
        g = gray(backs[k]); s = 1.2 * max(W / g.shape[1], H / g.shape[0])
        cache[k] = cv2.resize(g, (int(np.ceil(g.shape[1] * s)), int(np.ceil(g.shape[0] * s))))
    g = cache[k]; x, y = int(u * (g.shape[1] - W)), int(v * (g.shape[0] - H))
    return g[y:y + H, x:x + W].astype(np.float32)

def pose(rng, w, h):
    tilt, area = np.deg2rad(rng.uniform(0, 70)), np.exp(rng.uniform(np.log(.02), np.log(.8)))
    for _ in range(100):
        t, roll = rng.uniform(0, 2 * np.pi, 2)
        R = cv2.Rodrigues(tilt * np.array([np.cos(t), np.sin(t), 0]))[0] @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
        at = np.array([rng.uniform(.25, .75) * W, rng.uniform(.25, .75) * H]) if area < .3 else np.array([W / 2, H / 2])
        ray = np.array([(at[0] - W / 2) / F, (at[1] - H / 2) / F, 1])
        low, high = 10.0, 1e5
        q = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]], float).T
        A = np.diag([F, F, 1]); A[:2, 2] = W / 2, H / 2
        B = np.array([[1, 0, -(w - 1) / 2], [0, 1, -(h - 1) / 2], [0, 0, 1]])
        for _ in range(30):
            z = np.sqrt(low * high)
            M = A @ np.column_stack([R[:, 0], R[:, 1], ray * z]) @ B
            p = M @ q
            if (p[2] <= 1).any(): low = z; continue
            c = (p[:2] / p[2]).T
            if cv2.contourArea(c.astype(np.float32)) > area * W * H: low = z
            else: high = z
        if area > .3 or ((c > 0) & (c < [W, H])).all(): return M, c
    return M, c

X, Y = np.meshgrid(np.linspace(-1, 1, W, dtype=np.float32), np.linspace(-1, 1, H, dtype=np.float32))
def view(k, g):
    r = lambda n: np.random.default_rng([a.seed, k, n])
    h, w = g.shape
    M, c = pose(r(0), w, h)
    shrink = np.sqrt(w * h / max(1, cv2.contourArea(c.astype(np.float32)))) / 2
    soft = cv2.GaussianBlur(g, (0, 0), .5 * shrink) if shrink > 1 else g
    x0, y0 = np.clip(np.floor(c.min(0)) - 3, 0, [W - 4, H - 4]).astype(int); x1, y1 = np.clip(np.ceil(c.max(0)) + 3, [x0 + 4, y0 + 4], [W, H]).astype(int)
    S = np.array([[2, 0, .5 - 2 * x0], [0, 2, .5 - 2 * y0], [0, 0, 1]]) @ M; n = (int(x1 - x0), int(y1 - y0)); n2 = (2 * n[0], 2 * n[1])
    ink = cv2.warpPerspective(soft.astype(np.float32), S, n2, borderMode=cv2.BORDER_REPLICATE)
    m = cv2.warpPerspective(np.ones(g.shape, np.float32), S, n2)
    m, ink = (cv2.resize(x, n, interpolation=cv2.INTER_AREA) for x in (m, ink * m))
    rb = r(1); img = background(rb); box = img[y0:y1, x0:x1]; box[:] = box * (1 - m) + ink
    rc = r(2)
    if rc.random() < .5:
        mask = np.zeros((H, W), np.float32); mask[y0:y1, x0:x1] = m
        cover = np.zeros((H, W), np.float32); part, t_ = rc.uniform(0, .5), 0
        ys, xs = np.where(mask > .5); rad = np.sqrt(len(xs) * max(.05, part) / np.pi)
        while len(xs) and t_ < 40 and (cover * mask).sum() < part * mask.sum():
            j = int(rc.random() * len(xs)); t = np.sort(rc.uniform(0, 2 * np.pi, 7)); q = rad * rc.uniform(.3, .8, 7); t_ += 1
            cv2.fillConvexPoly(cover, cv2.convexHull(np.stack([xs[j] + q * np.cos(t), ys[j] + q * np.sin(t)], 1).astype(np.int32)), 1.0)
        img = img * (1 - cover) + background(rb) * cover
    rp = r(3); kind = rp.random()
    if kind < .33: img = cv2.GaussianBlur(img, (0, 0), rp.uniform(.3, 2.5))
    elif kind > .67:
        n = int(rp.uniform(1, 15)) | 1; t = rp.uniform(0, np.pi); K = np.zeros((n, n), np.float32); mm = n // 2
        cv2.line(K, (round(mm - mm * np.cos(t)), round(mm - mm * np.sin(t))), (round(mm + mm * np.cos(t)), round(mm + mm * np.sin(t))), 1.0)
        img = cv2.filter2D(img, -1, K / K.sum())
    rq = r(4); t = rq.uniform(0, 2 * np.pi)
    img = 255 * np.power(np.clip(img, 0, 255) / 255, np.float32(np.exp(rq.uniform(-.6, .6)))) * np.float32(np.exp(rq.uniform(-.9, .4)))
    s = np.float32(rq.uniform(0, .5)); img = img * (1 + s * (np.float32(np.cos(t)) * X + np.float32(np.sin(t)) * Y))
    img = img + np.float32(rq.uniform(0, 12)) * r(5).standard_normal(img.shape, dtype=np.float32)
    img = np.clip(img + .5, 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", img, [cv2.IMWRITE_JPEG_QUALITY, 60])[1], 0), c

def work(job):
    library, i, file = job
    with tempfile.TemporaryDirectory() as d:
        g, truth, paths = gray(file, 480), [], []
        for k in range(a.views):
            img, c = view(k, g); path = f"{d}/{k:04d}.pgm"; cv2.imwrite(path, img); paths.append(path); truth.append(c)
        out = subprocess.run([a.waymark, "anchors", "match", library, *paths, "--json"], stdout=subprocess.PIPE, text=True).stdout
    found = np.zeros(a.views, bool)
    for k, line in enumerate(out.splitlines()):
        for x in json.loads(line)["anchors"]:
            if x["name"] == str(i) and np.linalg.norm(np.array(x["corners"]) - truth[k], axis=1).mean() < 10: found[k] = True
    return found


def ranks(v):
    order = np.argsort(v, kind="stable"); r = np.empty(len(v)); r[order] = np.arange(len(v))
    for x in np.unique(v): r[v == x] = r[v == x].mean()
    return r


def spearman(x, y): return float(np.corrcoef(ranks(np.asarray(x)), ranks(np.asarray(y)))[0, 1])


def measure(files, d):
    """What is said of each picture, and in which views it is found."""
    manifest = f"{d}/list.json"
    json.dump([{"name": str(i), "image": os.path.abspath(f)} for i, f in enumerate(files)], open(manifest, "w"))
    subprocess.run([a.waymark, "anchors", "build", manifest, "-o", f"{d}/library", "--jobs", str(a.jobs)], check=True)
    out = subprocess.run([a.waymark, "anchors", "quality", "--json", "--jobs", str(a.jobs), manifest], stdout=subprocess.PIPE, text=True).stdout
    said = {int(r["name"]): r for r in map(json.loads, out.splitlines())}
    with mp.Pool(a.jobs) as pool: found = np.array(pool.map(work, [(f"{d}/library", i, files[i]) for i in sorted(said)], chunksize=1))
    return [said[i] for i in sorted(said)], found


def terms(said):
    share = np.array([(r["found"] + .5) / (r["views"] + 1) for r in said]); mean = np.array([max(np.mean(r["corners"]), 1e-3) for r in said])
    return np.stack([np.log(share / (1 - share)), np.log(mean), np.ones(len(said))], 1)


if __name__ == "__main__":
    result = []
    for files in halves:
        with tempfile.TemporaryDirectory() as d: result.append(measure(files, d))
    said, found = result[0]; recall = found.mean(1).clip(.5 / a.views, 1 - .5 / a.views)
    weights = np.linalg.lstsq(terms(said), np.log(recall / (1 - recall)), rcond=None)[0]
    print("best weights", weights.round(3))
    for name, (said, found) in zip(("fitted on", "held out"), result):
        recall = found.mean(1); quality = np.array([r["quality"] for r in said])
        fit = 1 / (1 + np.exp(-terms(said) @ weights)); built = 1 - np.exp(-np.array([np.mean(r["corners"]) for r in said]) / 80)
        # How well the views measure recall at all: random halves against each other, and by Spearman and Brown all of them.
        rng = np.random.default_rng(0); r = []
        for _ in range(100):
            p = rng.permutation(a.views); r.append(spearman(found[:, p[: a.views // 2]].mean(1), found[:, p[a.views // 2:]].mean(1)))
        r = np.mean(r)
        print(f"{name}: {len(said)} pictures, {a.views} views each, recall {100 * recall.mean():.1f} % ({100 * recall.min():.0f} to {100 * recall.max():.0f})")
        print(f"  half of the views against half {r:.3f}, so the most that can be reached is {np.sqrt(2 * r / (1 + r)):.3f}")
        print(f"  rank correlation: as printed {spearman(quality, recall):.3f}, best weights {spearman(fit, recall):.3f}, trial alone {spearman([x['found'] for x in said], recall):.3f}, estimate while building {spearman(built, recall):.3f}")
        print(f"  mean error in points: as printed {np.abs(quality - 100 * recall).mean():.1f}, estimate while building {100 * np.abs(built - recall).mean():.1f}")
    print("held out:\n| quality | pictures | mean quality | measured recall |\n|---|---|---|---|")
    for low in range(0, 100, 10):
        s = (quality >= low) & (quality < low + 10 + (low == 90))
        if s.any(): print(f"| {low}–{low + 9 + (low == 90)} | {s.sum()} | {quality[s].mean():.0f} | {100 * recall[s].mean():.0f} % |")
    if a.save: json.dump([dict(half=h, quality=q["quality"], found=q["found"], views=q["views"], mean=float(np.mean(q["corners"])), recall=float(f.mean())) for h, (s_, f_) in enumerate(result) for q, f in zip(s_, f_)], open(a.save, "w"))

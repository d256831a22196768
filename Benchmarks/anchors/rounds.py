#!/usr/bin/env python3
"""Measures anchors on cans, bottles and columns: pictures wrapped round cylinders, rendered before photographs, the camera and the thing
in motion.

  rounds.py WAYMARK PICTURES BACKGROUNDS [--radii 0.03,0.06,0.12,0.3] [--each 2] [--frames 60] [--focal 1.0] [--keep FOLDER] [--dump]

For every radius (metres) `--each` sequences of `--frames` frames of 640×480 are rendered, every one with another picture: a hand-held
path, the cylinder turned and tilted, sides in shade, smear, noise. Followed is a frame in which the anchor is told with its places right
within 3 pixels; the error is the mean distance, over what can be seen of the picture, between where the told pose and where the true
one puts its points. In the same run the same pictures as flat anchors, and as many sequences of pictures that the library does
not hold, in which nothing may be claimed. `--focal 1.1` tells the engine a focal length that is wrong by a tenth. Needs numpy and opencv-python-headless.
"""
import argparse, glob, json, os, subprocess, tempfile
import cv2, numpy as np

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("backgrounds")
ap.add_argument("--radii", default="0.03,0.06,0.12,0.3"); ap.add_argument("--each", type=int, default=2)
ap.add_argument("--frames", type=int, default=60); ap.add_argument("--keep"); ap.add_argument("--seed", type=int, default=1)
ap.add_argument("--focal", type=float, default=1.0)
ap.add_argument("--dump", action="store_true", help="print every frame that is not followed")
a = ap.parse_args()
cv2.setNumThreads(1)
W, H = 640, 480
F = 0.5 * W / np.tan(np.pi / 6)  # what is assumed without a calibration: 60 degrees across
CX, CY = (W - 1) / 2, (H - 1) / 2

def turn(x, y, z):
    def r(i, t):
        m = np.eye(3); j, k = (i + 1) % 3, (i + 2) % 3
        m[j, j] = m[k, k] = np.cos(t); m[j, k] = -np.sin(t); m[k, j] = np.sin(t)
        return m
    return r(0, x) @ r(1, y) @ r(2, z)

class Thing:
    """A picture round a cylinder; its frame: x right, y down, z into the picture, origin at the middle of the picture."""
    def __init__(self, path, radius, rng):
        g = cv2.imread(path, 0)
        self.picture = cv2.resize(g, None, fx=480 / max(g.shape), fy=480 / max(g.shape), interpolation=cv2.INTER_AREA)
        self.r, h, w = radius, *self.picture.shape
        self.width = radius * rng.uniform(1.6, 4.4)           # 90 to 250 degrees
        self.height = self.width * h / w
        if self.height > 5 * radius:                          # a bottle, not a pole
            self.width *= 5 * radius / self.height; self.height = 5 * radius
        self.name = os.path.splitext(os.path.basename(path))[0]
    def points(self, u, v):
        t = u * self.width / self.r
        return np.stack([self.r * np.sin(t), v * self.height, self.r * (1 - np.cos(t))], -1)
    def see(self, R, t, u, v, f=F):
        X = self.points(u, v); C = X @ R.T + t
        n = np.stack([np.sin(u * self.width / self.r), 0 * u, -np.cos(u * self.width / self.r)], -1) @ R.T
        facing = -(n * C).sum(-1) / np.linalg.norm(C, axis=-1)
        return np.stack([C[..., 0] / C[..., 2] * f + CX, C[..., 1] / C[..., 2] * f + CY], -1), facing

def path(rng, thing):
    """A hand-held path: pose at a time in seconds."""
    size = max(1.2 * thing.height, 2 * thing.r)
    z0 = size * F / (H * rng.uniform(0.45, 0.75)) + thing.r
    k = rng.uniform(0.6, 1.5, 8); p = rng.uniform(0, 6.3, 8)
    s = lambda i, t: np.sin(k[i] * 2 * t + p[i])
    spin = min(0.5, 0.12 * thing.width / thing.r)
    def at(t):
        z = z0 * (1 + 0.12 * s(0, t))
        R = turn(0.35 * s(1, t), 0, 0.25 * s(2, t)) @ turn(0, spin * (s(3, t) + 0.5 * s(4, t)), 0)
        axis = np.array([0.13 * z * s(5, t), 0.09 * z * s(6, t), z])
        return R, axis - R @ np.array([0, 0, thing.r])
    return at

yy, xx = np.mgrid[0:H, 0:W].astype(np.float64)
def render(thing, at, t, ground, rng, light, exposure=1 / 120):
    out = np.zeros((H, W))
    for k, (dx, dy) in enumerate([(-.25, -.25), (.25, .25), (-.25, .25), (.25, -.25)]):
        R, tr = at(t + exposure * ((k + 0.5) / 4 - 0.5))
        d = np.stack([(xx + dx - CX) / F, (yy + dy - CY) / F, np.ones_like(xx)], -1) @ R
        o = -R.T @ tr
        A = d[..., 0] ** 2 + d[..., 2] ** 2
        B = o[0] * d[..., 0] + (o[2] - thing.r) * d[..., 2]
        D = B * B - A * (o[0] ** 2 + (o[2] - thing.r) ** 2 - thing.r ** 2)
        hit = D > 0
        s = (-B - np.sqrt(np.maximum(D, 0))) / A
        X = o + d * s[..., None]
        ang = np.arctan2(X[..., 0], thing.r - X[..., 2])
        u = ang * thing.r / thing.width; v = X[..., 1] / thing.height
        body = hit & (np.abs(v) < 0.62)
        label = hit & (np.abs(u) < 0.5) & (np.abs(v) < 0.5)
        h, w = thing.picture.shape
        tex = cv2.remap(thing.picture, ((u + 0.5) * w - 0.5).astype(np.float32), ((v + 0.5) * h - 0.5).astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        n = np.stack([np.sin(ang), np.zeros_like(ang), -np.cos(ang)], -1) @ R.T
        shade = 0.45 + 0.55 * np.clip(n @ light, 0, 1)
        out += np.where(label, tex * shade, np.where(body, 190 * shade, ground))
    return np.clip(out / 4 + rng.normal(0, 2, out.shape), 0, 255).astype(np.uint8)

def error(thing, R, t, matrix):
    """Mean distance over the visible part; None without a report."""
    m = np.array(matrix).reshape(4, 4).T
    # Reported poses: camera x right, y up, looking along -z; anchor x right, y out, z down.
    flip = np.diag([1.0, -1, -1])
    R2 = flip @ m[:3, :3] @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)
    t2 = flip @ m[:3, 3]
    u, v = np.meshgrid(np.linspace(-.5, .5, 41), np.linspace(-.5, .5, 21))
    p, facing = thing.see(R, t, u, v); q, _ = thing.see(R2, t2, u, v, F * a.focal)
    ok = (facing > 0.3) & (p[..., 0] > 0) & (p[..., 0] < W) & (p[..., 1] > 0) & (p[..., 1] < H)
    return np.linalg.norm(p - q, axis=-1)[ok].mean() if ok.any() else None, np.linalg.norm(t2 - t) / np.linalg.norm(t)

rng = np.random.default_rng(a.seed)
pictures = sorted(sum([glob.glob(f"{a.pictures}/*.{e}") for e in ("jpg", "png")], []))
grounds = sorted(glob.glob(f"{a.backgrounds}/*"))
radii = [float(r) for r in a.radii.split(",")]
chosen = [pictures[i] for i in rng.permutation(len(pictures))[: 2 * a.each * len(radii)]]
known, strange = chosen[::2], chosen[1::2]
folder = a.keep or tempfile.mkdtemp(prefix="rounds-")
os.makedirs(folder, exist_ok=True)
things = [Thing(p, radii[i // a.each], rng) for i, p in enumerate(known)]
others = [Thing(p, radii[i // a.each], rng) for i, p in enumerate(strange)]
for name, rounded in (("round", True), ("flat", False)):
    entries = [dict(name=t.name, image=os.path.abspath(p), physicalWidth=t.width, **(dict(radius=t.r) if rounded else {})) for t, p in zip(things, known)]
    json.dump(entries, open(f"{folder}/{name}.json", "w"))
    subprocess.run([a.waymark, "anchors", "build", f"{folder}/{name}.json", "-o", f"{folder}/{name}.anchors"], check=True, stdout=subprocess.DEVNULL)

def sequence(thing, tag):
    at = path(rng, thing)
    ground = cv2.resize(cv2.imread(grounds[rng.integers(len(grounds))], 0), (W, H)).astype(np.float64)
    light = np.array([rng.uniform(-.6, .6), rng.uniform(-.6, .1), -1]); light /= np.linalg.norm(light)
    os.makedirs(f"{folder}/{tag}", exist_ok=True)
    poses = []
    for n in range(a.frames):
        cv2.imwrite(f"{folder}/{tag}/{n:04}.png", render(thing, at, n / 30, ground, rng, light))
        poses.append(at(n / 30))
    return poses

def run(mode, library, tag):
    files = sorted(glob.glob(f"{folder}/{tag}/*.png"))
    out = subprocess.run([a.waymark, "anchors", mode, f"{folder}/{library}.anchors", *files, "--json", "--intrinsics", f"{F * a.focal},{F * a.focal},{CX},{CY}"], stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(l) for l in out.splitlines()]

rows = {}
def count(key, thing, poses, records, tag=""):
    row = rows.setdefault(key, dict(n=0, followed=0, errors=[], place=[], wrong=0, times=[]))
    for i, ((R, t), rec) in enumerate(zip(poses, records)):
        row["n"] += 1; row["times"].append(rec["elapsed"])
        seen = [x for x in rec["anchors"] if x["trackingMethod"] == "fullTracking"]
        row["wrong"] += any(x["name"] != thing.name for x in seen)
        mine = [x for x in seen if x["name"] == thing.name and x.get("rawPose")]
        e, place = error(thing, R, t, mine[0]["rawPose"]["matrix"]) if mine else (None, None)
        if e is not None and e <= 3: row["followed"] += 1; row["errors"].append(e); row["place"].append(place)
        elif a.dump: print(f"  {key} {tag} frame {i}: {'not told' if e is None else f'{e:.1f} px off'}")

for i, t in enumerate(things):
    poses = sequence(t, f"seq{i}")
    for library in ("round", "flat"):
        for mode in ("track", "match"): count((library, mode, t.r), t, poses, run(mode, library, f"seq{i}"), f"seq{i} {t.name}")
claims = {m: 0 for m in ("track", "match")}; total = 0
for i, t in enumerate(others):
    total += len(sequence(t, f"none{i}"))
    for m in claims: claims[m] += sum(bool(r["anchors"]) for r in run(m, "round", f"none{i}"))
print(f"{'':13}{'radius':>8}{'frames':>8}{'followed':>10}{'error px: median':>18}{'mean':>6}{'95 %':>6}{'worst':>7}{'position':>10}{'other':>7}{'ms':>7}")
for (library, mode, r), v in sorted(rows.items(), key=lambda x: (x[0][0] != "round", x[0][1] != "track", x[0][2])):
    e = np.array(v["errors"] or [np.nan])
    print(f"{library:6}{mode:7}{r * 100:6.0f} cm{v['n']:7}{100 * v['followed'] / v['n']:9.1f}%{np.median(e):18.2f}{e.mean():6.2f}{np.percentile(e, 95):6.2f}{e.max():7.2f}{100 * np.median(v['place'] or [np.nan]):9.2f}%{v['wrong']:7}{1000 * np.mean(v['times']):7.1f}")
print(f"pictures the library does not hold: a claim in {claims['track']} (track) and {claims['match']} (match) of {total} frames")

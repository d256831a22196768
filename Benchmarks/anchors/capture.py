#!/usr/bin/env python3
"""Measures `waymark anchors capture` on rendered photographs of pictures on a wall, with a sheet of A4 or a printed code beside them.

  capture.py WAYMARK PICTURES [--count 20] [--seed 1]

Prints how many outlines were found (all corners within 1 % of the picture's diagonal), how many others were flagged as uncertain, how many
were not, and how many photographs have none, the error of the physical width (with corners found, and with
the true ones given), and how uneven the reference is lit beside the picture itself (standard deviation of the ratio of their blurred grays).
Needs numpy, opencv-python-headless and qrencode.
"""
import argparse, importlib.machinery, importlib.util, json, os, subprocess, tempfile
import cv2, numpy as np

here = os.path.dirname(os.path.abspath(__file__))
path = os.path.join(here, "../../Scripts/make-capture-photos")
maker = importlib.util.module_from_spec(importlib.util.spec_from_loader("maker", importlib.machinery.SourceFileLoader("maker", path)))
maker.__loader__ = None
importlib.machinery.SourceFileLoader("maker", path).exec_module(maker)

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("waymark"); ap.add_argument("pictures"); ap.add_argument("--count", type=int, default=20); ap.add_argument("--seed", type=int, default=1)
a = ap.parse_args()
rng = np.random.default_rng(a.seed)
files = sorted(f for f in os.listdir(a.pictures) if f.lower().endswith((".jpg", ".png", ".pgm")))
files = [files[i] for i in rng.choice(len(files), a.count, replace=False)]


def unevenness(reference, picture):
    small = [cv2.GaussianBlur(cv2.resize(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY) if p.ndim == 3 else p, (160, 160), interpolation=cv2.INTER_AREA).astype(np.float32) + 8, (0, 0), 8)[16:-16, 16:-16] for p in (reference, picture)]
    ratio = np.log(small[0] / small[1])
    return float(np.std(ratio))


for beside, option in (("a4", ["--a4"]), ("code", ["--code-width", "0.06"])):
    found, told, untold, none, widths, given, light, before, quality = 0, 0, 0, 0, [], [], [], [], []
    for name in files:
        picture = cv2.imread(os.path.join(a.pictures, name))
        width = float(rng.uniform(0.35, 0.8))
        photo, corners, height = maker.photograph(picture, width, rng, (1600, 1200), beside, tilt=float(rng.uniform(5, 30)))
        with tempfile.TemporaryDirectory() as d:
            cv2.imwrite(f"{d}/photo.jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, 90])
            def capture(*more):
                out = subprocess.run([a.waymark, "anchors", "capture", f"{d}/photo.jpg", "-o", f"{d}/out.png", "--json", *option, *more], capture_output=True, text=True)
                return json.loads(out.stdout) if out.returncode == 0 else None
            r = capture()
            diagonal = np.linalg.norm(corners[2] - corners[0])
            if r and np.linalg.norm(np.array(r["corners"]) - corners, axis=1).max() < 0.01 * diagonal:
                found += 1
                widths.append(abs(r["physicalWidth"] / width - 1))
            elif not r: none += 1
            elif any(x["code"] == "outlineUncertain" for x in r["reasons"]): told += 1
            else: untold += 1
            r = capture("--corners", ",".join(f"{v:.2f}" for v in corners.ravel()))
            if r:
                given.append(abs(r["physicalWidth"] / width - 1)); quality.append(r["quality"])
                light.append(unevenness(cv2.imread(f"{d}/out.png"), picture))
                H = cv2.getPerspectiveTransform(corners.astype(np.float32), np.float32([[0, 0], [479, 0], [479, 479], [0, 479]]))
                before.append(unevenness(cv2.warpPerspective(photo, H, (480, 480)), picture))
    q = lambda v, s: float("nan") if not v else 100 * np.quantile(v, s)
    print(f"{beside:5} outline found {found}/{len(files)}, wrong and told {told}, wrong and not told {untold}, none {none}  width off by {q(widths, .5):.2f} % (p95 {q(widths, .95):.2f}); corners given ({len(given)}): "
          f"{q(given, .5):.2f} % (p95 {q(given, .95):.2f})  light {np.median(before):.3f} -> {np.median(light):.3f}  quality {np.median(quality):.0f}")

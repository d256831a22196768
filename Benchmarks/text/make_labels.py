#!/usr/bin/env python3
"""Draws labels of one to four lines in four orientations, and scores what was read of them.

  make_labels.py FOLDER [--count 36] [--seed 1] [--lines 1] [--tilt 0] [--cut] [--fonts PATH…]
  make_labels.py FOLDER --score RESULTS.ndjson [--misses]

Draws --count labels each upright, upside down, and turned by a quarter either way: FOLDER/truth.tsv has picture, orientation in degrees
clockwise, text. Every label is tilted by up to --tilt degrees; --cut leaves a margin of a third of the line instead of a picture around it.
Every font of FONTS that the machine has is used in turn, or those of --fonts. RESULTS: lines of `waymark text --json`; a label is right if
every line of it was read, wrong if anything else was. Needs: apt-get install python3-pil fonts-dejavu fonts-liberation2.
"""
import argparse
import json
import pathlib
import random

from PIL import Image, ImageDraw, ImageFilter, ImageFont

ROOT = pathlib.Path("/usr/share/fonts/truetype")
FONTS = ["dejavu/DejaVuSans.ttf", "dejavu/DejaVuSerif.ttf", "dejavu/DejaVuSansMono-Bold.ttf", "liberation2/LiberationSans-Regular.ttf",
         "liberation2/LiberationSerif-Regular.ttf", "liberation2/LiberationMono-Bold.ttf"]
WORDS = ("Pump Motor Valve Serial no. Type Order Made in Austria Weight Voltage Lot Batch Store cool Best before Room Locker Exit Fragile Filter "
         "Article Model Power Date Name Invoice Total Keep dry Handle with care Sample Return to sender").split()


def label(r):
    """One line as it stands on labels: a type, a serial number, words, a date, a quantity, a number."""
    capital = lambda: r.choice("ABCDEFGHJKLMNPQRSTUVWXYZ")
    digits = lambda n: "".join(r.choice("0123456789") for _ in range(n))
    return r.choice([
        lambda: f"{capital()}{capital()} {digits(2)}-{digits(3)}",
        lambda: f"{capital()}{capital()}-{digits(6)}",
        lambda: " ".join(r.sample(WORDS, 2)),
        lambda: f"{r.randint(2020, 2032)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}",
        lambda: f"{r.choice(WORDS).upper()} {digits(4)}",
        lambda: f"{r.randint(1, 99)},{r.randint(1, 9)} {r.choice(['kg', 'kW', 'mm', 'bar'])}",
        lambda: digits(r.randint(7, 13)),
        lambda: f"{capital()}{digits(2)}{capital()}{digits(3)}{capital()}",
    ])()


def draw(r, lines, face, cut):
    """The label upright on plain paper."""
    size = face.size
    mask = Image.new("L", (1, 1))
    width = int(max(ImageDraw.Draw(mask).textlength(line, font=face) for line in lines))
    pitch = int(1.5 * size)
    margin = size // 3 if cut else size * 3
    paper, ink = r.randint(170, 255), r.randint(0, 70)
    if r.random() < 0.2:
        paper, ink = ink, paper
    picture = Image.new("L", (width + 2 * margin, pitch * (len(lines) - 1) + size + 2 * margin), paper)
    for i, line in enumerate(lines):
        ImageDraw.Draw(picture).text((margin, margin + i * pitch), line, fill=ink, font=face)
    return picture, paper


def make(a):
    r = random.Random(a.seed)
    fonts = a.fonts or [ROOT / f for f in FONTS if (ROOT / f).exists()]
    a.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for i in range(a.count):
        lines = [label(r) for _ in range(a.lines)]
        face = ImageFont.truetype(str(fonts[i % len(fonts)]), r.randint(24, 48))
        picture, paper = draw(r, lines, face, a.cut)
        for turn in (0, 90, 180, 270):
            tilted = picture.rotate(-turn, expand=True).rotate(r.uniform(-a.tilt, a.tilt), Image.Resampling.BICUBIC, fillcolor=paper)
            name = f"{i:03}-{turn:03}.png"
            tilted.filter(ImageFilter.GaussianBlur(r.uniform(0, 0.8))).save(a.folder / name)
            rows.append(f"{name}\t{turn}\t{'|'.join(lines)}\n")
    (a.folder / "truth.tsv").write_text("".join(rows))


def score(a):
    plain = lambda text: "".join(text.split())
    got = {pathlib.Path(r["input"]).name: r for r in map(json.loads, a.score.read_text().splitlines())}
    counts = {}
    for name, turn, text in (row.split("\t") for row in (a.folder / "truth.tsv").read_text().splitlines()):
        wanted = sorted(plain(line) for line in text.split("|"))
        read = sorted(plain(line["text"]) for line in got.get(name, {}).get("lines", []))
        other = [line for line in read if line not in wanted]
        count = counts.setdefault(turn, [0, 0, 0])
        count[0] += 1
        count[1] += read == wanted
        count[2] += bool(other)
        if a.misses and read != wanted:
            print(name, wanted, [(line["text"], round(line["confidence"], 2)) for line in got.get(name, {}).get("lines", [])])
    for turn, (total, right, wrong) in sorted(counts.items(), key=lambda item: int(item[0])):
        print(f"{turn:>3} degrees clockwise: {right} of {total} right, {wrong} wrong")
    total, right, wrong = map(sum, zip(*counts.values()))
    print(f"all: {right} of {total} right, {wrong} wrong, {1e3 * sum(r['elapsed'] for r in got.values()) / max(1, len(got)):.1f} ms a picture")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("folder", type=pathlib.Path)
    a.add_argument("--count", type=int, default=36)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--lines", type=int, default=1)
    a.add_argument("--tilt", type=float, default=0)
    a.add_argument("--cut", action="store_true")
    a.add_argument("--fonts", nargs="+", type=pathlib.Path)
    a.add_argument("--score", type=pathlib.Path)
    a.add_argument("--misses", action="store_true")
    a = a.parse_args()
    score(a) if a.score else make(a)


main()

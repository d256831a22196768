#!/usr/bin/env python3
"""Renders plates and machine-readable zones as a camera would see them, with the text that stands on them.

  make_plates.py FOLDER [--count 200] [--zones 100] [--seed 1] [--text TEXT] [--frames 1]
                        [--form gtin|date|code] [--kinds print,print,engraved,dots,inverted] [--broken 0]

Writes 640x480 pictures and FOLDER/truth.tsv: picture, pattern, text. Plates carry numbers with a check digit, with --form days in the forms in which
goods carry them, or codes such as AB-12345-C, with --text that text. Needs: apt-get install python3-numpy python3-opencv
python3-pil fonts-dejavu-core fonts-liberation2 fonts-ocr-b. Plates are printed, engraved (a bright and a dark edge), of dots (a printer's
matrix of five by seven), or light on dark; with `raster` among the kinds also of dots on a grid that no typeface was drawn for, some of
which nobody can read; 12 to 40 pixels high, tilted by up to 12 degrees, with uneven light, glare, blur and noise. With --frames each plate is a folder of
as many frames of a hand-held camera: it trembles, the focus wanders, glare comes and goes, the noise is another one. With --broken that share of
plates carries a text that does not satisfy its form: a wrong check digit, a day that there is not, a letter for a digit; their pattern is `none`.
"""
import argparse
import pathlib
import random
import re

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONTS = ["dejavu/DejaVuSansMono.ttf", "dejavu/DejaVuSans.ttf", "dejavu/DejaVuSans-Bold.ttf",
         "liberation2/LiberationSans-Regular.ttf", "liberation2/LiberationMono-Bold.ttf", "liberation2/LiberationSansNarrow-Bold.ttf"]
FONTS = [p for p in ("/usr/share/fonts/truetype/" + f for f in FONTS) if pathlib.Path(p).exists()]
OCR_B = next(iter(pathlib.Path("/usr/share/fonts").rglob("OCRB.[ot]tf")), None)


# Digits as needle printers and inkjet coders make them of five by seven dots, a column after the other from the left, the lowest bit on top.
MATRIX = {"0": "3e4141413e", "1": "00427f4000", "2": "4261514946", "3": "2241494936", "4": "1814127f10", "5": "2745454539",
          "6": "3c4a494930", "7": "0171090503", "8": "3649494936", "9": "064949291e"}


def gtin(r):
    digits = [r.randrange(10) for _ in range(12)]
    return "".join(map(str, digits + [-sum(d * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10]))


def date(r):
    """A day in one of the forms in which goods carry it."""
    year, month, day = r.randint(2024, 2032), r.randint(1, 12), r.randint(1, 28)
    return r.choice([f"{year}-{month:02}-{day:02}", f"{day:02}.{month:02}.{year}", f"{day:02}/{month:02}/{year % 100:02}"])


def code(r):
    """A code of capitals and digits that no check digit protects."""
    letters = "ABCDEFGHJKLMNPRSTUVWXYZ"
    return f"{r.choice(letters)}{r.choice(letters)}-{r.randrange(100000):05}-{r.choice(letters)}"


def broken(r, text, form):
    """The text, changed so that it no longer fits its form: a wrong check digit, a 13th month, a letter for a digit that it does not look like."""
    if form == "gtin":
        return text[:-1] + str((int(text[-1]) + r.randint(1, 9)) % 10)
    if form == "date":
        parts = re.split("([-./])", text)
        parts[2] = str(r.randint(13, 19))
        return "".join(parts)
    place = r.randint(3, 7)
    return text[:place] + r.choice("EHKNPRUVWXY") + text[place + 1:]


def check(field):
    value = lambda c: 0 if c == "<" else int(c) if c.isdigit() else ord(c) - 55
    return str(sum(value(c) * (7, 3, 1)[i % 3] for i, c in enumerate(field)) % 10)


def zone(r):
    word = lambda a, b: "".join(r.choice("ABCDEFGHIJKLMNOPRSTUVWYZ") for _ in range(r.randint(a, b)))
    digits = lambda n: "".join(r.choice("0123456789") for _ in range(n))
    day = lambda: f"{r.randrange(100):02}{r.randint(1, 12):02}{r.randint(1, 28):02}"
    number, birth, expiry, sex = word(2, 2) + digits(7), day(), day(), r.choice("MF<")
    name = f"{word(4, 9)}<<{word(4, 8)}<{word(3, 6)}"
    if r.random() < 0.34:
        first = ("I<UTO" + number + check(number)).ljust(30, "<")
        second = birth + check(birth) + sex + expiry + check(expiry) + "UTO" + "<" * 11
        return [first, second + check(first[5:] + second[:7] + second[8:15] + second[18:]), name.ljust(30, "<")]
    body = number + check(number) + "UTO" + birth + check(birth) + sex + expiry + check(expiry)
    if r.random() < 0.5:
        body += "<" * 7
        return [("I<UTO" + name).ljust(36, "<"), body + check(body[:10] + body[13:20] + body[21:])]
    body += "<" * 14 + "0"
    return [("P<UTO" + name).ljust(44, "<"), body + check(body[:10] + body[13:20] + body[21:])]


def matrix(r, text, capitals):
    """Digits of dots, as a printer's own matrix has them."""
    step = capitals / 7
    across = step * r.uniform(0.85, 1.1)
    radius = step * r.uniform(0.36, 0.52)
    left, top = 320 - across * (6 * len(text) - 1) / 2, 240 - capitals / 2
    ink = np.zeros((480, 640), np.float32)
    for i, character in enumerate(text):
        for column, bits in enumerate(bytes.fromhex(MATRIX[character])):
            for row in range(7):
                if bits >> row & 1:
                    x = left + (6 * i + column + 0.5 + r.gauss(0, 0.04)) * across
                    y = top + (row + 0.5 + r.gauss(0, 0.04)) * step
                    cv2.circle(ink, (round(x * 16), round(y * 16)), round(radius * 16), 1, -1, cv2.LINE_AA, 4)
    return ink


def render(r, lines, font, size, kind):
    """The text as coverage, 0 to 1, on a picture of 640x480."""
    if kind == "dots" and all(c in MATRIX for c in lines[0]):
        return matrix(r, lines[0], size / 1.37)
    face = ImageFont.truetype(str(font), size)
    mask = Image.new("L", (640, 480))
    draw = ImageDraw.Draw(mask)
    width = max(draw.textlength(line, font=face) for line in lines)
    pitch = size * 1.5
    x, y = (640 - width) / 2, 240 - pitch * len(lines) / 2
    for i, line in enumerate(lines):
        draw.text((x, y + i * pitch), line, fill=255, font=face)
    ink = np.asarray(mask, np.float32) / 255
    if kind in ("dots", "raster"):
        step = max(3, size // 8)
        grid = cv2.resize(ink, (640 // step, 480 // step), interpolation=cv2.INTER_AREA) > 0.45
        ink = np.zeros((480, 640), np.float32)
        for row, column in zip(*np.nonzero(grid)):
            cv2.circle(ink, (int((column + 0.5) * step * 16), int((row + 0.5) * step * 16)), int(step * 0.5 * 16), 1, -1, cv2.LINE_AA, 4)
    return ink


def photograph(r, n, ink, kind, tilt, frames=1):
    """What a camera sees of it, frame by frame."""
    ys, xs = np.mgrid[0:480, 0:640].astype(np.float32)
    paper = np.full((480, 640), r.uniform(150, 225), np.float32)
    depth = r.uniform(80, 140)
    if kind == "inverted":
        paper[:] = r.uniform(30, 70)
        scene = paper + ink * depth
    elif kind == "engraved":
        edge = cv2.GaussianBlur(ink, (0, 0), 0.8)
        relief = cv2.filter2D(edge, -1, np.array([[1, 0, 0], [0, 0, 0], [0, 0, -1]], np.float32))
        scene = paper - ink * depth * 0.45 + relief * 40
    else:
        scene = paper - ink * depth
    angle = r.uniform(-tilt, tilt)
    light = 1 + r.uniform(-0.25, 0.25) * (xs - 320) / 320 + r.uniform(-0.15, 0.15) * (ys - 240) / 240
    for _ in range(frames):
        matrix = cv2.getRotationMatrix2D((320, 240), angle, 1)
        if frames > 1:
            matrix = cv2.getRotationMatrix2D((320, 240), angle + r.gauss(0, 0.5), 1 + r.gauss(0, 0.01))
            matrix[:, 2] += [r.gauss(0, 2), r.gauss(0, 2)]
        picture = cv2.warpAffine(scene, matrix, (640, 480), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE) * light
        if r.random() < 0.3:
            cx, cy, s = r.uniform(100, 540), r.uniform(200, 280), r.uniform(20, 50)
            picture += 60 * np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * s * s))
        picture = cv2.GaussianBlur(picture, (0, 0), r.uniform(0.4, 1.0 if frames == 1 else 1.6))
        yield np.clip(picture + n.normal(0, r.uniform(1, 5), picture.shape), 0, 255).astype(np.uint8)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("folder", type=pathlib.Path)
    a.add_argument("--count", type=int, default=200)
    a.add_argument("--zones", type=int, default=100)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--form", choices=["gtin", "date", "code"], default="gtin")
    a.add_argument("--text")
    a.add_argument("--frames", type=int, default=1)
    a.add_argument("--broken", type=float, default=0)
    a.add_argument("--kinds", default="print,print,engraved,dots,inverted")
    a = a.parse_args()
    a.folder.mkdir(parents=True, exist_ok=True)
    r, n = random.Random(a.seed), np.random.default_rng(a.seed)
    truth = []
    for i in range(a.count):
        kind = r.choice(a.kinds.split(","))
        text, pattern = a.text or {"gtin": gtin, "date": date, "code": code}[a.form](r), a.form
        if a.broken and r.random() < a.broken:
            text, pattern = broken(r, text, a.form), "none"
        size = round(r.randint(18 if kind in ("dots", "raster") else 12, 40) * 1.37)  # the capitals' height
        name = f"plate-{i:04}" if a.frames > 1 else f"plate-{i:04}.png"
        if a.frames > 1:
            (a.folder / name).mkdir(exist_ok=True)
        for k, picture in enumerate(photograph(r, n, render(r, [text], r.choice(FONTS), min(size, 54), kind), kind, 12, a.frames)):
            cv2.imwrite(str(a.folder / name / f"{k:02}.png" if a.frames > 1 else a.folder / name), picture)
        truth.append((name, pattern, text))
    for i in range(a.zones if OCR_B else 0):
        lines = zone(r)
        size = int(100 * 590 / ImageFont.truetype(str(OCR_B), 100).getlength(lines[0]))
        picture = next(photograph(r, n, render(r, lines, OCR_B, size, "print"), "print", 3))
        cv2.imwrite(str(a.folder / f"zone-{i:04}.png"), picture)
        truth.append((f"zone-{i:04}.png", "mrz", "\\n".join(lines)))
    (a.folder / "truth.tsv").write_text("".join("\t".join(t) + "\n" for t in truth))


main()

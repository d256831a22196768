#!/usr/bin/env python3
"""Draws the characters of machine-readable zones as Sources/Station/CGlyphs/zone-glyphs.model, and prints the height of each typeface's capitals
in advances, as `ZoneGlyphs` in Sources/Station/WaymarkText holds them.

Each character is 12x18 bytes of 0 to 15, row by row: its advance wide, and from a fifth of the capitals' height above them to a fifth below the
line high. Needs: apt-get install python3-numpy python3-opencv python3-pil fonts-ocr-b fonts-dejavu-core fonts-liberation2.
"""
import os
import sys

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../documents"))
import models

FONTS = [("OCR-B", "/usr/share/fonts/opentype/ocr-b/OCRB.otf"), ("DejaVu Sans Mono", "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"),
         ("Liberation Mono", "/usr/share/fonts/truetype/liberation2/LiberationMono-Regular.ttf")]
CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<"


def drawn(face, character):
    mask = Image.new("L", (1000, 1000))
    ImageDraw.Draw(mask).text((300, 300), character, fill=255, font=face)
    return np.asarray(mask, np.float32) / 255


data = b""
for name, path in FONTS:
    face = ImageFont.truetype(path, 400)
    rows = np.nonzero(drawn(face, "H").sum(1) > 1)[0]
    top, bottom = rows[0], rows[-1] + 1
    cap, advance = bottom - top, face.getlength("H")
    print(f"{name}: {cap / advance:.3f}")
    for character in CHARACTERS:
        part = drawn(face, character)[int(top - cap * .2):int(bottom + cap * .2), 300:300 + round(advance)]
        small = cv2.GaussianBlur(cv2.resize(part, (12, 18), interpolation=cv2.INTER_AREA), (0, 0), 0.55)
        data += bytes(round(v * 15) for v in np.clip(small, 0, 1).ravel())
models.write("zone-glyphs", "Benchmarks/text/make_glyphs.py", data, os.path.join(models.SOURCES, "Station/CGlyphs"))

#!/usr/bin/env python3
"""Draws the characters of machine-readable zones as `Sources/Station/WaymarkText/ZoneGlyphs.swift` holds them: make_glyphs.py > ZoneGlyphs.swift

Each character is 12x18 values of 0 to 15 as hexadecimal digits, row by row: its advance wide, and from a fifth of the capitals' height above
them to a fifth below the line high. Needs: apt-get install python3-numpy python3-opencv python3-pil fonts-ocr-b fonts-dejavu-core fonts-liberation2.
"""
import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONTS = [("OCR-B", "/usr/share/fonts/opentype/ocr-b/OCRB.otf"), ("DejaVu Sans Mono", "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"),
         ("Liberation Mono", "/usr/share/fonts/truetype/liberation2/LiberationMono-Regular.ttf")]
CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<"


def drawn(face, character):
    mask = Image.new("L", (1000, 1000))
    ImageDraw.Draw(mask).text((300, 300), character, fill=255, font=face)
    return np.asarray(mask, np.float32) / 255


print('''/// The characters of machine-readable zones in the typefaces that they are printed in: OCR-B (ISO 1073-2), as ICAO 9303-3 wants it, and two
/// that stand in for it. Drawn by `Benchmarks/text/make_glyphs.py`.
enum ZoneGlyphs {
  /// The characters, in the order in which each typeface has them.
  static let characters = Array("%s")
  /// How many values a character is wide and high.
  static let width = 12, height = 18

  /// A typeface.
  struct Face {
    /// The height of its capitals, in widths of a character.
    let capitals: Double
    /// The characters' values, 0 to 15, as hexadecimal digits.
    let rows: String
  }
''' % CHARACTERS)
print("  static let faces = [")
for name, path in FONTS:
    face = ImageFont.truetype(path, 400)
    rows = np.nonzero(drawn(face, "H").sum(1) > 1)[0]
    top, bottom = rows[0], rows[-1] + 1
    cap, advance = bottom - top, face.getlength("H")
    print(f"    // {name}\n    Face(\n      capitals: {cap / advance:.3f},\n      rows: \"\"\"")
    for character in CHARACTERS:
        part = drawn(face, character)[int(top - cap * .2):int(bottom + cap * .2), 300:300 + round(advance)]
        small = cv2.GaussianBlur(cv2.resize(part, (12, 18), interpolation=cv2.INTER_AREA), (0, 0), 0.55)
        digits = "".join("%x" % round(v * 15) for v in np.clip(small, 0, 1).ravel())
        print(f"        {digits[:108]}\n        {digits[108:]}")
    print('        """),')
print("  ]\n}")

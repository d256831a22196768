#!/bin/bash
# Guessed: cv2.imread(FILE, IMREAD_GRAYSCALE) gives the gray values that cvtColor(imread(FILE), BGR2GRAY) gives, to a rounding, and
#   ancillary chunks of a PNG have no say in them: OpenCV does no colour management.
# True: for PNG the gray is made by libpng, which minds the file's gamma: where the file has a chunk sRGB, or gAMA with 0.45455 (what
#   screenshots and most editors write), it weighs the colours in linear light. Pure red becomes 147 instead of 76, green 200 instead of
#   150, blue 95 instead of 29. The colour picture of the same file, and its gray by cvtColor, do not change, and gAMA with 1.0 gives 76
#   again. So a QR code of red modules on mid gray (128) is dark on light or light on dark by a chunk of one byte: the readers of
#   OpenCV see it in the one picture only, and a template or an anchor made from the one file does not fit the other.
# Seen: opencv-python-headless 5.0.0.93 and 4.12.0.88 with numpy 2.4.6 and 2.2.6, drawn by segno 1.6.6; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >check.py <<'PY'
import io, struct, zlib
import cv2
import numpy as np
import segno

print("OpenCV", cv2.__version__, "numpy", np.__version__, "segno", segno.__version__)

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png(rgb, extra=b""):  # an 8 bit RGB file; extra stands between IHDR and IDAT
    height, width, _ = rgb.shape
    rows = b"".join(b"\0" + row.tobytes() for row in rgb)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return np.frombuffer(b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""), np.uint8)

colours = np.array([[(255, 0, 0), (0, 255, 0), (0, 0, 255), (128, 128, 128)]], np.uint8)
chunks = {"none": b"", "sRGB": chunk(b"sRGB", b"\0"), "gAMA 0.45455": chunk(b"gAMA", struct.pack(">I", 45455)), "gAMA 1.0": chunk(b"gAMA", struct.pack(">I", 100000))}
right = True
for name, extra in chunks.items():
    file = png(colours, extra)
    gray = cv2.imdecode(file, cv2.IMREAD_GRAYSCALE)[0].astype(int)
    colour = cv2.imdecode(file, cv2.IMREAD_COLOR)
    converted = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY)[0].astype(int)
    print(f"{name:13} read as gray {gray.tolist()}, colour then gray {converted.tolist()}")
    linear = name in ("sRGB", "gAMA 0.45455")
    want = np.array([147, 200, 95, 128] if linear else [76, 150, 29, 128])
    right &= (colour[:, :, ::-1] == colours).all() and abs(converted - [76, 150, 29, 128]).max() <= 1 and abs(gray - want).max() <= 2

modules = np.array([list(row) for row in segno.make("GRAY BY CHUNK 42", micro=False).matrix_iter(scale=6, border=4)])
code = np.full(modules.shape + (3,), 128, np.uint8)
code[modules == 1] = (255, 0, 0)
reader = cv2.QRCodeDetector()
for name, dark in (("none", True), ("sRGB", False)):
    gray = cv2.imdecode(png(code, chunks[name]), cv2.IMREAD_GRAYSCALE)
    colour = cv2.imdecode(png(code, chunks[name]), cv2.IMREAD_COLOR)
    module, ground = int(gray[modules == 1].mean()), int(gray[modules == 0].mean())
    told = reader.detectAndDecode(gray)[0], reader.detectAndDecode(colour)[0]
    print(f"QR code with chunk {name}: modules {module}, ground {ground}; told from gray {told[0]!r}, from colour {told[1]!r}")
    right &= (module < ground) == dark and told == ("GRAY BY CHUNK 42" if dark else "", "GRAY BY CHUNK 42")
raise SystemExit(0 if right else "not as stated")
PY
for pair in 5.0.0.93:2.4.6 4.12.0.88:2.2.6; do
    rm -rf venv
    python3 -m venv venv
    venv/bin/pip -q --disable-pip-version-check install "opencv-python-headless==${pair%:*}" "numpy==${pair#*:}" segno==1.6.6
    venv/bin/python check.py
done

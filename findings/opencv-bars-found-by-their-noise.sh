#!/bin/bash
# Guessed: a sharp, clean drawing of a bar code with a wide quiet zone is what OpenCV's bar code detector reads best; noise and blur
#   can only cost reads, so a test on drawn codes shows the best case.
# True: at 2, 3 and 4 pixels a module with a margin of 60 pixels it does not find one of 24, not even as a place without a number; nor
#   turned by 3 degrees, as JPEG of quality 85, or at a quarter of the contrast. The same pictures with a sensor's noise (sigma 8) are
#   all read, and blurred by 1.5 pixels at 2 and 3 pixels a module most of them. How large the picture is around the code counts too:
#   at 2 pixels a module and a margin of 300 the sharp ones are found (and at 1 pixel a module, not tried here, most are). So drawn
#   fixtures can say that the detector is broken when it works on a camera. zxing-cpp reads all of the sharp ones.
# Seen: opencv-contrib-python-headless 5.0.0.93 and 4.12.0.88 (cv2.barcode.BarcodeDetector) with numpy 2.4.6 and 2.2.6, EAN-13 drawn by
#   zint-bindings 1.2.2, beside zxing-cpp 3.1.1; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >check.py <<'PY'
import importlib.metadata as m, random
import cv2
import numpy as np
import zint, zxingcpp

print("OpenCV", cv2.__version__, "numpy", np.__version__, "zint-bindings", m.version("zint-bindings"), "zxing-cpp", m.version("zxing-cpp"))
detector = cv2.barcode.BarcodeDetector()
random.seed(20)
numbers = [f"{random.randrange(10**11, 10**12)}" for _ in range(24)]  # no leading 0: those are told as UPC-A

def draw(digits, scale, margin=60):
    symbol = zint.Symbol()
    symbol.symbology, symbol.scale, symbol.show_text = zint.Symbology.EANX, scale, False
    symbol.encode(digits)
    symbol.buffer()
    return np.pad(np.asarray(symbol.bitmap)[:, :, 0], margin, constant_values=255)

def noise(a):
    return np.clip(a + np.random.default_rng(1).normal(0, 8, a.shape), 0, 255).astype(np.uint8)

def turn(a):
    h, w = a.shape
    return cv2.warpAffine(a, cv2.getRotationMatrix2D((w / 2, h / 2), 3, 1), (w, h), flags=cv2.INTER_CUBIC, borderValue=255)

ways = {
    "sharp": lambda a: a, "turned by 3 degrees": turn, "JPEG 85": lambda a: cv2.imdecode(cv2.imencode(".jpg", a, [cv2.IMWRITE_JPEG_QUALITY, 85])[1], 0),
    "contrast / 4": lambda a: a // 4 + 100, "noise, sigma 8": noise, "blur, sigma 1.5": lambda a: cv2.GaussianBlur(a, (0, 0), 1.5),
}
table = {}
for scale in (2, 3, 4):
    for name, way in ways.items():
        places = read = other = 0
        for number in numbers:
            picture = way(draw(number, scale))
            found, texts, _, _ = detector.detectAndDecodeWithType(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR))
            places += len(texts) > 0
            read += any(t[:12] == number for t in texts)
            other += any(r.text[:12] == number for r in zxingcpp.read_barcodes(picture))
        table[scale, name] = places, read, other
        print(f"{scale} pixels a module, {name:20}: of 24 OpenCV finds {places:2}, reads {read:2}; zxing-cpp reads {other:2}")
right = all(table[s, "sharp"] == (0, 0, 24) for s in (2, 3, 4))
right &= all(table[s, n][0] <= 2 for s in (2, 3, 4) for n in ("turned by 3 degrees", "JPEG 85", "contrast / 4"))
right &= all(table[s, "noise, sigma 8"][1] >= 18 for s in (2, 3, 4)) and all(table[s, "blur, sigma 1.5"][1] >= 15 for s in (2, 3))
wide = sum(len(detector.detectAndDecodeWithType(cv2.cvtColor(draw(n, 2, 300), cv2.COLOR_GRAY2BGR))[1]) > 0 for n in numbers)
print(f"2 pixels a module, sharp, margin of 300: OpenCV finds {wide}")
raise SystemExit(0 if right and wide >= 15 else "not as stated")
PY
for pair in 5.0.0.93:2.4.6 4.12.0.88:2.2.6; do
    rm -rf venv
    python3 -m venv venv
    venv/bin/pip -q --disable-pip-version-check install "opencv-contrib-python-headless==${pair%:*}" "numpy==${pair#*:}" zint-bindings==1.2.2 zxing-cpp==3.1.1
    venv/bin/python check.py
done

#!/bin/bash
# Guessed: pylibdmtx's rect (left, top, width, height) is the box round the symbol, with top counted from the upper edge, as in its
#   sister pyzbar and in each other reader.
# True: "top" is counted from the lower edge of the picture, upwards, and the rect is no box but the symbol's corner with the L (the
#   lower left one as it was printed) and the way from there to the opposite corner. Upright, the two mistakes look like a box that is
#   only at the wrong height, and in the middle of a picture like one that is right. Turned by 90 or 180 degrees, width or height or
#   both are negative, and for a symbol turned by 45 degrees one of them is about zero. The box is right at top_true =
#   height_of_picture - top - height, after the sign has been put right.
# Seen: pylibdmtx 0.1.10 with libdmtx0b 0.7.7-1 (Debian 12), drawn by zint-bindings 1.2.2, beside zxing-cpp 3.1.1, numpy 2.4.6,
#   pillow 13.0.0; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install pylibdmtx==0.1.10 zint-bindings==1.2.2 zxing-cpp==3.1.1 numpy==2.4.6 pillow==13.0.0
apt-get -qq download libdmtx0b=0.7.7-1 2>/dev/null
dpkg -x libdmtx0b_*.deb deb
LIBDMTX=$(find "$work/deb" -name 'libdmtx.so.0' -print -quit)
export LIBDMTX
venv/bin/python - <<'PY'
import ctypes.util, importlib.metadata as m, os
find = ctypes.util.find_library
ctypes.util.find_library = lambda name: os.environ["LIBDMTX"] if name == "dmtx" else find(name)
import numpy as np
import zint
import zxingcpp
from PIL import Image
from pylibdmtx import pylibdmtx, wrapper

print("libdmtx0b 0.7.7-1, which calls itself", wrapper.dmtxVersion(), *(f"{p} {m.version(p)}" for p in ("pylibdmtx", "zint-bindings", "zxing-cpp")))
symbol = zint.Symbol()
symbol.symbology, symbol.scale = zint.Symbology.DATAMATRIX, 3
symbol.encode("ABC123")
symbol.buffer()
drawn = Image.fromarray(np.asarray(symbol.bitmap)[:, :, 0].copy())

def near(a, b, by=4):
    return all(abs(x - y) <= by for x, y in zip(a, b, strict=True))

W, H, X, Y = 400, 300, 240, 60
right = True
for turn in (0, 90, 180, 270, 45):
    picture = Image.new("L", (W, H), 255)
    turned = drawn.rotate(turn, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    picture.paste(turned, (X, Y))
    w, h = turned.size
    told = pylibdmtx.decode(picture, max_count=1)
    assert [t.data for t in told] == [b"ABC123"]
    rect = tuple(told[0].rect)
    position = zxingcpp.read_barcode(picture).position
    corners = [(p.x, p.y) for p in (position.top_left, position.top_right, position.bottom_right, position.bottom_left)]
    print(f"turned by {turn:3}: true box left {X} top {Y} width {w} height {h} of {W} x {H}; pylibdmtx {rect}; zxing-cpp's corners {corners}")
    (x0, y0), (x1, y1) = corners[3], corners[1]  # the corner of the L, and the one opposite, counted from above
    right &= near((rect[0], H - rect[1]), (x0, y0), 6) and near((rect[0] + rect[2], H - rect[1] - rect[3]), (x1, y1), 6)
    if turn == 45:
        right &= min(abs(rect[2]), abs(rect[3])) < 8 and max(abs(rect[2]), abs(rect[3])) > 80
    else:
        right &= near((abs(rect[2]), abs(rect[3])), (w, h)) and (rect[2] < 0, rect[3] < 0) == {0: (False, False), 90: (True, False), 180: (True, True), 270: (False, True)}[turn]
        left, low = min(rect[0], rect[0] + rect[2]), max(rect[1], rect[1] + rect[3])
        right &= near((left, H - low), (X, Y)) and not near(rect[:2], (X, Y), 30)
raise SystemExit(0 if right else "not as stated")
PY

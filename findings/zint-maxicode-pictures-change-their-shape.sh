#!/bin/bash
# Guessed: a MaxiCode has one shape, and a scale changes only its size, as for other symbologies.
# True: in zint's pictures of pixels the rows are one pixel closer than the modules are wide, at every scale: their distance is 0.75 of a
#   module at 4 pixels a module, 0.83 at 6, 0.90 at 10, where ISO/IEC 16023 has 0.866. The symbol's width is 1.19 to 1.00 of its height;
#   the standard's is 1.05. There is no warning from a scale of 0.5 on.
# Seen: zint-bindings 1.2.2 (zint 2.15.0), pillow 13.0.0, numpy 2.4.6; zint 2.11.1 of Debian 12 draws the same; 2026-11-30.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install zint-bindings==1.2.2 pillow==13.0.0 numpy==2.4.6
cat >check.py <<'PY'
import importlib.metadata as m

import numpy as np
import zint
from PIL import Image

print(*(f"{p} {m.version(p)}" for p in ("zint-bindings", "pillow", "numpy")))
right = True
for scale in (0.4, 0.5, 0.6, 0.8, 1.0):
    s = zint.Symbol()
    s.symbology, s.option_1, s.scale, s.outfile = zint.Symbology.MAXICODE, 4, scale, "symbol.png"
    s.encode("THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG 0123456789")
    s.print()
    dark = np.array(Image.open("symbol.png").convert("L")) < 128
    (y,), (x,) = np.where(dark.any(axis=1)), np.where(dark.any(axis=0))
    width, height = x[-1] - x[0] + 1, y[-1] - y[0] + 1
    # Odd rows are half a module aside: 30 modules and 33 rows.
    module, row = round(width / 30), round(height / 33)
    print(f"scale {scale:g}: {width} by {height} pixels, ratio {width / height:.2f}; modules of {module}, rows of {row} pixels")
    right &= row == module - 1
raise SystemExit(0 if right else "not as stated")
PY
venv/bin/python check.py

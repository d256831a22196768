#!/bin/bash
# Guessed: a 2-D component with more data makes a GS1 composite symbol higher, and the bars below it keep their height.
# True: zint gives EAN, UPC and GS1-128 with a component 50 modules in all unless a height is set, and the bars what the component
#   leaves: those of a UPC-E shrink from 22 to 4 modules between 10 and 38 characters, those of an EAN-8 from 28 to 4, without an error
#   or a warning. DataBar Limited keeps its bars and becomes higher. A height that is set counts the component, too, so no one number
#   gives constant bars; the option COMPLIANT_HEIGHT does (69 modules for a UPC-E, whatever is above).
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


def bars(kind, primary, data, height=0.0, options=0):
    """The height of the lowest rows of bars that are alike and cross the whole symbol, in modules, and that of the symbol."""
    s = zint.Symbol()
    s.symbology, s.primary, s.option_1, s.scale, s.show_hrt = getattr(zint.Symbology, kind), primary, 2, 1.0, False
    s.input_mode, s.outfile, s.height = zint.InputMode.GS1, "symbol.png", height
    if options:
        s.output_options = options
    s.encode(data)
    s.print()
    dark = np.array(Image.open("symbol.png").convert("L")) < 128
    rows, edges = [], np.abs(np.diff(dark.astype(int))).sum(axis=1)
    for row, count in zip(dark, edges):
        if rows and np.array_equal(rows[-1][0], row):
            rows[-1][1] += 1
        else:
            rows.append([row, 1, count])
    # The guards of EAN and UPC reach further down than the bars.
    most = max(count for _, _, count in rows[-2:])
    return [n for _, n, count in rows[-2:] if count == most][-1] / 2, s.height


short, long = "[10]AAAAAAAAAA", "[10]AAAAAAAAAAAAAAAAAAAA[21]BBBBBBBBBBBBBBBBBB"
right = True
for name, kind, primary, expected in (
    ("UPC-E", "UPCE_CC", "0123456", (22, 4)), ("EAN-8", "EANX_CC", "9501101", (28, 4)), ("EAN-13", "EANX_CC", "950110153000", (32, 20)),
    ("GS1-128", "GS1_128_CC", "[01]09501101530003", (37, 25)), ("DataBar Limited", "DBAR_LTD_CC", "0950110153000", (10, 10)),
):
    found = [bars(kind, primary, data) for data in (short, long)]
    print(f"{name}: bars of {found[0][0]:g} and {found[1][0]:g} modules, symbols of {found[0][1]:g} and {found[1][1]:g}, with 10 and 38 characters above")
    right &= tuple(bar for bar, _ in found) == expected
tall = [bars("UPCE_CC", "0123456", data, height=100)[0] for data in (short, long)]
print(f"UPC-E, height 100: bars of {tall[0]:g} and {tall[1]:g} modules")
compliant = [bars("UPCE_CC", "0123456", data, options=zint.OutputOptions.COMPLIANT_HEIGHT)[0] for data in (short, long)]
print(f"UPC-E, COMPLIANT_HEIGHT: bars of {compliant[0]:g} and {compliant[1]:g} modules")
right &= tall == [72, 54] and compliant == [69, 69]
raise SystemExit(0 if right else "not as stated")
PY
venv/bin/python check.py

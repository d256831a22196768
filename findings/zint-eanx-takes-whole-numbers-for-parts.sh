#!/bin/bash
# Guessed: zint's EANX draws what the number's length says: 13 digits are an EAN-13 (its check digit is proven), so eight digits with
#   a check digit that fits are an EAN-8, and twelve are a UPC-A, which as an EAN-13 begins with 0.
# True: only at thirteen digits is the last one the check digit. Eight digits, an EAN-8 as it is printed on the pack, are taken for
#   the first part of an EAN-13: zeros before, another check digit behind. 96385074 becomes the EAN-13 0000963850742, 036000291452
#   the EAN-13 0360002914522. Exit status 0, no warning, and a check digit that fits, so every reader believes the other product. A
#   wrong check digit at eight or twelve digits is drawn as willingly, at thirteen it is refused. EAN-8 has to be given without its
#   check digit (9638507); zint's UPCA takes eleven digits or twelve and proves the twelfth.
# Seen: zint 2.11.1-1 (Debian 12) and zint-bindings 1.2.2 (zint 2.15), read by zxing-cpp 3.1.1 with pillow 13.0.0; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install zint-bindings==1.2.2 zxing-cpp==3.1.1 numpy==2.4.6 pillow==13.0.0
apt-get -qq download zint=2.11.1-1 libzint2.11=2.11.1-1 2>/dev/null
for package in ./*.deb; do dpkg -x "$package" deb; done
LD_LIBRARY_PATH=$(dirname "$(find "$work/deb" -name 'libzint.so.2.11' -print -quit)")
export LD_LIBRARY_PATH
deb/usr/bin/zint --version 2>/dev/null | head -1 || true
cat >check.py <<'PY'
import importlib.metadata as m, os, subprocess
import numpy as np
import zint, zxingcpp
from PIL import Image

print("zint-bindings", m.version("zint-bindings"), "with zint", zint.__upstream_version__, "zxing-cpp", m.version("zxing-cpp"))

def read(image):
    return [(r.format.name, r.text) for r in zxingcpp.read_barcodes(image)]

def by_debian(kind, digits):
    done = subprocess.run(["deb/usr/bin/zint", "-b", kind, "-d", digits, "--scale=2", "--quietzones", "-o", "out.png"], capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip()
    return f"refused: {said}" if done.returncode else (said, read(Image.open("out.png").convert("L")))

def by_bindings(kind, digits):
    symbol = zint.Symbol()
    symbol.symbology, symbol.scale = getattr(zint.Symbology, kind), 2
    try:
        symbol.encode(digits)
    except RuntimeError as error:
        return f"refused: {error}"
    symbol.buffer()
    return symbol.errtxt, read(Image.fromarray(np.pad(np.asarray(symbol.bitmap)[:, :, 0], 40, constant_values=255)))

right = True
for kind, digits, want in [  # None: refused
    ("EANX", "4006381333931", ("EAN13", "4006381333931")), ("EANX", "4006381333932", None),
    ("EANX", "96385074", ("EAN13", "0000963850742")), ("EANX", "96385075", ("EAN13", "0000963850759")), ("EANX", "9638507", ("EAN8", "96385074")),
    ("EANX", "036000291452", ("EAN13", "0360002914522")), ("EANX", "036000291453", ("EAN13", "0360002914539")),
    ("UPCA", "036000291452", ("UPCA", "036000291452")), ("UPCA", "036000291453", None),
]:
    for name, draw in (("2.11.1", by_debian), ("2.15", by_bindings)):
        got = draw(kind, digits)
        print(f"zint {name:6} {kind} {digits:13} -> {got}")
        if want is None:
            right &= isinstance(got, str)
        else:
            right &= not isinstance(got, str) and got[0] == "" and [t.lstrip("0") for _, t in got[1]] == [want[1].lstrip("0")]
            right &= not isinstance(got, str) and ("8" in got[1][0][0]) == ("8" in want[0])
raise SystemExit(0 if right else "not as stated")
PY
venv/bin/python check.py

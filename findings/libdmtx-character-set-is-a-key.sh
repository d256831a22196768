#!/bin/bash
# Guessed: a reader of Data Matrix that knows nothing of character sets (ECI) or of symbols in a row (structured append) passes
#   over their control codewords, or refuses the symbol; either way the text that it tells is the text that was encoded.
# True: libdmtx knows codewords 241 (ECI follows) and 233 (structured append follows) no more than to step over them, and tells
#   what follows as text. So the number of the character set stands before the text as one control character: TAB for Greek
#   (ECI 9), LF for Hebrew (10), CR for Thai (13), SUB for UTF-8 (26); typed as keys, that is Tab, Enter, or Ctrl+Z. Of a part of a
#   row, the place and the count stand there too, and the two bytes of the file's number: part 3 of 3 of file 066067 that says HELLO
#   comes out as -ABHELLO, part 9 of 9 as 06ABHELLO: printable, no sign of doubt. Part 1 of 16 begins with a NUL, at which
#   pylibdmtx ends the text: it tells an empty one. Codeword 241 and the number + 1 behind it, 233 and the four bits of the place
#   with 17 - count: ISO/IEC 16022. zxing-cpp reads all of them right.
# Seen: pylibdmtx 0.1.10 with libdmtx0b 0.7.7-1 (Debian 12), drawn by zint-bindings 1.2.2 (zint 2.15), beside zxing-cpp 3.1.1, numpy 2.4.6,
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

def draw(text, **options):
    symbol = zint.Symbol()
    symbol.symbology, symbol.scale, symbol.input_mode = zint.Symbology.DATAMATRIX, 3, zint.InputMode.UNICODE
    for name, value in options.items():
        setattr(symbol, name, value)
    symbol.encode(text)
    symbol.buffer()
    return Image.fromarray(np.pad(np.asarray(symbol.bitmap)[:, :, 0], 40, constant_values=255))

def part(index, count, file):
    return {"structapp": zint.StructApp(index, count, file)}

cases = [  # text, what zint is asked for, what libdmtx puts before the text (None: nothing is left at all)
    ("HELLO", {}, b""),
    ("Καλημέρα", {"eci": 9}, b"\t"), ("שלום", {"eci": 10}, b"\n"), ("สวัสดี", {"eci": 13}, b"\r"), ("Grüße", {"eci": 26}, b"\x1a"),
    ("HELLO", part(2, 3, b"066067"), b"\x1dAB"), ("HELLO", part(3, 3, b"066067"), b"-AB"), ("HELLO", part(9, 9, b"066067"), b"06AB"),
    ("HELLO", part(1, 16, b"066067"), None),
]
charsets = {9: "iso8859-7", 10: "iso8859-8", 13: "iso8859-11"}
wrong = 0
for text, options, before in cases:
    image = draw(text, **options)
    want = text.encode(charsets.get(options.get("eci"), "utf-8"))
    told = [r.data for r in pylibdmtx.decode(image, max_count=1)]
    other = [(r.text, r.symbology_identifier) for r in zxingcpp.read_barcodes(image)]
    asked = "eci %d" % options["eci"] if "eci" in options else "part %d of %d" % (options["structapp"].index, options["structapp"].count) if options else "plain"
    print(f"{asked:14} {text!r}: pylibdmtx {told}, zxing-cpp {other}")
    bytes_right = told == [b"" if before is None else before + want]
    wrong += not (bytes_right and [t for t, _ in other] == [text])
raise SystemExit(f"{wrong} cases are not as stated" if wrong else 0)
PY

#!/bin/bash
# Guessed: the package code128 draws each character of Latin-1 ("full latin-1 charset is supported", says its page), the tilde as well.
# True: the tilde begins a command that its page does not name. Before 1, 2, 3 and 4 both characters go and FNC1 to FNC4 stand in
#   their place; before anything else the tilde goes and the next character stays; only as the last character is it drawn. So
#   http://x.de/~meier loses it; DOC~2026 is DOC, FNC2, 026, where FNC2 bids a reader to keep the text and to put it before the next
#   one (ISO/IEC 15417); LOT~3A7 holds FNC3, a scanner's "set yourself up by this", in place of the 3; Ab~1Bc holds a group
#   separator; x~4abc is told as x, a with an accent, bc. The check character fits, so no reader can tell that anything was lost, and
#   only for ~4 is a line printed. To have a tilde, double it.
# Seen: code128 0.3 (with pillow 13.0.0), read by zxing-cpp 3.1.1 with numpy 2.4.6; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install code128==0.3 pillow==13.0.0 zxing-cpp==3.1.1 numpy==2.4.6
venv/bin/python - <<'PY'
import importlib.metadata as m
import code128
import zxingcpp
from code128.format import WEIGHTS, code128_format

print(*(f"{p} {m.version(p)}" for p in ("code128", "pillow", "zxing-cpp", "numpy")))
page = m.metadata("code128").get_payload()
promised, named = "full latin-1 charset is supported" in page, "FNC" in page or "escape" in page.lower()
print("its page promises all of Latin-1:", promised, "- it names FNC or an escape:", named)
right = promised and not named

VALUE = {widths: value for value, widths in WEIGHTS.items()}

def values(text):  # the characters between the start and the check
    widths = "".join(map(str, code128_format(text, 1)))
    return [VALUE[widths[i:i + 6]] for i in range(0, len(widths) - 7, 6)][1:-1]

FNC1, FNC2, FNC3, FNC4 = 102, 97, 96, 100  # in set B
for text, told, function in [
    ("Grüße, (c) 1", "Grüße, (c) 1", None), ("end~", "end~", None), ("a~~b", "a~b", None),
    ("http://x.de/~meier", "http://x.de/meier", None), ("DOC~2026", "DOC026", FNC2), ("LOT~3A7", "LOTA7", FNC3),
    ("Ab~1Bc", "Ab\x1dBc", FNC1), ("x~4abc", "xábc", FNC4),
]:
    read = zxingcpp.read_barcodes(code128.image(text))
    drawn = values(text)
    print(f"{text!r}: characters {drawn}, read {[bytes(r.bytes).decode('latin-1') for r in read]}")
    right &= [bytes(r.bytes).decode("latin-1") for r in read] == [told] and (function is None or drawn.count(function) == 1)
raise SystemExit(0 if right else "not as stated")
PY

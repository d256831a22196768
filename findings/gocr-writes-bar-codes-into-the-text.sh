#!/bin/bash
# Guessed: an OCR program tells the lines of letters on a label; bars and the modules of a QR code are left out or come as rubbish.
# True: gocr reads EAN, UPC, Code 128, Code 39, Interleaved 2 of 5, Codabar and QR codes unasked and writes them into the plain text as
#   elements of XML, though all else is not XML. What a QR code holds stands between two tags on lines of its own, as if it were
#   printed there, and in these pictures ahead of the line printed above the code. What it says of the codes is not what the
#   standards call them: EAN-13, UPC-A and EAN-8 are all "UPC"; an EAN-8 has nine digits, a zero in front (096385074); a UPC-A has
#   thirteen; Codabar's start and stop come as small letters; Code 39 with its asterisks; of Code 93 it says that something is there.
# Seen: gocr 0.52-6 with libnetpbm11 2:11.01.00-2 (Debian 12), codes drawn by zint-bindings 1.2.2, letters by pillow 13.0.0, numpy
#   2.4.6; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install zint-bindings==1.2.2 numpy==2.4.6 pillow==13.0.0
apt-get -qq download gocr=0.52-6 libnetpbm11=2:11.01.00-2 2>/dev/null
for package in ./*.deb; do
    echo "$(dpkg-deb -f "$package" Package) $(dpkg-deb -f "$package" Version)"
    dpkg -x "$package" deb
done
LD_LIBRARY_PATH=$(dirname "$(find "$work/deb" -name 'libnetpbm.so.11' -print -quit)")
export LD_LIBRARY_PATH
venv/bin/python - <<'PY'
import importlib.metadata as m, subprocess
import numpy as np
import zint
from PIL import Image, ImageDraw, ImageFont

print(*(f"{p} {m.version(p)}" for p in ("zint-bindings", "pillow", "numpy")))
font = ImageFont.load_default(size=34)

def label(kind, data, printed="LOT2417"):
    symbol = zint.Symbol()
    symbol.symbology, symbol.scale, symbol.show_text = getattr(zint.Symbology, kind), 3, False
    symbol.encode(data)
    symbol.buffer()
    code = Image.fromarray(np.asarray(symbol.bitmap)[:, :, 0].copy())
    picture = Image.new("L", (code.width + 160, code.height + 240), 255)
    ImageDraw.Draw(picture).text((70, 50), printed, font=font, fill=0)
    picture.paste(code, (80, 160))
    picture.save("label.pgm")
    return subprocess.run(["deb/usr/bin/gocr", "label.pgm"], check=True, capture_output=True, text=True).stdout

right = True
for kind, data, want in [
    ("EANX", "4006381333931", 'type="UPC" chars="13" code="4006381333931"'), ("UPCA", "036000291452", 'type="UPC" chars="13" code="0036000291452"'),
    ("EANX", "9638507", 'type="UPC" chars="9" code="096385074"'), ("CODE128", "AB-1234", 'type="128" chars="7" code="AB-1234"'),
    ("CODE39", "ABC123", 'type="39" chars="8" code="*ABC123*"'), ("C25INTER", "15400141288763", 'type="i25" chars="14" code="15400141288763"'),
    ("CODABAR", "A123456B", 'type="codabar" chars="8" code="a123456b"'), ("CODE93", "HELLO", 'type="unknown"'),
]:
    text = label(kind, data)
    print(f"{kind} {data}: {text.split(chr(10))}")
    right &= f"<barcode {want}" in text and "LOT2417" in text
text = label("QRCODE", "BEST BEFORE 2031")
lines = [line.strip() for line in text.splitlines() if line.strip()]
print(f"QR code: {lines}")
right &= "BEST BEFORE 2031" in lines and lines.index("BEST BEFORE 2031") < lines.index("LOT2417") and "</barcode>" in lines
raise SystemExit(0 if right else "not as stated")
PY

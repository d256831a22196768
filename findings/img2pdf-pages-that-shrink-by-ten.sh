#!/bin/bash
# Guessed: a JPEG of 2031 x 1500 pixels at 10 dpi (a banner, 5.16 m wide) and one of 2000 x 1500 become PDF pages of nearly the same
#   size, and each PDF library tells that size.
# True: above 14,400 units (Acrobat's limit) img2pdf writes UserUnit 10 into the page and a MediaBox of a tenth: 1462 units for 5.16 m,
#   where the banner of 2000 pixels has 14400. UserUnit is PDF 1.6 (ISO 32000-1, table 30: the size of a unit in 1/72 inch). MuPDF
#   minds it (14623 points), Poppler (pdfinfo, pdftoppm) and PDFium do not: 1462 points. So at the same -r the picture of the wider
#   banner is a tenth as wide as that of the narrower one, and a QR code in it that had pixels to spare is gone. Who works out dpi
#   from the MediaBox is wrong by ten. It also happens to any JPEG of more than 200 pixels that says 1 dpi.
# Seen: img2pdf 0.6.3, PyMuPDF 2.0, pypdfium2 5.15.2, pypdf 7.1.1, pikepdf 10.18.0, poppler-utils and libpoppler126 22.12.0-2+deb12u3
#   (Debian 12; the second has to be installed), with pillow 13.0.0, segno 1.6.6, zxing-cpp 3.1.1; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install img2pdf==0.6.3 pymupdf==2.0 pypdfium2==5.15.2 pypdf==7.1.1 pikepdf==10.18.0 pillow==13.0.0 segno==1.6.6 zxing-cpp==3.1.1 numpy==2.4.6
apt-get -qq download poppler-utils=22.12.0-2+deb12u3 2>/dev/null
dpkg -x poppler-utils_*.deb deb
dpkg-query -W libpoppler126
PATH=$work/deb/usr/bin:$PATH
pdftoppm -v 2>&1 | head -1
cat >check.py <<'PY'
import importlib.metadata as m, io, re, subprocess
import img2pdf, pikepdf, pymupdf, pypdf, pypdfium2, segno, zxingcpp
from PIL import Image

print(*(f"{p} {m.version(p)}" for p in ("img2pdf", "pymupdf", "pypdfium2", "pypdf", "pikepdf", "pillow", "segno", "zxing-cpp")))

def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout

def banner(width, height, dpi):
    code = io.BytesIO()
    segno.make("BANNER 5 M", micro=False).save(code, kind="png", scale=4, border=4)
    picture = Image.new("L", (width, height), 255)
    picture.paste(Image.open(code).convert("L"), (200, 200))
    jpeg = io.BytesIO()
    picture.save(jpeg, "jpeg", dpi=(dpi, dpi), quality=90)
    return img2pdf.convert(jpeg.getvalue())

def sizes(data, dpi):  # widths as each one tells them, in points, and the width of pdftoppm's picture with what is read in it
    with open("page.pdf", "wb") as file:
        file.write(data)
    document = pikepdf.open(io.BytesIO(data))
    run("pdftoppm", "-r", str(dpi), "-gray", "-singlefile", "page.pdf", "page")
    drawn = Image.open("page.pgm")
    points = {
        "MuPDF": pymupdf.open(stream=data)[0].rect.width, "PDFium": pypdfium2.PdfDocument(data)[0].get_width(),
        "Poppler": float(re.search(r"Page size: +([0-9.]+)", run("pdfinfo", "page.pdf"))[1]), "pypdf": float(pypdf.PdfReader(io.BytesIO(data)).pages[0].mediabox.width),
    }
    return document.pages[0].obj.get("/UserUnit"), {n: round(p, 1) for n, p in points.items()}, drawn.width, [r.text for r in zxingcpp.read_barcodes(drawn)]

right = True
for width, height, dpi, unit in ((2000, 1500, 10, None), (2031, 1500, 10, 10), (1200, 900, 1, 10)):
    user, told, pixels, read = sizes(banner(width, height, dpi), dpi)
    print(f"{width} x {height} at {dpi} dpi: UserUnit {user}, widths told {told}, pdftoppm -r {dpi}: {pixels} pixels wide, read {read}")
    true = width * 72 / dpi
    right &= user == unit and abs(told["MuPDF"] - true) < 1
    right &= all(abs(told[n] - true / (unit or 1)) < 1 for n in ("PDFium", "Poppler", "pypdf"))
    right &= abs(pixels - width / (unit or 1)) <= 1 and read == ([] if unit else ["BANNER 5 M"])
raise SystemExit(0 if right else "not as stated")
PY
venv/bin/python check.py

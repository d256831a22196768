#!/bin/bash
# Guessed: an encoder of Data Matrix that picks the encodation by itself may waste codewords, but what a reader tells is what was
#   encoded, the more so for plain letters and digits.
# True: Perl's Barcode::DataMatrix goes from the encodation for small letters (Text, latch 239) straight to the one for capitals (C40,
#   latch 230), without the 254 between that alone ends Text (ISO/IEC 16022: codewords in C40 and Text are pairs of three values; a latch
#   is known in ASCII only). So 230 is read as half a pair, and the capitals come out as other small letters and digits: "Schrank
#   ABCDEFGH" is told as "Schrank wu4x9w1tj7thgow". Error correction fits, and two readers that share no code agree. Of a hundred texts
#   of eight small letters and eight capitals none comes out (87 as another text, 13 not at all), of links with twelve random letters
#   and digits one in twenty does not. Serial numbers of capitals and digits are right, so a test on those shows nothing. With
#   encoding_mode ASCII all are right.
# Seen: libbarcode-datamatrix-perl 0.10-2 (Debian 12, perl 5.36), read by zxing-cpp 3.1.1 and by pylibdmtx 0.1.10 with libdmtx0b 0.7.7-1,
#   numpy 2.4.6, pillow 13.0.0; 2026-11-29.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install zxing-cpp==3.1.1 pylibdmtx==0.1.10 numpy==2.4.6 pillow==13.0.0
apt-get -qq download libbarcode-datamatrix-perl=0.10-2 libmoo-perl=2.005005-1 libclass-method-modifiers-perl=2.14-1 \
    librole-tiny-perl=2.002004-1 libsub-quote-perl=2.006008-1 libmodule-runtime-perl=0.016-2 libdmtx0b=0.7.7-1 2>/dev/null
for package in ./*.deb; do
    echo "$(dpkg-deb -f "$package" Package) $(dpkg-deb -f "$package" Version)"
    dpkg -x "$package" deb
done
LIBDMTX=$(find "$work/deb" -name 'libdmtx.so.0' -print -quit)
PERL5LIB=$work/deb/usr/share/perl5
export LIBDMTX PERL5LIB
/usr/bin/perl -e 'print "perl $^V\n"'
cat >draw.pl <<'PL'
use strict; use warnings; use Barcode::DataMatrix;
my $codewords;
my $ecc = \&Barcode::DataMatrix::Engine::ecc;  # only to see the codewords that it is given
{ no warnings 'redefine'; *Barcode::DataMatrix::Engine::ecc = sub { $codewords = join ',', @{$_[2]}; $ecc->(@_) }; }
while (<STDIN>) {
    chomp; my ($mode, $text) = split /\t/;
    my $rows = Barcode::DataMatrix->new($mode ? (encoding_mode => $mode) : ())->barcode($text);
    print join('/', map { join '', @$_ } @$rows), "\t$codewords\n";
}
PL
cat >check.py <<'PY'
import ctypes.util, importlib.metadata as m, os, random, string, subprocess
find = ctypes.util.find_library
ctypes.util.find_library = lambda name: os.environ["LIBDMTX"] if name == "dmtx" else find(name)
import numpy as np
import zxingcpp
from PIL import Image
from pylibdmtx import pylibdmtx

print(*(f"{p} {m.version(p)}" for p in ("zxing-cpp", "pylibdmtx", "numpy", "pillow")))

def draw(texts, mode=""):
    lines = "".join(f"{mode}\t{text}\n" for text in texts)
    answer = subprocess.run(["/usr/bin/perl", "draw.pl"], input=lines, check=True, capture_output=True, text=True).stdout
    for line in answer.splitlines():
        rows, codewords = line.split("\t")
        modules = np.array([[0 if c == "1" else 255 for c in row] for row in rows.split("/")], np.uint8)
        yield Image.fromarray(np.kron(np.pad(modules, 5, constant_values=255), np.ones((4, 4), np.uint8))), [int(c) for c in codewords.split(",")]

def told(image):
    return [bytes(r.bytes).decode("latin-1") for r in zxingcpp.read_barcodes(image)]

right = True
samples = {
    "Schrank ABCDEFGH": "Schrank wu4x9w1tj7thgow\x1b", "serial ABCDEFGHIJ": "serialwsg\x02hpzszdw029gow\x1b", "User guide DOCUMENT": "User guide wupoe3m3gxdh",
    "https://example.org/p/yiBKVMLSAq3i": "https://example.org/p/yiwucm9phyyw3f\x19", "https://example.org/p/123": None, "SERIAL 0042-ABCDEFGH": None,
}
for (image, codewords), (text, wrong) in zip(draw(samples), samples.items(), strict=True):
    zx, dmtx = told(image), [d.data.decode("latin-1") for d in pylibdmtx.decode(image, max_count=1)]
    print(f"{text!r}\n  codewords {codewords}\n  zxing-cpp {zx}, libdmtx {dmtx}")
    right &= zx == dmtx == [wrong or text]
    if wrong:
        right &= 239 in codewords and 230 in codewords and 254 not in codewords[codewords.index(239):codewords.index(230, codewords.index(239))]

random.seed(16022)
pick = lambda letters, n: "".join(random.choices(letters, k=n))
kinds = {
    "small letters, then eight capitals": [f"{pick(string.ascii_lowercase, 8)} {pick(string.ascii_uppercase, 8)}" for _ in range(100)],
    "links with twelve letters and digits": [f"https://example.org/p/{pick(string.ascii_letters + string.digits, 12)}" for _ in range(100)],
    "serials of capitals and digits": [f"SN:{pick(string.ascii_uppercase, 4)}-{pick(string.digits, 6)}" for _ in range(100)],
}
for kind, texts in kinds.items():
    for mode in ("", "ASCII"):
        results = [(text, told(image)) for text, (image, _) in zip(texts, draw(texts, mode), strict=True)]
        good, none = sum(t == [x] for x, t in results), sum(t == [] for _, t in results)
        print(f"{kind}, encoding_mode {mode or 'not given'}: {good} right, {none} not read, {100 - good - none} told as another text")
        if mode or kind.startswith("serials"):
            right &= good == 100
        else:
            right &= good < (10 if kind.startswith("small") else 97) and 100 - good - none > 0
raise SystemExit(0 if right else "not as stated")
PY
venv/bin/python check.py

#!/usr/bin/env python3
"""Which of the test pictures waymark, zbarimg and ZXingReader read, by their formats; and which codes of two encoders, by their sizes.

  formats.py [pictures] [--program FILE] [--write]
  formats.py sizes [--program FILE] [--write] [--count N] [--only NAME]... [--keep FOLDER] [--misses]

pictures  Every picture of Tests/Fixtures/Pictures/read and converted holds a code with the picture's name as its text, or one a page. The
          table counts the pictures of which all codes were read; `refused` if a program opened none. Needs zbar-tools and
          zxing-cpp-tools, and waymark-pictures beside waymark.
sizes     Every symbology as zint and BWIPP draw it, N random texts at each of 12 sizes from 1.5 to 5.9 pixels a module: half of them with
          hard edges, half averaged over each pixel. With --only, --write replaces the rows of these symbologies. Needs zint,
          Ghostscript, and numpy, opencv-python-headless and treepoem (PyPI).

`--write` puts the table into README.md.
"""
import argparse
import fnmatch
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / 'Tests/Fixtures/Pictures'
# Of several rows that fit the first one has the picture.
ROWS = (
    ('light codes on a transparent ground: PNG, BMP, GIF, WebP, TIFF, AVIF, JPEG XL', 'dark-*'),
    ('dark codes on a transparent ground: PNG, BMP, GIF, WebP', '*alpha*', 'png-rgba*', 'gif-transparent.*', 'gif-placed.*'),
    ('JPEG: gray, colour, progressive', 'jpeg-gray.*', 'jpeg-colour.*', 'jpeg-444.*', 'jpeg-progressive.*', 'jpeg-named-otherwise.*'),
    ('JPEG, turned or mirrored by EXIF', 'jpeg-orientation-*'),
    ('JPEG in CMYK', 'jpeg-cmyk.*', 'jpeg-ycck.*'),
    ('JPEG that is cut off below its code', 'jpeg-truncated.*'),
    ('PNG of 1 to 16 bits, interlaced or not', 'png-*'),
    ('BMP with runs', 'bmp-runs*', 'bmp-steps.*'),
    ('BMP of 1 to 32 bits, with heads of all versions', 'bmp-*'),
    ('GIF', 'gif-*'),
    ('WebP', 'webp-*'),
    ('PNM: P1 to P6', 'pnm-*'),
    ('TIFF of three pages', 'tiff-pages.*'),
    ('TIFF: fax 3 and 4, LZW, Deflate, PackBits, turned', 'tiff-*'),
    ('HEIC, AVIF', 'heic.*', 'avif.*'),
    ('JPEG XL', 'jxl.*'),
    ('PDF of two pages', 'pdf-*'),
)
PAGES = {'tiff-pages.tif': 3, 'pdf-pages.pdf': 2}


def output(*command):
    run = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False)
    return run.returncode, run.stdout


def programs(waymark):
    """How each is asked, and the status with which it says that it could not open a picture."""
    return {
        '`waymark scan`': (lambda path: output(waymark, 'scan', '--raw', path), 65),
        '`zbarimg`': (lambda path: output('zbarimg', '-q', '--raw', path), 1),
        '`ZXingReader`': (lambda path: output('ZXingReader', '-1', path), 255),
    }


def pictures(options):
    asked = programs(options.program)
    # Pictures of noise without a code are there to be compared with their PNG.
    paths = sorted(path for folder in ('read', 'converted') for path in (PICTURES / folder).iterdir()
                   if path.is_file() and not path.name.startswith('noise-'))
    rows = {row[0]: [] for row in ROWS}
    for path in paths:
        row = next((row[0] for row in ROWS if any(fnmatch.fnmatch(path.name, pattern) for pattern in row[1:])), None)
        if row is None:
            sys.exit(f'{path.name} belongs to no row')
        rows[row].append(path)
    lines = ['| pictures | number | ' + ' | '.join(asked) + ' |', '|---|--:|' + '--:|' * len(asked)]
    for row, members in rows.items():
        cells = [row, str(len(members))]
        for ask, closed in asked.values():
            read = refused = 0
            for path in members:
                status, text = ask(path)
                codes = re.findall(rf'waymark {re.escape(path.stem)}(?: \d)?\b', text)
                read += len(set(codes)) == PAGES.get(path.name, 1)
                refused += status == closed
            cells.append('refused' if refused == len(members) else str(read))
        lines.append('| ' + ' | '.join(cells) + ' |')
        print(lines[-1], flush=True)
    return lines


def digits(count, first='0123456789'): return random.choice(first) + ''.join(random.choices('0123456789', k=count - 1))
def letters(count): return ''.join(random.choices('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', k=count))
def words(least=6, most=20): return ''.join(random.choices('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789-./', k=random.randint(least, most))).strip() + '4'


def checked(text):
    """Digits with the check digit of GS1."""
    return text + str(-sum(int(d) * (3 if i % 2 == 0 else 1) for i, d in enumerate(reversed(text))) % 10)


def upc_e():
    # Zeros, or a small third digit, have another short form.
    text = '0' + ''.join(random.choices('3456789', k=5)) + digits(1)
    six, last = text[1:], text[6]
    if last in '012': whole = six[:2] + last + '0000' + six[2:5]
    elif last == '3': whole = six[:3] + '00000' + six[3:5]
    elif last == '4': whole = six[:4] + '00000' + six[4]
    else: whole = six[:5] + '0000' + last
    return text, text + checked('0' + whole)[-1]


def code_32():
    text = digits(8)
    total = sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(text))
    return text, f'A{text}{total % 10}'


def elements(*pairs):
    """GS1 element strings in brackets, and as a reader gives them."""
    fixed = {'01', '15', '3202'}
    text = ''.join(ai + value + ('' if ai in fixed or i == len(pairs) - 1 else '\x1d') for i, (ai, value) in enumerate(pairs))
    return ''.join(f'[{ai}]{value}' for ai, value in pairs), text


def gtin(first='0123456789'): return checked(digits(13, first))
def same(text): return text, text
def databar(first='0123456789'):
    text = gtin(first)
    return f'[01]{text}', f'01{text}'


def expanded():
    weighed = elements(('01', gtin('9')), ('3202', digits(6)), ('15', f'{random.randint(20, 39)}0{random.randint(1, 9)}1{random.randint(0, 9)}'))
    return weighed if random.random() < 0.5 else elements(('01', gtin()), ('10', letters(random.randint(2, 6))))


def wide(): return elements(('01', gtin()), ('10', letters(random.randint(3, 8))), ('21', letters(random.randint(4, 14))))


# Name, zint's kind and options, BWIPP's kind and options, data with the text expected, the format to ask for, modules across.
SYMBOLOGIES = (
    ('QR Code', 'QRCODE', (), 'qrcode', {}, lambda: same(words(6, 60)), None, 0),
    ('Micro QR Code', 'MICROQR', (), 'microqrcode', {}, lambda: same(words(3, 12)[-13:]), None, 0),
    ('rMQR Code', 'RMQR', (), 'rectangularmicroqrcode', {'version': 'R13x59'}, lambda: same(words()), None, 0),
    ('Data Matrix', 'DATAMATRIX', (), 'datamatrix', {}, lambda: same(words(4, 50)), None, 0),
    ('Data Matrix, rectangular extension', 'DATAMATRIX', ('--dmre', '--vers=38'), 'datamatrixrectangularextension', {'version': '16x64'}, lambda: same(words()), None, 0),
    ('Aztec Code', 'AZTEC', (), 'azteccode', {}, lambda: same(words(4, 50)), None, 0),
    ('PDF417', 'PDF417', (), 'pdf417', {}, lambda: same(words(6, 60)), None, 0),
    ('MicroPDF417', 'MICROPDF417', (), 'micropdf417', {}, lambda: same(words()), None, 0),
    ('MaxiCode', 'MAXICODE', ('--mode=4',), 'maxicode', {'mode': '4'}, lambda: same(words(6, 50)), None, 30),
    ('EAN-13', 'EANX', (), 'ean13', {}, lambda: (lambda t: (t[:12], t))(checked(digits(12, '123456789'))), None, 0),
    ('EAN-8', 'EANX', (), 'ean8', {}, lambda: (lambda t: (t[:7], t))(checked(digits(7))), None, 0),
    ('UPC-A', 'UPCA', (), 'upca', {}, lambda: (lambda t: (t[:11], t))(checked(digits(11))), None, 0),
    ('UPC-E', 'UPCE', (), 'upce', {}, upc_e, None, 0),
    ('Code 128', 'CODE128', (), 'code128', {}, lambda: same(words()), None, 0),
    ('Code 39', 'CODE39', (), 'code39', {}, lambda: same(letters(random.randint(6, 14))), None, 0),
    ('Code 93', 'CODE93', (), 'code93', {'includecheck': True}, lambda: same(letters(random.randint(6, 14))), None, 0),
    ('Codabar', 'CODABAR', (), 'rationalizedCodabar', {}, lambda: same(f'A{digits(random.randint(5, 14))}B'), None, 0),
    ('ITF', 'C25INTER', (), 'interleaved2of5', {}, lambda: same(digits(2 * random.randint(4, 10))), None, 0),
    ('DataBar', 'DBAR_OMN', (), 'databaromni', {}, databar, None, 0),
    ('DataBar Stacked', 'DBAR_OMNSTK', (), 'databarstackedomni', {}, databar, None, 0),
    ('DataBar Limited', 'DBAR_LTD', (), 'databarlimited', {}, lambda: databar('01'), None, 0),
    ('DataBar Expanded', 'DBAR_EXP', (), 'databarexpanded', {}, expanded, None, 0),
    ('DataBar Expanded, wide', 'DBAR_EXP', (), 'databarexpanded', {}, wide, None, 0),
    ('DataBar Expanded Stacked', 'DBAR_EXPSTK', ('--cols=2',), 'databarexpandedstacked', {'segments': '4'}, wide, None, 0),
    ('Code 32', 'CODE32', (), 'code32', {}, code_32, 'code32', 0),
    ('Standard 2 of 5', 'C25IND', (), 'industrial2of5', {}, lambda: same(digits(random.randint(6, 12))), 'standard2of5', 0),
    ('Telepen', 'TELEPEN', (), 'telepen', {}, lambda: same(words()), 'telepen', 0),
    ('Pharmacode', 'PHARMA', (), 'pharmacode', {}, lambda: same(str(random.randint(1000, 131070))), 'pharmacode', 0),
)
SIZES = [round(1.5 + 0.4 * i, 1) for i in range(12)]


def sizes(options):
    import cv2
    import numpy
    import treepoem

    folder = Path(options.keep or tempfile.mkdtemp(prefix='waymark-sizes-'))
    folder.mkdir(parents=True, exist_ok=True)

    def trimmed(picture):
        dark = numpy.argwhere(picture < 128)
        (top, left), (bottom, right) = dark.min(axis=0), dark.max(axis=0) + 1
        return picture[top:bottom, left:right]

    def by_zint(kind, data, extra, scale):
        path = folder / 'zint.png'
        # zint takes the GTIN of these without its identifier and check digit.
        if kind in ('DBAR_OMN', 'DBAR_OMNSTK', 'DBAR_LTD'): data = data[4:17]
        gs1 = ['--gs1'] if data.startswith('[') else []
        subprocess.run(['zint', '-b', kind, '-d', data, f'--scale={scale}', '--notext', '-o', path, *gs1, *extra], check=True, capture_output=True)
        return trimmed(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))

    def by_bwipp(kind, data, extra):
        data = re.sub(r'\[(\d+)\]', r'(\1)', data) if data.startswith('[') else data
        if kind in ('telepen', 'code128') or 'matrix' in kind or 'code' in kind: data = data.replace('^', '')
        return trimmed(numpy.array(treepoem.generate_barcode(kind, data, extra, scale=6).convert('L')))

    def module(picture, across):
        """The pixels of a module: the shortest run, or a share of the width."""
        if across: return picture.shape[1] / across
        runs = [n for row in picture[::3] for n in numpy.diff(numpy.flatnonzero(numpy.diff(row > 128)))]
        return int(numpy.quantile(runs, 0.02))

    rows, jobs = [row for row in SYMBOLOGIES if not options.only or row[0] in options.only], []
    for name, zint, plain, bwipp, extra, draw, asked, across in rows:
        # A piece of the table has the texts of the whole.
        random.seed(f'{options.seed} {name}')
        for i in range(options.count):
            data, text = draw()
            bases = (by_zint(zint, data, plain, 5), by_bwipp(bwipp, data, extra))
            for encoder, base in zip(('zint', 'BWIPP'), bases):
                for size in SIZES:
                    share = size / module(base, across)
                    if i % 2 or across and size < 5: picture = cv2.resize(base, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
                    elif encoder == 'zint': picture = by_zint(zint, data, plain, size / (10 if across else 2))
                    else: picture = cv2.resize(base, None, fx=share, fy=share, interpolation=cv2.INTER_NEAREST_EXACT)
                    path = folder / f'{len(jobs):05d}.png'
                    cv2.imwrite(str(path), numpy.pad(picture, round(11 * size), constant_values=255))
                    jobs.append((path, text, name, encoder, size, asked))
    tally = {(name, encoder): [0, 0, 0, {}] for name, *_ in rows for encoder in ('zint', 'BWIPP')}
    for asked in {job[5] for job in jobs}:
        own = [job for job in jobs if job[5] == asked]
        for at in range(0, len(own), 300):
            part = own[at:at + 300]
            formats = ['--formats', asked] if asked else []
            seen = output(options.program, 'scan', '--json', *formats, *(str(job[0]) for job in part))[1].splitlines()
            for (path, text, name, encoder, size, _), line in zip(part, seen, strict=True):
                found = {symbol['text'] for symbol in json.loads(line).get('symbols') or []}
                right = {text, f'0{text}'} & found
                sums = tally[name, encoder]
                sums[0] += 1
                sums[1] += bool(right)
                sums[2] += bool(found - {text, f'0{text}'})
                if not right: sums[3][size] = sums[3].get(size, 0) + 1
                if options.misses and (not right or found - {text, f'0{text}'}): print(path, name, encoder, size, repr(text), found)
    lines = {}
    for name, *_ in rows:
        own = [tally[name, encoder] for encoder in ('zint', 'BWIPP')]
        missed = ', '.join(f'{encoder} {size}: {n}' for encoder, sums in zip(('zint', 'BWIPP'), own) for size, n in sorted(sums[3].items()))
        lines[name] = f'| {name} | ' + ' | '.join(f'{sums[1]} of {sums[0]}' for sums in own) + f' | {sum(sums[2] for sums in own)} | {missed} |'
        print(lines[name], flush=True)
    if not options.keep: shutil.rmtree(folder)
    return summed(lines)


def summed(lines):
    """The table of all symbologies, in which those measured now replace their rows of the page."""
    section = re.search(r'<!-- sizes -->\n(.*?)<!-- end sizes -->', (ROOT / 'Benchmarks/codes/README.md').read_text(), re.S).group(1)
    known = {line.split(' | ')[0][2:]: line for line in section.splitlines() if ' of ' in line} | lines
    table = [known[name] for name, *_ in SYMBOLOGIES if name in known]
    counts = [tuple(map(int, pair)) for line in table for pair in re.findall(r'\| (\d+) of (\d+)', line)]
    read, of = (sum(pair[i] for pair in counts) for i in (0, 1))
    total = f'| all | {read} of {of}: {100 * read / of:.2f} % | | {sum(int(line.split(" | ")[3]) for line in table)} | |'
    return ['| symbology | zint | BWIPP | wrong | not read at |', '|---|--:|--:|--:|---|', *table, total]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('table', nargs='?', choices=('pictures', 'sizes'), default='pictures')
    parser.add_argument('--program', default=str(ROOT / '.build/release/waymark'))
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--count', type=int, default=20)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', action='append')
    parser.add_argument('--keep')
    parser.add_argument('--misses', action='store_true')
    options = parser.parse_args()
    lines = {'pictures': pictures, 'sizes': sizes}[options.table](options)
    if options.write:
        sys.path.insert(0, str(ROOT / 'Benchmarks'))
        import written
        written.write('../Benchmarks/codes/README.md', 'formats' if options.table == 'pictures' else 'sizes', lines)


main()

#!/usr/bin/env python3
"""Which of the test pictures waymark, zbarimg and ZXingReader read, by their formats.

  formats.py [--program FILE] [--write]

Every picture of Tests/Fixtures/Pictures/read and converted holds a code that says the picture's name, or one a page. Told is how many
pictures were read, with all of their codes; `refused` where a program opened none. `--write` puts the table into docs/scan.md. Needs
zbar-tools and zxing-cpp-tools, and waymark-pictures beside waymark.
"""
import argparse
import fnmatch
import re
import subprocess
import sys
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', default=str(ROOT / '.build/release/waymark'))
    parser.add_argument('--write', action='store_true')
    options = parser.parse_args()
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
    if options.write:
        sys.path.insert(0, str(ROOT / 'Benchmarks'))
        import written
        written.write('scan.md', 'formats', lines)


main()

#!/usr/bin/env python3
"""`waymark scan` beside plain libzbar on the same pictures, in turns, on one processor.

  Benchmarks/codes/compare.py FOLDER [--effort still|plain|live] [--rounds N] [--only FAMILY] [--every N] [--jobs] [--frames]

FOLDER holds manifest.tsv: a heading, then path, set, symbology and the expected text as JSON, separated by tabs ("?" is an
unlabelled picture, null one from which nothing may be read). Without --effort both plain (the library's own look, for the
time) and still (what the command does) are measured. Printed per family: right, wrong, missed, extra codes on pictures that
were read right, for both, and the ratio of the times. --jobs also compares --jobs 2 with --jobs 1 over the whole set. --frames makes each
picture a frame of a camera first, 640×480, four times in a row: for --effort live, whose readers take turns.

The time is the reading alone, the picture being gray in memory. Ours and zbar's take turns every few pictures, so that what
else the machine does hits both; of several rounds the best time of each picture counts.

Needs: libzbar0 (Debian), numpy and opencv-python-headless (PyPI), and a built .build/release/waymark (or $WAYMARK).
"""
import argparse, collections, ctypes, json, os, re, statistics, subprocess, sys, tempfile, time
import cv2

HERE = os.path.dirname(os.path.abspath(__file__))
WAYMARK = os.environ.get('WAYMARK', os.path.join(HERE, '..', '..', '.build', 'release', 'waymark'))
FAMILIES = {'QR': 'QR', 'EAN13': 'EAN/UPC', 'EAN8': 'EAN/UPC', 'UPCA': 'EAN/UPC', 'UPCE': 'EAN/UPC', 'DataBar': 'DataBar',
            'DataBarExp': 'DataBar', 'DataBarExpStk': 'DataBar stacked', 'NONE': 'no code', 'Code128': 'other bars', 'Code39': 'other bars', 'Code93': 'other bars',
            'Codabar': 'other bars', 'ITF': 'other bars'}


class ZBar:
    """One image scanner of libzbar as it comes, but for the bytes of QR codes, which are taken as they are."""

    def __init__(self):
        lib = self.lib = ctypes.CDLL('libzbar.so.0')
        pointer, number = ctypes.c_void_p, ctypes.c_int
        for name, result, arguments in (
                ('image_scanner_create', pointer, []), ('image_scanner_set_config', number, [pointer, number, number, number]),
                ('image_create', pointer, []), ('image_destroy', None, [pointer]), ('image_set_format', None, [pointer, ctypes.c_ulong]),
                ('image_set_size', None, [pointer, ctypes.c_uint, ctypes.c_uint]),
                ('image_set_data', None, [pointer, pointer, ctypes.c_ulong, pointer]), ('scan_image', number, [pointer, pointer]),
                ('image_first_symbol', pointer, [pointer]), ('symbol_next', pointer, [pointer]), ('symbol_get_data', pointer, [pointer]),
                ('symbol_get_data_length', ctypes.c_uint, [pointer])):
            function = getattr(lib, 'zbar_' + name)
            function.restype, function.argtypes = result, arguments
        self.scanner = lib.zbar_image_scanner_create()
        lib.zbar_image_scanner_set_config(self.scanner, 64, 4, 1)  # ZBAR_QRCODE, ZBAR_CFG_BINARY

    def read(self, gray):
        """The payloads in a picture, and the seconds it took."""
        lib, (height, width), data = self.lib, gray.shape, gray.ctypes.data
        start = time.perf_counter()
        image = lib.zbar_image_create()
        lib.zbar_image_set_format(image, 0x30303859)  # Y800
        lib.zbar_image_set_size(image, width, height)
        lib.zbar_image_set_data(image, data, width * height, None)
        lib.zbar_scan_image(self.scanner, image)
        payloads, symbol = [], lib.zbar_image_first_symbol(image)
        while symbol:
            payloads.append(ctypes.string_at(lib.zbar_symbol_get_data(symbol), lib.zbar_symbol_get_data_length(symbol)))
            symbol = lib.zbar_symbol_next(symbol)
        lib.zbar_image_destroy(image)
        return payloads, time.perf_counter() - start


def text(payload):
    for charset in ('utf-8', 'cp932', 'gb18030'):
        try: return payload.decode(charset)
        except UnicodeDecodeError: pass
    return payload.decode('latin-1')


def plain_upc(digits):
    """UPC-E of eight digits as UPC-A (GS1 General Specifications, 5.2.1.5.3)."""
    system, body, check = digits[0], digits[1:7], digits[7]
    last = int(body[5])
    middle = (body[:2] + body[5] + '0000' + body[2:5] if last < 3 else body[:3] + '00000' + body[3:5] if last == 3
              else body[:4] + '00000' + body[4] if last == 4 else body[:5] + '0000' + body[5])
    return system + middle + check


NAMED = {f'<{name}>': chr(code) for name, code in dict(NUL=0, SOH=1, STX=2, ETX=3, EOT=4, LF=10, CR=13, SO=14, SI=15, FS=28, GS=29, RS=30, US=31).items()}


def forms(value, symbology):
    """What a text may also be spelt like: readers differ in check digits, leading zeros, separators and start characters."""
    value = value.replace('\r\n', '\n').strip(' \n\r\t\0')
    if symbology in ('EAN13', 'EAN8', 'UPCA', 'UPCE'):
        digits = re.sub(r'\D', '', value)
        digits = digits[:{14: 12, 15: 13, 17: 12, 18: 13}.get(len(digits), None)]  # add-ons off
        found = {digits.lstrip('0')}
        if len(digits) <= 8 and digits: found.add(plain_upc(digits.zfill(8)).lstrip('0'))
        return found
    if symbology == 'Codabar': return {value.upper().strip('ABCD')}
    for name, character in NAMED.items(): value = value.replace(name, character)
    value = value.removeprefix(']C1').replace('\x1d', '').replace('\ufeff', '')
    if symbology.startswith('DataBar'):
        value = re.sub(r'[()]|\{GS\}', '', value)
        if symbology == 'DataBar': value = ('01' + value if len(value) == 14 else value)[:16]
    if symbology == 'Code39':
        value = value.strip('*')
        return {value.strip(), value.removeprefix('I').strip()} if len(value) in (17, 18) else {value.strip()}
    return {value.strip()}


def verdict(texts, expected, symbology):
    """right, wrong or missed, and how many codes came besides the right one."""
    if expected is None: return ('wrong' if texts else 'right'), 0
    want = forms(expected, symbology)
    hits = [bool(forms(t, symbology) & want) for t in texts]
    if any(hits): return 'right', hits.count(False)
    return ('wrong' if texts else 'missed'), 0


def ours(paths, effort, jobs=1, pinned=True):
    command = (['taskset', '-c', '0'] if pinned else []) + [WAYMARK, 'scan', '--json', '--jobs', str(jobs), '--effort', effort]
    done = subprocess.run(command + paths, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(entries, effort, rounds):
    zbar, chunk = ZBar(), 40
    mine, theirs, unread = {}, {}, {}  # path: (texts, best time); whether a code was seen but not read
    for _ in range(rounds):
        for at in range(0, len(entries), chunk):
            paths = [path for path, _, _ in entries[at:at + chunk]]
            for path, report in zip(paths, ours(paths, effort)):
                texts = [s['text'] for s in report['symbols']]
                unread[path] = report.get('reason') == 'codeNotReadable'
                mine[path] = texts, min(report['elapsed'] or 0, mine.get(path, (0, 1e9))[1])
            for path in paths:
                gray = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
                if gray is None: continue
                payloads, seconds = zbar.read(gray)
                theirs[path] = [text(p) for p in payloads], min(seconds, theirs.get(path, (0, 1e9))[1])
    table = collections.OrderedDict()
    for path, symbology, expected in entries:
        row = table.setdefault(FAMILIES[symbology], {'n': 0, 'ours': collections.Counter(), 'zbar': collections.Counter(), 'time': [0.0, 0.0], 'ratios': []})
        row['n'] += 1
        for side, results in (('ours', mine), ('zbar', theirs)):
            word, extra = verdict(results.get(path, ([], 0))[0], expected, symbology)
            row[side][word] += 1
            row[side]['extra'] += extra
        if path in mine and path in theirs:
            row['time'][0] += mine[path][1]
            row['time'][1] += theirs[path][1]
            row['ratios'].append(mine[path][1] / theirs[path][1])
    print(f'\neffort {effort}: waymark | zbar')
    print(f"{'family':16}{'n':>5} | {'right':>6}{'wrong':>6}{'extra':>6} | {'right':>6}{'wrong':>6}{'extra':>6} | {'right %':>15} | {'time sum':>9}{'median':>8}")
    total = [0.0, 0.0]
    for family, row in sorted(table.items(), key=lambda item: -item[1]['n']):
        a, b = row['ours'], row['zbar']
        total = [total[0] + row['time'][0], total[1] + row['time'][1]]
        print(f"{family:16}{row['n']:>5} | {a['right']:>6}{a['wrong']:>6}{a['extra']:>6} | {b['right']:>6}{b['wrong']:>6}{b['extra']:>6} | "
              f"{100 * a['right'] / row['n']:>6.1f} {100 * b['right'] / row['n']:>6.1f}   | {row['time'][0] / max(1e-9, row['time'][1]):>9.3f}{statistics.median(row['ratios'] or [0]):>8.3f}")
    both = [p for p, _, expected in entries if p in mine and p in theirs and expected is not None and mine[p][0] and theirs[p][0]]
    empty = [p for p, _, expected in entries if p in mine and p in theirs and expected is None]
    for name, paths in (('read by both', both), ('without a code', empty)):
        if not paths: continue
        a, b = (1e3 * statistics.median(side[p][1] for p in paths) for side in (mine, theirs))
        print(f'median time of the {len(paths)} pictures {name}: {a:.2f} ms and {b:.2f} ms, ratio {a / b:.3f}')
    missed = [p for p, symbology, expected in entries if symbology == 'QR' and expected and not mine.get(p, ([1], 0))[0]]
    print(f'called codeNotReadable: {sum(unread.get(p, False) for p in missed)} of {len(missed)} QR pictures that were not read, '
          f'{sum(unread.get(p, False) for p in empty)} of {len(empty)} pictures without a code')
    print(f'time over all pictures: {total[0]:.2f} s and {total[1]:.2f} s, ratio {total[0] / total[1]:.3f}')


def jobs(paths, effort, rounds):
    best = {}
    for _ in range(rounds):
        for count in (1, 2):
            start = time.perf_counter()
            ours(paths, effort, count, pinned=False)
            best[count] = min(best.get(count, 1e9), time.perf_counter() - start)
    print(f'\n--jobs 1: {best[1]:.2f} s, --jobs 2: {best[2]:.2f} s, {best[1] / best[2]:.2f} times as fast (best of {rounds}, {effort})')


def framed(entries, folder):
    """Each picture as four frames of 640×480, filled where nothing may be read, else whole within it."""
    frames = []
    for number, (path, symbology, expected) in enumerate(entries):
        gray = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
        if gray is None: continue
        height, width = gray.shape
        scale = (max if expected is None else min)(640 / width, 480 / height)
        size = [max(1, round(width * scale)), max(1, round(height * scale))]
        small = cv2.resize(gray, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)[:480, :640]
        down, across = 480 - small.shape[0], 640 - small.shape[1]
        small = cv2.copyMakeBorder(small, down // 2, down - down // 2, across // 2, across - across // 2, cv2.BORDER_CONSTANT, value=int(small.mean()))
        for turn in range(4):
            frames.append((os.path.join(folder, f'{number}-{turn}.pgm'), symbology, expected))
            cv2.imwrite(frames[-1][0], small)
    return frames


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('folder')
    arguments.add_argument('--effort', choices=['still', 'plain', 'live'], action='append')
    arguments.add_argument('--rounds', type=int, default=3)
    arguments.add_argument('--only')
    arguments.add_argument('--every', type=int, default=1, help='take every Nth picture')
    arguments.add_argument('--jobs', action='store_true')
    arguments.add_argument('--frames', action='store_true')
    options = arguments.parse_args()
    entries = []
    with open(os.path.join(options.folder, 'manifest.tsv'), encoding='utf8') as file:
        for line in file.read().split('\n')[1:]:
            if not line: continue
            path, _, symbology, expected = line.split('\t', 3)
            expected = json.loads(expected)
            if symbology not in FAMILIES or expected == '?' or (expected or '').startswith('bin:'): continue
            if options.only and FAMILIES[symbology] != options.only: continue
            entries.append((os.path.join(options.folder, path), symbology, expected))
    entries = entries[::options.every]
    if not entries: sys.exit('no pictures')
    if options.jobs: jobs([path for path, _, _ in entries], 'plain', options.rounds)
    os.sched_setaffinity(0, {0})
    with tempfile.TemporaryDirectory() as folder:
        if options.frames: entries = framed(entries, folder)
        for effort in options.effort or ['plain', 'still']: compare(entries, effort, options.rounds)


if __name__ == '__main__': main()

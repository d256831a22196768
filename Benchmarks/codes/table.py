#!/usr/bin/env python3
"""What `waymark scan` reads of pictures of every family of codes, beside libzbar, zxing-cpp and OpenCV in the same run, as one
table.

  Benchmarks/codes/table.py FOLDER... [--every N] [--write]

Each FOLDER holds manifest.tsv as compare.py wants it; families of several folders count together. Families that are only read where they are asked for are asked for, alone; for all
others, and for pictures without a code, every symbology is looked for that is looked for without a wish. A picture is read wrong
when something was read and not what it shows. Times are processor time of reading alone, the picture being gray in memory, in
relation to zxing-cpp's on the same pictures, in turns; that of waymark is what passes on the clock, so the machine should be idle. OpenCV has detectors for QR codes, and for EAN/UPC, and is asked for those. --write puts the table into docs/benchmarks.md.

A third of the pictures (--every 3) tells as much in a third of the time. Needs: libzbar0 (Debian), numpy, opencv-python-headless and zxing-cpp (PyPI), and a built .build/release/waymark (or $WAYMARK).
"""
import argparse, collections, json, os, subprocess, sys, time
import cv2, numpy, zxingcpp
import compare

sys.path.insert(0, os.path.join(compare.HERE, '..'))
import written

FAMILIES = dict(
    QR='QR', EAN13='EAN/UPC', EAN8='EAN/UPC', UPCA='EAN/UPC', UPCE='EAN/UPC', Code128='other bars', Code39='other bars', Code93='other bars',
    Codabar='other bars', ITF='other bars', DataBar='DataBar', DataBarExp='DataBar', DataBarExpStk='DataBar Expanded Stacked',
    DataMatrix='Data Matrix', PDF417='PDF417', Aztec='Aztec', MicroQR='Micro QR', rMQR='rMQR', MaxiCode='MaxiCode', MicroPDF417='MicroPDF417',
    DataBarLtd='DataBar Limited', Code32='Code 32 (asked for)', Std2of5='Standard 2 of 5 (asked for)', Telepen='Telepen (asked for)',
    Pharmacode='Pharmacode (asked for)', NONE='no code')
ASKED = dict(Code32='code32', Std2of5='standard2of5', Telepen='telepen', Pharmacode='pharmacode')


def ours(paths, formats):
    command = ['taskset', '-c', '0', compare.WAYMARK, 'scan', '--json', '--jobs', '1'] + (['--formats', formats] if formats else [])
    done = subprocess.run(command + paths, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class OpenCV:
    def __init__(self):
        self.qr, self.bars = cv2.QRCodeDetector(), cv2.barcode.BarcodeDetector()

    def read(self, gray, family):
        """What its detectors read; None where it has none for the family."""
        if family not in ('QR', 'EAN/UPC', 'no code'): return None
        found = []
        try:
            if family != 'EAN/UPC': found += self.qr.detectAndDecodeMulti(gray)[1]
            if family != 'QR': found += self.bars.detectAndDecodeMulti(gray)[1]
        except (cv2.error, UnicodeDecodeError): pass
        return [text for text in found if text]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('folders', nargs='+', metavar='FOLDER'); a.add_argument('--every', type=int, default=1); a.add_argument('--write', action='store_true')
    a = a.parse_args()
    cv2.setNumThreads(1)
    os.sched_setaffinity(0, {0})
    groups = collections.OrderedDict()
    manifests = [(folder, open(os.path.join(folder, 'manifest.tsv'), encoding='utf8').read().split('\n')[1:]) for folder in a.folders]
    for folder, line in [(folder, line) for folder, lines in manifests for line in lines]:
        if not line: continue
        path, _, symbology, expected = line.split('\t', 3)
        expected = json.loads(expected)
        if symbology not in FAMILIES or expected == '?' or (expected or '').startswith('bin:'): continue
        groups.setdefault(FAMILIES[symbology], []).append((os.path.join(folder, path), symbology, expected))
    zbar, opencv = compare.ZBar(), OpenCV()
    rows = ['| family | pictures | waymark | wrong | zbar | wrong | zxing-cpp | wrong | OpenCV | wrong | time of waymark, zbar, OpenCV; zxing-cpp = 1 |',
            '|---|---|---|---|---|---|---|---|---|---|---|']
    for family, entries in groups.items():
        # Small families whole.
        entries = entries[::a.every] if len(entries) >= 12 * a.every else entries
        counts = {name: collections.Counter() for name in ('waymark', 'zbar', 'zxing', 'opencv')}
        seconds = collections.Counter()
        for at in range(0, len(entries), 20):
            chunk = entries[at:at + 20]
            reports = ours([path for path, _, _ in chunk], ASKED.get(chunk[0][1]))
            for (path, symbology, expected), report in zip(chunk, reports, strict=True):
                gray = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
                if gray is None: continue
                gray = numpy.ascontiguousarray(gray)
                start = time.process_time()
                others = zxingcpp.read_barcodes(gray, text_mode=zxingcpp.TextMode.Plain)
                seconds['zxing'] += time.process_time() - start
                seconds['waymark'] += report.get('elapsed') or 0
                start = time.process_time()
                payloads = zbar.read(gray)[0]
                seconds['zbar'] += time.process_time() - start
                start = time.process_time()
                detected = opencv.read(gray, family)
                seconds['opencv'] += time.process_time() - start
                texts = {'waymark': [s['text'] for s in report.get('symbols') or []], 'zbar': [compare.text(p) for p in payloads],
                         'zxing': [code.text for code in others], 'opencv': detected}
                for name, found in texts.items():
                    if found is not None: counts[name][compare.verdict(found, expected, symbology)[0]] += 1
        n = len(entries)
        def share(name):
            if not counts[name]: return ' | '
            return f"{100 * counts[name]['right'] / n:.1f} % | {counts[name]['wrong']}"
        rows.append(f"| {family} | {n} | {share('waymark')} | {share('zbar')} | {share('zxing')} | {share('opencv')} | "
                    + ', '.join(f"{seconds[name] / max(1e-9, seconds['zxing']):.1f}" if counts[name] else '–' for name in ('waymark', 'zbar', 'opencv')) + ' |')
        print(rows[-1], flush=True)
    if a.write: written.write('benchmarks.md', 'codes', rows)


if __name__ == '__main__': main()

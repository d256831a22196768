#!/usr/bin/env python3
"""What each pass over a still picture adds, costs and breaks: the table of README.md.

  Benchmarks/codes/ablation.py FOLDER [--qr FOLDER] [--every N] [--write]

FOLDER holds manifest.tsv as compare.py describes it, of all families that are looked for without a wish. With --qr the codes of a
folder as qr.py describes it are counted as well. Each pass is left out in turn (`waymark scan --without`); a row says
how many pictures are then read no more, how many are read that were not, how many wrong reads go or come, and by how much
the time of all pictures and of the pictures without a code changes. --write puts the table into README.md.
Needs: what compare.py and qr.py need.
"""
import argparse, glob, json, os, statistics, subprocess, sys
from compare import verdict
from table import ASKED, FAMILIES
import qr

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import written

HERE = os.path.dirname(os.path.abspath(__file__))
WAYMARK = os.environ.get('WAYMARK', os.path.join(HERE, '..', '..', '.build', 'release', 'waymark'))
PASSES = ['modules', 'modulesScaled', 'strip', 'stripStretched', 'stripInverted', 'fitted', 'level', 'stretch', 'half', 'halfStretched',
          'inverted', 'equalized']
a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
a.add_argument('folder'); a.add_argument('--qr'); a.add_argument('--every', type=int, default=1); a.add_argument('--write', action='store_true')
a = a.parse_args()

pictures = []
for line in open(os.path.join(a.folder, 'manifest.tsv'), encoding='utf8').read().split('\n')[1:]:
    if line:
        path, _, symbology, expected = line.split('\t', 3)
        if symbology in FAMILIES and symbology not in ASKED and expected != '"?"' and not expected.startswith('"bin:'): pictures.append((path, symbology, json.loads(expected)))
pictures = pictures[::a.every]
photographs = sorted(p for p in glob.glob(os.path.join(a.qr, '*', '*')) if p.endswith(('.jpg', '.png', '.pgm')))[::a.every] if a.qr else []


def scan(*options):
    command = [WAYMARK, 'scan', '--json', '--jobs', '1', *options, *(os.path.join(a.folder, p) for p, _, _ in pictures)]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.split('\n')
    results = [json.loads(line) for line in lines if line]
    verdicts, times = [], []
    for (_, symbology, expected), r in zip(pictures, results, strict=True):
        texts = [s['text'] for s in r.get('symbols') or []]
        found = verdict(texts, expected, symbology)[0]
        verdicts.append('ok' if found == 'right' and expected is not None else found)
        times.append(r.get('elapsed') or 0)
    return verdicts, times


def codes(*options):
    """How many labelled codes of the photographs are read, and in what time."""
    if not photographs: return 0, 0
    command = [WAYMARK, 'scan', '--json', '--jobs', '1', '--formats', 'qr', *options, *photographs]
    reports = [json.loads(line) for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]
    found = [qr.hits([s['corners'] for s in r.get('symbols') or []], qr.labels(os.path.splitext(p)[0] + '.txt'))[0] for p, r in zip(photographs, reports, strict=True)]
    return sum(found), sum(r.get('elapsed') or 0 for r in reports)


whole, time = scan()
read, seconds = codes()
empty = [i for i, (_, _, e) in enumerate(pictures) if e is None]
rows = ['| left out | reads lost | reads won | wrong reads | time of all | time of empty pictures |' + (' codes of photographs lost | their time |' if photographs else ''),
        '|---|---|---|---|---|---|' + ('---|---|' if photographs else '')]
rows.append(f"| nothing | {whole.count('ok')} of {len(pictures) - len(empty)} read | | {whole.count('wrong')} | 1 | 1 |" + (f' of {read} | 1 |' if photographs else ''))
for name in ['plain'] + PASSES:
    verdicts, t = scan('--effort', 'plain') if name == 'plain' else scan('--without', name)
    options = ('--effort', 'plain') if name == 'plain' else ('--without', name)
    lost = sum(x == 'ok' != y for x, y in zip(whole, verdicts))
    won = sum(y == 'ok' != x for x, y in zip(whole, verdicts))
    label = 'all of them (plain)' if name == 'plain' else name.replace(',', ', ')
    share = statistics.median(t[i] for i in empty) / statistics.median(time[i] for i in empty) if empty else 1
    rows.append(f"| {label} | {lost} | {won} | {verdicts.count('wrong') - whole.count('wrong'):+d} | {sum(t) / sum(time):.2f} | {share:.2f} |")
    if photographs:
        left, spent = codes(*options)
        rows[-1] += f' {read - left} | {spent / max(1e-9, seconds):.2f} |'
print('\n'.join(rows))
if a.write: written.write('../Benchmarks/codes/README.md', 'ablation', rows)

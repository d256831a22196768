#!/usr/bin/env python3
"""How many four-state postal codes waymark reads: drawn by zint and BWIPP, and seen at an angle.

  postal.py [--program FILE] [--count N] [--seed N] [--only CASE] [--keep FOLDER] [--misses]

drawn    zint and BWIPP draw N random texts of each, at 2 to 6 pixels a module. BWIPP draws no Mailmark.
seen     The same tilted by up to 30°, turned by any angle, blurred by up to 0.6 modules, with noise.
address  As seen, with lines of text above or below.

Needs: zint, Ghostscript, and numpy, opencv-python-headless and treepoem (PyPI).
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
from dots import arguments, camera, padded
from rendering import blur, drawn, noise, random

ROOT = Path(__file__).resolve().parents[2]
DIGITS, LETTERS, LIMITED = '0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'ABDEFGHJLNPQRSTUWXYZ'
# The tables N and C of Australia Post.
NUMBERS = 'FF FA FD AF AA AD DF DA DD TF'.split()
CHARACTERS = ('FFF FFA FFD FAF FAA FAD FDF FDA FDD AFF AFA AFD AAF AAA AAD ADF ADA ADD DFF DFA DFD DAF DAA DAD DDF DDA FDT FTF FTA FTD FTT AFT AAT '
              'ADT ATF ATA ATD ATT DFT DAT DDT DTF DTA DTD DTT TFT TAT TDT TTF TTA TTD TTT DDD TFF TFA TFD TAF TAA TAD TDF TDA TDD FFT FAT').split()
ALPHABET = LETTERS + LETTERS.lower() + DIGITS + ' #'


def pick(letters, count): return ''.join(random.choice(list(letters), count))


def mail():
    tracking, code = pick(DIGITS, 1) + pick('01234', 1) + pick(DIGITS, 18), pick(DIGITS, random.choice([0, 5, 9, 11]))
    return f'{tracking}-{code}' if code else tracking, tracking + code, tracking + code


def customer(): return (pick(DIGITS + LETTERS, random.integers(5, 11)),) * 3


def kix():
    text = pick(DIGITS[1:], 1) + pick(DIGITS, 3) + pick(LETTERS, 2) + pick(DIGITS[1:], 1) + pick(DIGITS, random.integers(0, 5))
    return (text + ('X' + pick(DIGITS + LETTERS, random.integers(1, 7)) if random.random() < 0.4 else ''),) * 3


def mailmark():
    pattern = random.choice(['ANANLLNLS', 'AANNLLNLS', 'AANNNLLNL', 'AANANLLNL', 'ANNLLNLSS', 'ANNNLLNLS'])
    postcode = ''.join(pick({'A': LETTERS, 'L': LIMITED, 'N': DIGITS, 'S': ' '}[c], 1) for c in pattern)
    text = pick('01234', 1) + pick('1234', 1) + pick('0123456789ABCDE', 1) + pick(DIGITS, random.choice([10, 14])) + postcode
    return text, None, text


def australia():
    """The data as zint and BWIPP take them; the customer's bars are read as digits."""
    point, kind = pick(DIGITS, 8), random.integers(7)
    if kind < 3:
        code = random.choice(['11', '45', '87', '92'])
        return (code, point), (code + point, {}), code + point
    numeric, long = kind < 5, kind % 2
    text = pick(DIGITS, 15 if long else 8) if numeric else pick(ALPHABET[:-1], 10 if long else 5)
    bars = ''.join(NUMBERS[int(c)] if numeric else CHARACTERS[ALPHABET.index(c)] for c in text)
    code, bars = ('62', bars.ljust(31, 'T')) if long else ('59', bars.ljust(16, 'T'))
    options = {'custinfoenc': 'numeric' if numeric else 'character'}
    return (code, point + text), (code + point + text, options), code + point + ''.join(str('FADT'.index(c)) for c in bars)


def japan():
    text, room = pick(DIGITS, 7), random.integers(0, 14)
    while room > 0:
        text += pick(DIGITS + '-' + (LETTERS if room > 1 else ''), 1)
        room -= 2 if text[-1] in LETTERS else 1
    return (text,) * 3


# Zint's kind and BWIPP's; the data as each takes them, and as they are read.
KINDS = {'intelligentMail': ('USPS_IMAIL', 'onecode', mail), 'rm4scc': ('RM4SCC', 'royalmail', customer), 'kix': ('KIX', 'kix', kix),
         'mailmark': ('MAILMARK', None, mailmark), 'australiaPost': ('AUSPOST', 'auspost', australia), 'japanPost': ('JAPANPOST', 'japanpost', japan)}
AUSTRALIAN = {'45': 'AUSREPLY', '87': 'AUSROUTE', '92': 'AUSREDIRECT'}


def by_zint(kind, data):
    if isinstance(data, tuple): kind, data = AUSTRALIAN.get(data[0], kind), data[1]
    return drawn(kind, data, 0)[0]


def by_bwipp(kind, data):
    import treepoem
    data, options = data if isinstance(data, tuple) else (data, {})
    return np.array(treepoem.generate_barcode(kind, data, options, scale=6).convert('L'))


def half_pitch(picture):
    starts = np.flatnonzero(np.diff((picture < 128).any(axis=0).astype(int), prepend=0) == 1)
    return (starts[-1] - starts[0]) / (len(starts) - 1) / 2


def addressed(picture, module):
    """The bars with two to four lines of text, five modules away."""
    size, gap = random.uniform(8, 14) * module, 5 * module
    block = np.full((int(random.integers(2, 5) * 1.5 * size + gap), picture.shape[1]), 255, np.uint8)
    for y in np.arange(gap + size, block.shape[0], 1.5 * size):
        words = ' '.join(pick(LETTERS + LETTERS.lower() + DIGITS, random.integers(3, 9)) for _ in range(4))
        cv2.putText(block, words, (0, int(y)), cv2.FONT_HERSHEY_DUPLEX, size / 30, 0, max(1, int(size / 12)), cv2.LINE_AA)
    space = np.full((int(gap), picture.shape[1]), 255, np.uint8)
    return np.vstack([picture, block] if random.random() < 0.7 else [block, space, picture])


def pictures(case, count):
    for symbology, (zint, bwipp, texts) in KINDS.items():
        for i in range(count):
            for_zint, for_bwipp, text = texts()
            for name, kind, data, draw in (('zint', zint, for_zint, by_zint), ('BWIPP', bwipp, for_bwipp, by_bwipp)):
                if kind is None: continue
                target, picture = float(random.uniform(2, 6)), draw(kind, data)
                module = half_pitch(picture)
                picture = padded(picture, 4 * module)
                if case == 'drawn':
                    how = cv2.INTER_AREA if i % 2 else cv2.INTER_NEAREST_EXACT
                    picture = cv2.resize(picture, None, fx=target / module, fy=target / module, interpolation=how)
                else:
                    if case == 'address': picture = padded(addressed(picture, module), 3 * module)
                    picture = camera(picture, module, target, np.radians(random.uniform(0, 30)), random.uniform(0, 2 * np.pi))
                    picture = noise(blur(picture * 0.8 + 20, target * random.uniform(0, 0.6)), random.uniform(0, 6))
                yield symbology, name, picture, text, target


def measure(options, name, cases, kinds, pictures, asked, found):
    """Prints a row for each case and kind.

    pictures  returns the kind, encoder, picture, text and size of modules of each picture of a case.
    found     returns the kind and text of a symbol of waymark's output; None for one that does not count."""
    print('| pictures | symbology | zint | BWIPP | wrong |', '|---|---|--:|--:|--:|', sep='\n')
    for case in cases:
        if options.only not in (None, case): continue
        random.bit_generator.state = np.random.default_rng(options.seed).bit_generator.state
        folder = Path(options.keep or tempfile.mkdtemp(prefix=f'waymark-{name}-')) / case
        folder.mkdir(parents=True, exist_ok=True)
        jobs = []
        for kind, encoder, picture, text, module in pictures(case, options.count):
            path = folder / f'{len(jobs):04d}.png'
            cv2.imwrite(str(path), picture)
            jobs.append((path, kind, encoder, text, module))
        if options.keep: (folder / 'truth.json').write_text(json.dumps([[job[0].name, *job[1:]] for job in jobs]))
        tally = {kind: {'zint': [0, 0], 'BWIPP': [0, 0], 'wrong': 0} for kind in kinds}
        for at in range(0, len(jobs), 100):
            part = jobs[at:at + 100]
            lines = subprocess.run([options.program, 'scan', '--json', '--formats', asked, *(str(job[0]) for job in part)],
                                   capture_output=True, text=True, check=False).stdout.splitlines()
            for (path, kind, encoder, text, module), line in zip(part, lines, strict=True):
                seen = {found(symbol) for symbol in json.loads(line).get('symbols') or []} - {None}
                sums = tally[kind]
                sums[encoder][0] += (kind, text) in seen
                sums[encoder][1] += 1
                sums['wrong'] += bool(seen - {(kind, text)})
                if options.misses and seen != {(kind, text)}: print(path, encoder, round(module, 1), kind, repr(text), seen, file=sys.stderr)
        for kind, sums in tally.items():
            print(f'| {case} | {kind} |', ' | '.join('{} of {}'.format(*sums[encoder]) for encoder in ('zint', 'BWIPP')), f'| {sums["wrong"]} |', flush=True)
        if not options.keep: shutil.rmtree(folder)


if __name__ == '__main__':
    measure(arguments(__doc__), 'postal', ('drawn', 'seen', 'address'), KINDS, pictures, ','.join(KINDS),
            lambda symbol: (symbol['symbology'], symbol['text']))

#!/usr/bin/env python3
"""Bars of which something is missing, rendered: how many `waymark scan` reads, and how many it reads wrong.

  Benchmarks/codes/spoilt.py cuts|slides|stripes|low [--count N] [--seed N] [--keep FOLDER] [--misses]

cuts     ITF cut by an edge of the picture, or with a light gap of less than ten modules, and whole ones with their quiet zone; by
         `--effort still` and `live`
slides   ITF that pass through a frame of 640x480, at various sizes and speeds, some with such a gap: reported when two of five frames
         agree, as the service does
stripes  EAN-13 with a stripe over one to six modules: white, gray or black, upright or slanted
low      bars 4 to 6 mm high somewhere on an A4 page at 150 to 300 dpi, of six symbologies

Everything is random from the seed. Needs a built .build/release/waymark (or $WAYMARK).
"""
import argparse, collections, json, os, random, shutil, struct, subprocess, tempfile, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
WAYMARK = os.environ.get('WAYMARK', os.path.join(HERE, '..', '..', '.build', 'release', 'waymark'))
LEFT = '0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011'.split()
PARITY = '000000 001011 001101 001110 010011 011001 011100 010101 010110 011010'.split()
FIVE = '00110 10001 01001 11000 00101 10100 01100 00011 10010 01010'.split()
CODE128 = """212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221
223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 112313 132113
132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131""".split()
CODE39 = dict(zip('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-*', (
    0x034, 0x121, 0x061, 0x160, 0x031, 0x130, 0x070, 0x025, 0x124, 0x064, 0x109, 0x049, 0x148, 0x019, 0x118, 0x058, 0x00D, 0x10C, 0x04C, 0x01C,
    0x103, 0x043, 0x142, 0x013, 0x112, 0x052, 0x007, 0x106, 0x046, 0x016, 0x181, 0x0C1, 0x1C0, 0x091, 0x190, 0x0D0, 0x085, 0x094)))
CODE93 = """131112 111213 111312 111411 121113 121212 121311 111114 131211 141111 211113 211212 211311 221112 221211 231111 112113 112212 112311
122112 132111 111123 111222 111321 121122 131121 212112 212211 211122 211221 221121 222111 112122 112221 122121 123111 121131 311112 311211
321111 112131 113121 211131 121221 312111 311121 122211 111141""".split()
CODABAR = dict(zip('0123456789AB', '0000011 0000110 0001001 1100000 0010010 1000010 0100001 0100100 0110000 1001000 0011010 0101001'.split()))


def itf(digits, wide):
    """The widths of bars and spaces by turns, in modules."""
    widths = [1, 1, 1, 1]
    for a, b in zip(digits[::2], digits[1::2]):
        for p, q in zip(FIVE[int(a)], FIVE[int(b)]): widths += [wide if p == '1' else 1, wide if q == '1' else 1]
    return widths + [wide, 1, 1]


def checked(digits, weights):
    return digits + str(-sum(int(d) * w for d, w in zip(digits, weights)) % 10)


def runs(bits):
    widths, last = [], '0'
    for bit in bits:
        if bit == last and widths: widths[-1] += 1
        else: widths.append(1)
        last = bit
    return widths


def ean13(digits):
    left = [LEFT[int(d)] if p == '0' else ''.join('10'[int(b)] for b in LEFT[int(d)])[::-1] for d, p in zip(digits[1:7], PARITY[int(digits[0])])]
    right = [''.join('10'[int(b)] for b in LEFT[int(d)]) for d in digits[7:]]
    return runs('101' + ''.join(left) + '01010' + ''.join(right) + '101')


def code128(text):
    values = [104] + [ord(c) - 32 for c in text]
    values.append(sum(max(1, i) * v for i, v in enumerate(values)) % 103)
    return values


def narrow_wide(patterns, wide):
    widths = []
    for pattern in patterns: widths += [wide if bit == '1' else 1 for bit in pattern] + [1]
    return widths[:-1]


def code93(text):
    values = ['0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'.index(c) for c in text]
    for most in (20, 15): values.append(sum(((len(values) - 1 - i) % most + 1) * v for i, v in enumerate(values)) % 47)
    return [int(w) for v in [47, *values, 47] for w in CODE93[v]] + [1]


def line(widths, begin, module, length, tone=lambda at: None, ink=30, paper=225, ground=None, quiet=12):
    """The gray levels along bars that begin at a place, each pixel the mean of what it covers; `tone` says what lies over a place."""
    edges, at = [], begin
    for width in widths: edges.append(at); at += width * module
    edges.append(at)
    levels, i, parts = [], 0, 4
    for x in range(length):
        total = 0
        for k in range(parts):
            p = x + (k + 0.5) / parts
            while i + 1 < len(edges) and edges[i + 1] <= p: i += 1
            over = tone(p)
            if over is not None: total += over
            elif p < edges[0] or p >= at: total += paper if ground is None or edges[0] - quiet * module <= p < at + quiet * module else ground
            else: total += ink if i % 2 == 0 else paper
        levels.append(total / parts)
    return levels


def png(path, rows, width):
    def chunk(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, len(rows), 8, 0, 0, 0, 0))
                   + chunk(b'IDAT', zlib.compress(b''.join(b'\0' + row for row in rows), 1)) + chunk(b'IEND', b''))


def noisy(levels, noise, variants=6):
    """Some rows of the same levels under noise."""
    return [bytes(min(255, max(0, round(v + random.gauss(0, noise)))) for v in levels) for _ in range(variants if noise else 1)]


def frame(path, levels, noise, across, from_, to, plain, turned):
    """A picture in which the levels run along its rows, or down its columns, and so many pixels across."""
    rows = noisy(levels, noise)
    if not turned:
        empty = noisy([plain] * len(levels), noise)
        png(path, [random.choice(rows if from_ <= y < to else empty) for y in range(across)], len(levels))
    else:
        spread = [random.gauss(0, noise) for _ in range(64)] if noise else [0]
        column = [bytes(min(255, max(0, round(level + random.choice(spread)))) if from_ <= x < to else plain for x in range(across)) for level in levels]
        png(path, column, across)


def number():
    if random.random() < 0.4: return checked(''.join(random.choices('0123456789', k=13)), [3, 1] * 7)
    return ''.join(random.choices('0123456789', k=2 * random.randint(4, 12)))


def gap(widths, module, begin):
    """A light gap of less than ten modules inside the bars."""
    length, total = random.uniform(2, 9.5) * module, sum(widths) * module
    at = begin + random.uniform(0.15, 0.85) * total - length / 2
    return lambda p: 225 if at <= p < at + length else None


def scan(paths, *options):
    found = []
    for i in range(0, len(paths), 400):
        out = subprocess.run([WAYMARK, 'scan', '--json', *options, *paths[i:i + 400]], capture_output=True, text=True).stdout.split('\n')[:-1]
        found += [json.loads(l) for l in out]
    return [[(s['text'], s.get('pass')) for s in reading.get('symbols') or []] for reading in found]


def cuts(count, folder):
    jobs = []
    for i in range(count):
        digits, wide, module = number(), random.choice([2, 2.5, 3]), random.uniform(1.5, 4)
        widths = itf(digits, wide)
        total = sum(widths) * module
        kind = ('cut', 'cut', 'gap', 'whole')[i % 4]
        begin, tone = random.uniform(11, 20) * module, lambda p: None
        length = int(begin + total + random.uniform(11, 20) * module)
        if kind == 'cut':
            rest = random.uniform(0.05, 0.9) * total
            if random.random() < 0.5: begin, length = begin - (begin + rest), int(length - begin - rest)
            else: length = int(length - (length - begin - total) - rest)
            if random.random() < 0.2: begin, length = (random.uniform(0, 8) * module, int(8 * module + total + 12 * module))
        if kind == 'gap': tone = gap(widths, module, begin)
        path = os.path.join(folder, f'{i:04d}.png')
        levels = line(widths, begin, module, max(length, 40), tone)
        height = random.randint(60, 200)
        frame(path, levels, random.choice([0, 0, 3, 6]), height + 60, 30, 30 + height, 225, random.random() < 0.2)
        jobs.append((path, digits, kind))
    for effort, repeats in (('still', 1), ('live', 5)):
        result = collections.Counter()
        paths = [path for path, _, _ in jobs for _ in range(repeats)]
        seen = scan(paths, '--effort', effort)
        for i, (path, digits, kind) in enumerate(jobs):
            frames = seen[i * repeats:(i + 1) * repeats]
            told = collections.Counter(text for found in frames for text, _ in found)
            texts = {text for text, times in told.items() if times >= min(2, repeats)}
            tally(result, kind, texts, {digits}, path, f'{effort} {kind} {digits} {frames}')
        show(f'{effort}', result)


def slides(count, folder):
    result = collections.Counter()
    for i in range(count):
        digits, wide = number(), random.choice([2, 2.5, 3])
        widths = itf(digits, wide)
        turned = random.random() < 0.25
        length, across = (480, 640) if turned else (640, 480)
        module = min(random.uniform(1.3, 4.5), (length - 60) / (sum(widths) + 24))
        total, speed = sum(widths) * module, random.uniform(6, 60)
        has_gap, ground = random.random() < 0.3, random.choice([None, None, 120, 60])
        kind, noise, way = 'gap' if has_gap else 'whole', random.choice([0, 3]), random.choice([1, -1])
        height = random.randint(80, 300)
        tone = gap(widths, module, 0) if has_gap else lambda p: None
        place, paths, n = -total - 14 * module, [], 0
        while place < length + 14 * module:
            at = place if way > 0 else length - place - total
            path = os.path.join(folder, f'{i:04d}-{n:03d}.png')
            levels = line(widths, at, module, length, lambda p: tone(p - at), ground=ground)
            frame(path, levels, noise, across, 60, 60 + height, 225 if ground is None else ground, turned)
            paths.append(path)
            place += speed; n += 1
        frames = scan(paths, '--effort', 'live')
        told = set()
        for k in range(len(frames)):
            near = collections.Counter(text for found in frames[max(0, k - 4):k + 1] for text in {t for t, _ in found})
            told |= {text for text, times in near.items() if times >= 2}
        tally(result, kind, told, {digits}, paths[0], f'slide {i} {kind} {digits} {[f for f in frames if f]}')
        for path in paths if not a.keep else []: os.remove(path)
    show('slides', result)


def stripes(count, folder):
    jobs = []
    for i in range(count):
        digits = checked(''.join(random.choices('0123456789', k=12)), [1, 3] * 6)
        module, size = random.choice([2, 2, 3, 2.5]), i % 6 + 1
        begin, length, height = 20 * module, int(135 * module), random.randint(50, 90) * int(module)
        at, slant = begin + random.uniform(0, 95 - size) * module, random.choice([0, 0, 0, random.uniform(-0.05, 0.05)])
        level = random.choice([255, 30, 0, 128])
        rows = []
        for y in range(height):
            from_ = at + slant * (y - height / 2)
            if y == 0 or slant: rows.append(noisy(line(ean13(digits), begin, module, length, lambda p: level if from_ <= p < from_ + size * module else None), 0)[0])
            else: rows.append(rows[-1])
        blank = bytes([225] * length)
        path = os.path.join(folder, f'{i:04d}.png')
        png(path, [blank] * 30 + rows + [blank] * 30, length)
        jobs.append((path, digits, f'{size} modules'))
    result = collections.Counter()
    for (path, digits, kind), found in zip(jobs, scan([path for path, _, _ in jobs])):
        tally(result, kind, {text.zfill(13) for text, _ in found}, {digits}, path, f'stripe of {kind} {digits} {found}')
    show('stripes', result)


def low(count, folder):
    def letters(k): return ''.join(random.choices('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', k=k))
    def digits(k): return ''.join(random.choices('0123456789', k=k))
    jobs = []
    for i in range(count):
        dpi = random.choice([150, 200, 300])
        wide, module = random.choice([2.5, 3]), random.choice([2, 3, 4] if dpi == 300 else [2, 3])
        kind = ('EAN-13', 'Code 128', 'Code 39', 'Code 93', 'Codabar', 'ITF')[i % 6]
        if kind == 'EAN-13': text = checked(digits(12), [1, 3] * 6); widths = ean13(text)
        elif kind == 'Code 128': text, widths = whole128()
        elif kind == 'Code 39': text = letters(8); widths = narrow_wide([format(CODE39[c], '09b') for c in f'*{text}*'], wide)
        elif kind == 'Code 93': text = letters(9); widths = code93(text)
        elif kind == 'Codabar': text = f'A{digits(9)}B'; widths = narrow_wide([CODABAR[c] for c in text], wide)
        else: text = digits(12); widths = itf(text, wide)
        width, height = round(dpi * 8.27), round(dpi * 11.69)
        bars = round(random.uniform(4, 6) / 25.4 * dpi)
        total = sum(widths) * module
        x, y = random.uniform(0.03 * width, 0.97 * width - total), random.randint(int(0.03 * height), int(0.97 * height) - bars)
        row = bytes(round(v) for v in line(widths, x, module, width, ink=0, paper=255))
        blank, path = bytes([255] * width), os.path.join(folder, f'{i:04d}.png')
        png(path, [row if y <= v < y + bars else blank for v in range(height)], width)
        jobs.append((path, text, kind))
    result = collections.Counter()
    for (path, text, kind), found in zip(jobs, scan([path for path, _, _ in jobs])):
        tally(result, kind, {t.zfill(len(text)) for t, _ in found}, {text}, path, f'low {kind} {text} {found}')
    show('low', result)


def whole128():
    """A Code 128 of characters whose check character is among the first of the table."""
    while True:
        text = ''.join(random.choices('0123456789', k=2)) + '-' + ''.join(random.choices('0123456789ABCDEFGHIJ', k=6))
        values = code128(text)
        if values[-1] < len(CODE128):
            widths = [2, 1, 1, 2, 1, 4] + [int(w) for v in values[1:] for w in CODE128[v]] + [2, 3, 3, 1, 1, 1, 2]
            return text, widths


def tally(result, kind, texts, expected, path, words):
    result[kind, 'all'] += 1
    outcome = 'wrong' if texts - expected else 'right' if texts else 'none'
    result[kind, outcome] += 1
    if a.misses and (outcome == 'wrong' or outcome == 'none' and kind not in ('cut', 'gap') and a.command != 'stripes'): print(outcome, path, words)


def show(title, result):
    kinds = sorted({kind for kind, _ in result})
    for kind in [*kinds, None]:
        sums = [sum(n for (k, o), n in result.items() if o == outcome and (kind is None or k == kind)) for outcome in ('all', 'right', 'wrong')]
        print(f'{title}, {kind or "all"}: of {sums[0]} right {sums[1]}, wrong {sums[2]}')


COMMANDS = {'cuts': (cuts, 400), 'slides': (slides, 600), 'stripes': (stripes, 1080), 'low': (low, 120)}
a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
a.add_argument('command', choices=COMMANDS); a.add_argument('--count', type=int); a.add_argument('--seed', type=int, default=1)
a.add_argument('--keep'); a.add_argument('--misses', action='store_true'); a = a.parse_args()
random.seed(a.seed)
folder = a.keep or tempfile.mkdtemp(prefix='waymark-spoilt-')
os.makedirs(folder, exist_ok=True)
run, usual = COMMANDS[a.command]
try: run(a.count or usual, folder)
finally:
    if not a.keep: shutil.rmtree(folder)

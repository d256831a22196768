#!/usr/bin/env python3
"""How many symbols of rarer kinds waymark reads: drawn by zint and BWIPP, and seen at an angle.

  rare.py [--program FILE] [--count N] [--seed N] [--only CASE] [--keep FOLDER] [--misses]

drawn    zint and BWIPP draw N random texts of each, at 2 to 6 pixels a module.
seen     The same tilted by up to 30°, turned by any angle, blurred by up to 0.6 modules, with noise. Pharmacode, which reads otherwise
         upside down, is turned by up to 40°.

Needs: zint, Ghostscript, and numpy, opencv-python-headless and treepoem (PyPI).
"""
import subprocess

import cv2
import numpy as np
from dots import arguments, camera, padded
from postal import DIGITS, LETTERS, measure, pick
from rendering import blur, drawn, noise, random

VALUES = DIGITS + LETTERS + '-. $/+%'


def ten(digits): return str(-sum(int(d) * (3 if i % 2 == 0 else 1) for i, d in enumerate(reversed(digits))) % 10)


def composite():
    """A linear code, the element strings above it, and the name of the component, as both encoders take them."""
    number = '0' + pick(DIGITS, 12)
    number += ten(number)
    limited = '0' + pick('01', 1) + number[2:13]
    limited += ten(limited)
    lot, serial = pick(LETTERS + DIGITS, random.integers(1, 13)), pick(DIGITS + LETTERS, random.integers(1, 9))
    part = [f'[10]{lot}', f'[21]{serial}', f'[17]271231[10]{lot}', f'[11]260{random.integers(1, 10)}28[21]{serial}', f'[90]{serial}'][random.integers(5)]
    kind, way = random.integers(7), int(random.choice([1, 1, 2, 3]))
    if way > 1: part = f'[10]{lot}[91]' + pick(LETTERS + DIGITS, random.integers(20, 80))
    eight = pick(DIGITS, 7)
    eight += ten(eight)
    zint, bwipp, data, said, read = [
        ('EANX_CC', 'ean13composite', number[1:], number[1:], number), ('EANX_CC', 'ean8composite', eight[:7], eight, '000000' + eight),
        ('UPCA_CC', 'upcacomposite', number[2:13], number[2:], None), ('DBAR_OMN_CC', 'databaromnicomposite', number[:13], f'(01){number}', number),
        ('DBAR_LTD_CC', 'databarlimitedcomposite', limited[:13], f'(01){limited}', limited),
        ('DBAR_EXP_CC', 'databarexpandedcomposite', f'[01]{number}[21]{serial}', f'(01){number}(21){serial}', f'{number}(21){serial}'),
        ('GS1_128_CC', 'gs1-128composite', f'[01]{number}[21]{serial}', f'(01){number}(21){serial}', f'{number}(21){serial}'),
    ][kind]
    if read is None:
        said = data + ten(data)
        read = '00' + said
    # Only GS1-128 has the largest one.
    way = way if kind == 6 else min(way, 2)
    spoken = part.replace('[', '(').replace(']', ')')
    return (zint, part, f'--primary={data}', f'--mode={way}'), (bwipp, f'{said}|{spoken}', {'ccversion': 'abc'[way - 1]}), f'(01){read}{spoken}'


def hibc():
    data = pick(LETTERS, 1) + pick(DIGITS, 3) + pick(LETTERS + DIGITS, random.integers(3, 12)) + pick(DIGITS, 1)
    zint, bwipp = [('39', 'code39'), ('128', 'code128'), ('DM', 'datamatrix'), ('QR', 'qrcode'), ('PDF', 'pdf417'), ('AZTEC', 'azteccode')][random.integers(6)]
    check = VALUES[sum(VALUES.index(c) for c in '+' + data) % 43]
    return ('HIBC_' + zint, data), ('hibc' + bwipp, data, {}), '+' + data + check


def isbt():
    data = '=' + pick(LETTERS, 1) + pick(DIGITS, 4) + pick(DIGITS, 8) + '00'
    return ('CODE128', data), ('code128', data, {}), data


def pzn():
    while True:
        data = pick(DIGITS[1:], 1) + pick(DIGITS, 6)
        check = sum((i + 1) * int(d) for i, d in enumerate(data)) % 11
        if check < 10: return ('PZN', data), ('pzn', data, {'pzn8': True}), f'-{data}{check}'


def code32():
    data = pick(DIGITS, 8)
    check = sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(data)) % 10
    return ('CODE32', data), ('code32', data, {}), f'A{data}{check}'


def msi():
    data = pick(DIGITS, random.integers(5, 14))
    check = -sum(sum(divmod(int(d) * (2 - i % 2), 10)) for i, d in enumerate(reversed(data))) % 10
    return ('MSI_PLESSEY', data, '--vers=1'), ('msi', data, {'includecheck': True}), f'{data}{check}'


def code11():
    # Zint always draws both checks, BWIPP from ten characters on.
    data = pick(DIGITS + '-', random.integers(10, 16))
    digits = [10 if c == '-' else int(c) for c in data]
    for most in (10, 9): digits.append(sum((1 + i % most) * d for i, d in enumerate(reversed(digits))) % 11)
    return ('CODE11', data), ('code11', data, {'includecheck': True}), ''.join('-' if d == 10 else str(d) for d in digits)


def pharmacode():
    data = str(random.integers(100, 131_071))
    return ('PHARMA', data), ('pharmacode', data, {}), data


def tracks():
    while True:
        value = int(random.integers(364, 64_570_081))
        rest, bars = value, set()
        while rest: rest, bar = divmod(rest - 1, 3); bars.add(bar)
        if len(bars) > 1: return ('PHARMA_TWO', str(value)), ('pharmacode2', str(value), {}), str(value)


def digits(zint, bwipp):
    data = pick(DIGITS, 2 * random.integers(3, 8))
    return (zint, data), (bwipp, data, {}), data


def han_xin():
    alphabet = [DIGITS, LETTERS, LETTERS.lower() + DIGITS + ' ./:-', '汉信码全国物品编码中心标准', 'äöüéèЖ'][random.integers(5)]
    data = pick(alphabet, int(4 * 60 ** random.random())).strip() or '1'
    level = random.integers(1, 5)
    return ('HANXIN', data, f'--secure={level}'), ('hanxin', data, {'eclevel': f'L{level}'}), data


KINDS = {'composite': composite, 'hibc': hibc, 'isbt128': isbt, 'pzn': pzn, 'code32': code32, 'msi': msi, 'code11': code11, 'pharmacode': pharmacode,
         'pharmacode2': tracks, 'matrix2of5': lambda: digits('C25STANDARD', 'matrix2of5'), 'iata2of5': lambda: digits('C25IATA', 'iata2of5'), 'hanXin': han_xin}
ASKED = 'ean13,ean8,upcA,upcE,dataBar,dataBarExpanded,dataBarLimited,code128,code39,code32,dataMatrix,qr,pdf417,microPDF417,aztec,hanXin,' \
        'msi,code11,pharmacode,pharmacode2,matrix2of5,iata2of5'


def found(symbol):
    """The kind and text of a symbol as `KINDS` names them; None for the linear code of a composite alone."""
    state = symbol.get('composite', {}).get('state')
    if state != 'joined' and (symbol.get('gs1') or symbol['symbology'] in ('ean13', 'ean8', 'upcA')): return None
    if state: return 'composite', ''.join('({identifier}){value}'.format(**element) for element in symbol.get('gs1') or [])
    return symbol.get('label', {}).get('kind', symbol['symbology']), symbol['text']


def narrowest(picture):
    """The narrowest bar of a picture."""
    step = max(1, len(picture) // 40)
    runs = [np.diff(np.flatnonzero(np.diff(row.astype(int), prepend=0))) for row in (picture < 128)[::step]]
    return float(max(2, np.concatenate(runs).min()))


def by_zint(kind, data, *options): return drawn(kind, data, 0, *options)[0]


def by_bwipp(kind, data, options):
    import treepoem
    return np.array(treepoem.generate_barcode(kind, data, options, scale=6).convert('L'))


def pictures(case, count):
    for kind, texts in KINDS.items():
        for i in range(count):
            for_zint, for_bwipp, text = texts()
            for encoder, given, draw in (('zint', for_zint, by_zint), ('BWIPP', for_bwipp, by_bwipp)):
                target = float(random.uniform(2, 6))
                try: picture = draw(*given)
                except (subprocess.CalledProcessError, RuntimeError): continue  # The encoder refuses the text.
                module = round(narrowest(picture) / 2) * 2
                picture = padded(picture, 12 * module)
                if case == 'drawn':
                    how = cv2.INTER_AREA if i % 2 else cv2.INTER_NEAREST_EXACT
                    picture = cv2.resize(picture, None, fx=target / module, fy=target / module, interpolation=how)
                else:
                    turn = random.uniform(-2, 2) / 3 if kind.startswith('pharma') else random.uniform(0, 2 * np.pi)
                    picture = camera(picture, module, target, np.radians(random.uniform(0, 30)), turn)
                    picture = noise(blur(picture * 0.8 + 20, target * random.uniform(0, 0.6)), random.uniform(0, 6))
                yield kind, encoder, picture, text, target


if __name__ == '__main__': measure(arguments(__doc__), 'rare', ('drawn', 'seen'), KINDS, pictures, ASKED, found)

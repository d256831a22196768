"""Draws photographs of pages on tables that are in use, at any size: 20 ms a picture of 320 pixels, 70 ms at 640.

`render(rng, long, empty, stock)` returns a picture (long side `long`), the page's four corners or None, and what it shows. What make_pages.py
leaves out: white paper on a white table, told by a shadow and by shading alone; piles of sheets; pens, cables, cups, fruit, telephones and hands over and
beside the page; cards with rounded corners, tickets, receipts, flyers, notebooks and open books; creases, turned-down and torn corners;
sharpening, low light and compression as telephones have them; without a page also screens, frames, tiles, doors and codes.
Lengths are shares of the picture's long side, so that a scene looks the same at every size.
Needs: pip install numpy opencv-python-headless
"""
import glob
import cv2, numpy as np

SHAPE = 17  # places a side at which a sheet's shape is known
BANK = 120  # drawn sheets that are kept to be used again


class Stock:
    """Photographs and textures, things with a mask, pages of documents: folders `photos`, `things`, `papers`; all of it in memory."""
    def __init__(self, folder):
        self.lists = {k: [i for i in (cv2.imread(p, cv2.IMREAD_UNCHANGED) for p in sorted(glob.glob(f'{folder}/{k}/*'))) if i is not None and (k != 'things' or i.ndim == 3 and i.shape[2] == 4)] if folder else [] for k in ('photos', 'things', 'papers')}

    def take(self, rng, kind): return self.lists[kind][int(rng.integers(len(self.lists[kind])))] if self.lists[kind] else None


def tone(rng, low=20, high=240, saturation=.4): return np.clip(rng.uniform(low, high) + rng.normal(0, 60 * saturation, 3), 4, 252)


def clouds(rng, h, w, coarse, fine=None):
    """Noise of deviation 1 whose largest spots are `coarse` of the long side, with finer ones of half the strength."""
    out = np.zeros((h, w), np.float32); m = max(h, w)
    for size, weight in ((coarse, 1), (fine, .5)):
        if size: out += weight * cv2.resize(rng.standard_normal((max(2, round(h / m / size) + 1), max(2, round(w / m / size) + 1))).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    return out / (out.std() + 1e-6)


def blurred(im, sigma): return cv2.GaussianBlur(im, (0, 0), sigma) if sigma > .25 else im


def texture(rng, h, w, stock):
    """A part of a photograph or of a texture, coloured, repeated, of weaker contrast; None without a stock."""
    im = stock.take(rng, 'photos')
    if im is None: return None
    im = cv2.cvtColor(im, cv2.COLOR_GRAY2BGR) if im.ndim == 2 else im[..., :3]; im = np.rot90(im, int(rng.integers(4)))
    if max(im.shape[:2]) < 400 and rng.random() < .5: im = np.tile(im, (2, 2, 1))
    if rng.random() < .35:  # seen obliquely, as tables and floors are
        k = rng.uniform(.5, 1); s = (rng.uniform(.5, 1, (4, 2)) * .4 * k * np.array(im.shape[1::-1])).astype(np.float32); e = np.float32([[0, 0], [1, 0], [1, 1], [0, 1]]) * np.float32(im.shape[1::-1]); M = cv2.getPerspectiveTransform(e + s * np.float32([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * .5, np.float32([[0, 0], [w, 0], [w, h], [0, h]])); im = cv2.warpPerspective(np.ascontiguousarray(im), M, (w, h), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT)
    else:
        zoom = max(h / im.shape[0], w / im.shape[1]) * rng.uniform(1, 1.8); im = cv2.resize(im, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR); y, x = int(rng.integers(max(1, im.shape[0] - h + 1))), int(rng.integers(max(1, im.shape[1] - w + 1))); im = im[y:y + h, x:x + w]
        if im.shape[:2] != (h, w): im = cv2.resize(im, (w, h))
    im = im.astype(np.float32)
    if rng.random() < .5: m = im.mean((0, 1)); im = m + (im - m) * rng.uniform(.1, .8)
    if rng.random() < .4: im = im.mean(2, keepdims=True) * (tone(rng, 80, 160, .4) / 120).astype(np.float32)
    return np.clip(im * rng.uniform(.5, 1.4) + rng.uniform(-20, 50), 0, 255)


def ground(rng, h, w, stock, white):
    """A table, floor, cloth or wall."""
    r = rng.random(); m = max(h, w)
    if not white and r < .5:
        im = texture(rng, h, w, stock)
        if im is not None: return blurred(im, rng.choice([0, 0, rng.uniform(.001, .006)]) * m)
    base = rng.uniform(150, 248) + rng.normal(0, 5, 3) if white else tone(rng, 15, 240, rng.uniform(0, .8)); im = np.ones((h, w, 3), np.float32) * base.astype(np.float32)
    yy, xx = np.mgrid[:h, :w].astype(np.float32) / m; a = rng.uniform(0, np.pi); u = xx * np.cos(a) + yy * np.sin(a); v = yy * np.cos(a) - xx * np.sin(a)
    kind = 'plain' if white or r < .68 else rng.choice(['wood', 'wood', 'planks', 'tiles', 'cloth', 'stripes', 'speckles', 'spots'])
    if rng.random() < .7: im += (clouds(rng, h, w, rng.uniform(.2, .8)) * rng.uniform(0, 4))[..., None]
    if kind == 'wood': s = cv2.resize(rng.standard_normal((int(rng.integers(30, 160)), int(rng.integers(2, 9)))).astype(np.float32), (2 * m, 2 * m), interpolation=cv2.INTER_CUBIC); s = cv2.warpAffine(s, cv2.getRotationMatrix2D((m, m), np.degrees(a), 1), (2 * m, 2 * m))[m // 2:m // 2 + h, m // 2:m // 2 + w]; im *= 1 + (s * rng.uniform(.02, .12))[..., None]
    if kind in ('planks', 'tiles'):
        p, q = rng.uniform(.06, .3, 2); cells = np.floor(u / p).astype(int) * 37 + (np.floor(v / q).astype(int) if kind == 'tiles' else 0); im *= (1 + rng.normal(0, rng.uniform(0, .1), 997).astype(np.float32)[cells % 997])[..., None]; gap = rng.uniform(.002, .008); joint = (u % p < gap) | ((v % q < gap) if kind == 'tiles' else False); im[joint] *= rng.uniform(.4, 1.3)
    if kind == 'cloth': f, g = rng.uniform(60, 500, 2); im *= 1 + (np.sin(u * f) * np.sin(v * g) * rng.uniform(.02, .12))[..., None]
    if kind == 'stripes': p = rng.uniform(.02, .15); im[u % p < p * rng.uniform(.2, .8)] = tone(rng, saturation=.7)
    if kind == 'speckles': im += (rng.standard_normal((h, w)).astype(np.float32) * rng.uniform(4, 20))[..., None]
    if kind == 'spots':
        for _ in range(int(rng.integers(3, 30))): cv2.circle(im, (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(rng.uniform(.01, .1) * m), tone(rng, saturation=1).tolist(), -1, cv2.LINE_AA)
    if rng.random() < .5: im += (clouds(rng, h, w, .012, .004) * rng.uniform(0, 4))[..., None]
    return im


# Sheets: pictures of at most 760 pixels a side, and how high they are for their width.

def write_text(rng, im, x0, y0, x1, y1, ink, step=None):
    """Lines of something like writing."""
    step = step or rng.uniform(9, 24); size = step * rng.uniform(.4, .6); y = y0; filled = rng.random() < .5; heavy = rng.uniform(0, .35); ink = np.asarray(ink, np.float32)
    while y + size < y1:
        if rng.random() < .07: y += step * rng.uniform(.5, 2); continue
        x = x0 + (step * 2 if rng.random() < .1 else 0); end = x1 if rng.random() < .82 else x0 + (x1 - x0) * rng.random()
        while x < end - size:
            l = min(size * rng.uniform(1, 5.5), end - x)
            if filled: cv2.rectangle(im, (int(x), int(y + size * .2)), (int(x + l), int(y + size)), (ink + (255 - ink) * (.35 + heavy)).tolist(), -1)
            for k in np.arange(x, x + l, size * .55)[:40]: cv2.line(im, (int(k), int(y + rng.uniform(0, size * .4))), (int(k + rng.uniform(0, size * .3)), int(y + size)), ink.tolist(), max(1, int(size * .16)))
            x += l + size * .6
        y += step


def barcode(rng, h, w):
    if rng.random() < .6: n = int(rng.integers(30, 100)); c = np.repeat((np.arange(n) % 2).astype(np.float32), rng.integers(1, 5, n))[None]
    else: n = int(rng.integers(15, 40)); c = rng.integers(0, 2, (n, n)).astype(np.float32)
    return cv2.resize(c, (max(1, w), max(1, h)), interpolation=cv2.INTER_NEAREST)


def blocks(rng, h, w, stock, kind):
    """A page of columns, headlines, pictures, tables."""
    paper = rng.uniform(225, 255) + rng.normal(0, 3, 3) if rng.random() < .85 else tone(rng, 90, 245, .6); im = np.ones((h, w, 3), np.float32) * paper.astype(np.float32); ink = paper * rng.uniform(.05, .5); m = int(min(h, w) * rng.uniform(.03, .13)); y = m; columns = int(rng.choice([1, 1, 2, 3])) if w > 300 and kind != 'form' else 1; gap = 12
    if kind == 'lined':
        for t in np.arange(m, h, rng.uniform(12, 30)): im[int(t)] = paper * [.98, .85, .75]
        if rng.random() < .5: write_text(rng, im, m, m, w - m, h * rng.uniform(.2, .9), ink, rng.uniform(18, 34))
        return im
    if rng.random() < .5: s = rng.uniform(24, 60); write_text(rng, im, m + rng.uniform(0, .3) * w, y, w - m, y + s, ink if rng.random() < .7 else tone(rng, 20, 160, 1), s * .9); y += int(s * 1.3)
    step = rng.uniform(9, 24)
    for c in range(columns):
        x0, x1 = m + c * (w - 2 * m) // columns, m + (c + 1) * (w - 2 * m) // columns - (gap if columns > 1 else 0); t = y
        while t < h - m - step:
            e = min(h - m, t + int(rng.uniform(40, 300))); r = rng.random()
            if r < (.5 if kind == 'magazine' else .12) and e - t > 30:
                patch = texture(rng, e - t, max(2, x1 - x0), stock) if rng.random() < .7 else None; im[t:e, x0:x1] = tone(rng, saturation=1) if patch is None else patch
            elif r < (.6 if kind == 'form' else .1):
                cv2.rectangle(im, (x0, t), (x1, e), ink.tolist(), int(rng.integers(1, 4)))
                for k in np.linspace(t, e, int(rng.integers(2, 9)))[1:-1]: cv2.line(im, (x0, int(k)), (x1, int(k)), ink.tolist(), 1)
                for k in rng.uniform(x0, x1, int(rng.integers(0, 5))): cv2.line(im, (int(k), t), (int(k), e), ink.tolist(), 1)
                write_text(rng, im, x0 + 4, t + 4, x1 - 4, e, ink, step)
            elif r < .93: write_text(rng, im, x0, t, x1, e, ink, step)
            t = e + int(step)
    if rng.random() < .06: b = int(rng.uniform(6, 40)); cv2.rectangle(im, (b, b), (w - b, h - b), ink.tolist(), int(rng.integers(1, 7)))
    return im


def flyer(rng, h, w, stock):
    """Full of colour: a picture or an even colour with blocks of it and writing on them."""
    im = texture(rng, h, w, stock) if rng.random() < .4 else None; im = np.ones((h, w, 3), np.float32) * tone(rng, 30, 240, 1).astype(np.float32) if im is None else im
    for _ in range(int(rng.integers(0, 5))):
        r = rng.random(); c = tone(rng, 20, 250, 1)
        if r < .4: k = int(rng.uniform(.08, .6) * h); cv2.rectangle(im, (0, 0 if rng.random() < .5 else h - k), (w, k if rng.random() < .5 else h), c.tolist(), -1)
        elif r < .8: x, y = int(rng.uniform(0, .7) * w), int(rng.uniform(0, .8) * h); cv2.rectangle(im, (x, y), (int(x + rng.uniform(.1, .6) * w), int(y + rng.uniform(.05, .4) * h)), c.tolist(), -1)
        else: cv2.circle(im, (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(rng.uniform(.05, .5) * w), c.tolist(), -1, cv2.LINE_AA)
    for _ in range(int(rng.integers(1, 6))): x, y = rng.uniform(.03, .5) * w, rng.uniform(.03, .85) * h; write_text(rng, im, x, y, x + rng.uniform(.2, .6) * w, min(h - 4, y + rng.uniform(.03, .3) * h), tone(rng, 0, 255, .6), rng.uniform(14, 70))
    for _ in range(int(rng.integers(0, 4))):
        p = texture(rng, 120, 160, stock); x, y = int(rng.uniform(.02, .6) * w), int(rng.uniform(.02, .7) * h); k = im[y:y + 120, x:x + 160]
        if p is not None: k[:] = p[:k.shape[0], :k.shape[1]]
    return im


def card(rng, h, w, stock):
    """An identity, bank or business card, or a ticket: pale or strong colours that change across it, a stripe, a portrait, a code."""
    strong = rng.random() < .35; a, b = (tone(rng, 30, 230, 1), tone(rng, 30, 230, 1)) if strong else (rng.uniform(190, 250) + rng.normal(0, 14, 3), rng.uniform(190, 250) + rng.normal(0, 14, 3)); t = np.linspace(0, 1, w, dtype=np.float32)[None, :, None]; im = (np.float32(a) * (1 - t) + np.float32(b) * t) * np.ones((h, 1, 1), np.float32)
    if rng.random() < .4: im += (clouds(rng, h, w, rng.uniform(.05, .4)) * rng.uniform(2, 14))[..., None] * rng.uniform(-1, 1, 3).astype(np.float32)
    if rng.random() < .3: p = texture(rng, h, w, stock); im = im if p is None else im * .7 + p * .3
    for edge in range(2):
        if rng.random() < .3: k = int(rng.uniform(.07, .25) * h); c = tone(rng, 30, 220, 1); im[(slice(0, k), slice(h - k, h))[edge]] = c
    ink = np.float32(a) * rng.uniform(.1, .4) if a.mean() > 110 else tone(rng, 180, 255, .2); m = int(.05 * h)
    if rng.random() < .5: p = texture(rng, int(.5 * h), int(.4 * h), stock); x, y = int(rng.choice([m, w - m - .4 * h])), int(rng.uniform(.1, .4) * h); p = np.ones((int(.5 * h), int(.4 * h), 3), np.float32) * tone(rng) if p is None else p; im[y:y + p.shape[0], x:x + p.shape[1]] = p[:im.shape[0] - y, :im.shape[1] - x]
    for _ in range(int(rng.integers(1, 5))): x, y = rng.uniform(.04, .6) * w, rng.uniform(.05, .7) * h; write_text(rng, im, x, y, x + rng.uniform(.15, .5) * w, y + rng.uniform(.08, .3) * h, ink, rng.uniform(.05, .14) * h)
    if rng.random() < .3: k = barcode(rng, int(.3 * h), int(.3 * h)); x, y = int(rng.uniform(.05, .7) * w), int(rng.uniform(.1, .65) * h); s = im[y:y + k.shape[0], x:x + k.shape[1]]; s *= .15 + .85 * k[:s.shape[0], :s.shape[1], None]
    return im


def draw_sheet(rng, stock):
    """An object on the desk: its picture with a fourth channel, its mask, and its kind."""
    kind = str(rng.choice(['print', 'print', 'print', 'text', 'text', 'form', 'magazine', 'lined', 'receipt', 'card', 'card', 'ticket', 'flyer', 'notebook', 'book', 'empty'])); aspect = float({'receipt': rng.uniform(1.6, 4), 'card': 1 / 1.586, 'ticket': 1 / rng.uniform(1.4, 2.6), 'notebook': rng.uniform(.7, 1.6), 'book': rng.uniform(.62, .8)}.get(kind, rng.choice([1.414, 1.294, 1.414, 1.294, 1.5, 1.2, 1 / 1.414, 1.7, 2.1]))) * rng.uniform(.96, 1.04)
    if kind == 'card' and rng.random() < .25: aspect = 1 / aspect
    h, w = (760, max(180, int(760 / aspect))) if aspect > 1 else (max(180, int(760 * aspect)), 760)
    if kind == 'print':
        im = stock.take(rng, 'papers')
        if im is None: kind = 'text'
        else: im = cv2.cvtColor(im, cv2.COLOR_GRAY2BGR) if im.ndim == 2 else im[..., :3]; im = im[:int(im.shape[0] * (rng.uniform(.6, 1) if rng.random() < .2 else 1))]; e = int(rng.uniform(0, .06) * max(im.shape[:2])); im = im[e:im.shape[0] - e or None, e:im.shape[1] - e or None].astype(np.float32) / 255 * (rng.uniform(225, 255) + rng.normal(0, 4, 3)).astype(np.float32); h, w = im.shape[:2]
    if kind in ('text', 'form', 'magazine', 'lined', 'receipt'): im = blocks(rng, h, w, stock, kind)
    if kind == 'empty': im = np.ones((h, w, 3), np.float32) * (rng.uniform(215, 255) + rng.normal(0, 4, 3) if rng.random() < .6 else tone(rng, 60, 250, .8)).astype(np.float32)
    if kind in ('card', 'ticket'): im = card(rng, h, w, stock)
    if kind == 'flyer': im = flyer(rng, h, w, stock)
    if kind == 'notebook':
        im = blocks(rng, h, w, stock, 'lined'); k = int(h * rng.uniform(.3, .7))
        if rng.random() < .6: im[k:] = flyer(rng, h - k, w, stock)
        if rng.random() < .4:
            for x in range(12, w, 24): cv2.circle(im, (x, 10), 5, (40, 40, 40), -1, cv2.LINE_AA)
    if kind == 'book':
        half = w // 2; im = np.hstack([blocks(rng, h, half, stock, rng.choice(['text', 'magazine'])), blocks(rng, h, w - half, stock, rng.choice(['text', 'magazine']))]); x = np.abs(np.arange(w) - half) / w; im[:, half:] *= im[:, :half].mean() / max(1, im[:, half:].mean()); im *= (1 - rng.uniform(.2, .6) * np.exp(-x / rng.uniform(.01, .06)))[None, :, None].astype(np.float32)
    if kind in ('text', 'print', 'empty', 'lined', 'form', 'receipt') and rng.random() < .1: im = 255 - im if rng.random() < .3 else im * (tone(rng, 120, 250, .8) / 255).astype(np.float32)
    alpha = np.ones((h, w), np.float32); r = rng.random()
    if kind in ('card', 'ticket') and r < .75 or r < .04: k = int(rng.uniform(.03, .1) * min(h, w)); alpha[:] = 0; cv2.rectangle(alpha, (k, 0), (w - 1 - k, h - 1), 1, -1); cv2.rectangle(alpha, (0, k), (w - 1, h - 1 - k), 1, -1); [cv2.circle(alpha, (x, y), k, 1, -1, cv2.LINE_AA) for x in (k, w - 1 - k) for y in (k, h - 1 - k)]
    elif r < .1: c = np.array([[0, 0], [w, 0], [w, h], [0, h]])[int(rng.integers(4))]; k = rng.uniform(.03, .14, 2) * min(h, w); s = np.sign([w / 2 - c[0], h / 2 - c[1]]); n = 9; p = c + s * np.stack([np.linspace(0, 1, n), np.linspace(1, 0, n)], 1) * k + rng.normal(0, .004 * w, (n, 2)); cv2.fillPoly(alpha, [np.vstack([c, p]).astype(np.int32)], 0)  # torn off
    elif r < .16:  # a corner turned down, its back to be seen
        c = np.array([[0, 0], [w, 0], [w, h], [0, h]])[int(rng.integers(4))]; k = rng.uniform(.05, .2) * min(h, w); s = np.sign([w / 2 - c[0], h / 2 - c[1]]); a, b = c + s * [k, 0], c + s * [0, k * rng.uniform(.7, 1.4)]; d = b - a; tip = c + 2 * (a + d * np.dot(c - a, d) / np.dot(d, d) - c); cv2.fillPoly(im, [np.int32([a, b, tip])], (np.median(im.reshape(-1, 3)[::97], 0) * rng.uniform(.8, 1)).tolist(), cv2.LINE_AA); cv2.polylines(im, [np.int32([a, tip, b])], False, (im.mean((0, 1)) * .6).tolist(), 1, cv2.LINE_AA); cv2.fillPoly(alpha, [np.int32([a, b, c])], 0)
    elif r < .19: [cv2.circle(alpha, (int(.03 * w), int(y * h)), max(3, int(.012 * w)), 0, -1, cv2.LINE_AA) for y in (.25, .75)]
    if rng.random() < .25:  # creases: the fields between them in other light
        for axis in range(2):
            if rng.random() < .7:
                n = (h, w)[axis]; at = [[.5], [.33, .67], [rng.uniform(.2, .8)]][int(rng.integers(3))]; f = np.ones(n, np.float32); level = 1
                for t in at: level *= 1 + rng.normal(0, .05); f[int(t * n):] = level; z = int(t * n); f[z:z + max(1, n // 300)] *= rng.uniform(.75, 1.1)
                im *= f[:, None, None] if axis == 0 else f[None, :, None]
    if rng.random() < .1: im *= (1 + clouds(rng, h, w, .15, .05) * rng.uniform(.01, .06))[..., None]  # crumpled
    return np.clip(np.dstack([im, alpha * 255]), 0, 255).astype(np.uint8), h / w, kind


class Painter:
    """Draws scenes; sheets are drawn once and used some times, in other light and colours."""
    def __init__(self, folder): self.stock = Stock(folder); self.bank = []

    def sheet(self, rng):
        if len(self.bank) < BANK or rng.random() < .2:
            drawn = draw_sheet(rng, self.stock)
            if len(self.bank) < BANK: self.bank.append(drawn)
            else: self.bank[int(rng.integers(BANK))] = drawn
        else: drawn = self.bank[int(rng.integers(len(self.bank)))]
        im, aspect, kind = drawn
        if rng.random() < .3: im, aspect = np.rot90(im, 2), aspect
        return im, aspect, kind


def pose(rng, h, w, aspect, z, small=False):
    """Where a sheet's places are: SHAPE × SHAPE × 2, in pixels; None where it did not come to lie whole in the picture."""
    u, v = np.meshgrid(np.linspace(-.5, .5, SHAPE), np.linspace(-.5, .5, SHAPE)); body = np.stack([u, v * aspect, -z], -1).reshape(-1, 3)
    for _ in range(60):
        f = rng.uniform(.8, 1.6) * max(h, w); tilt = rng.normal(0, .3, 2).clip(-.8, .8); spin = rng.normal(0, .3) if rng.random() < .8 else rng.uniform(-np.pi, np.pi)
        cx, sx, cy, sy, cz, sz = np.cos(tilt[0]), np.sin(tilt[0]), np.cos(tilt[1]), np.sin(tilt[1]), np.cos(spin), np.sin(spin)
        P = body @ (np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]) @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])).T
        size = (rng.uniform(.28, .6) if small else rng.uniform(.45, 1.15)) * min(h / aspect, w); q = P[:, :2] / (P[:, 2:] + f / size) * f + [w / 2, h / 2] + rng.normal(0, .14 if small else .05, 2) * [w, h]
        if (q > .006 * max(h, w)).all() and (q[:, 0] < w * .993).all() and (q[:, 1] < h * .993).all(): return q.reshape(SHAPE, SHAPE, 2).astype(np.float32)
    return None


def corners(g): return np.float32([g[0, 0], g[0, -1], g[-1, -1], g[-1, 0]])


def relief(rng, aspect):
    u, v = np.meshgrid(np.linspace(-.5, .5, SHAPE), np.linspace(-.5, .5, SHAPE)); z = np.zeros((SHAPE, SHAPE))
    if rng.random() < .6: a = rng.choice([0, np.pi / 2, rng.uniform(0, np.pi)]); t = u * np.cos(a) + v * aspect * np.sin(a) - rng.normal(0, .15); z += rng.normal(0, rng.choice([.12, .2, .4])) * t * t
    if rng.random() < .4: t, s = ((v, aspect), (u, 1))[int(rng.integers(2))]; z += rng.normal(0, rng.choice([.1, .2])) * np.abs(t - rng.choice([0, 0, rng.uniform(-.3, .3)])) * s
    if rng.random() < .3: c = rng.choice([-.5, .5], 2); d = np.maximum(0, .35 - np.hypot(u - c[0], (v - c[1]) * aspect)); z += rng.uniform(0, 1) * d * d
    if rng.random() < .3: z += cv2.resize(rng.standard_normal((4, 4)), (SHAPE, SHAPE), interpolation=cv2.INTER_CUBIC) * rng.uniform(.002, .01)
    return z


def shading(rng, z, aspect):
    n = np.stack([-np.gradient(z, axis=1) * (SHAPE - 1), -np.gradient(z, axis=0) * (SHAPE - 1) / aspect, np.ones_like(z)], -1); n /= np.linalg.norm(n, axis=-1, keepdims=True); a, e = rng.uniform(0, 6.3), rng.uniform(.3, 1.4); s = np.maximum(0, n @ np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])); k = rng.uniform(.2, .7); s = 1 - k + k * s / max(s.max(), .1); return (s / s.max()).astype(np.float32)


def lay(im, sheet, g, shade=None):
    """Draws a sheet at its places (or corners); returns where it is, 0…1."""
    h, w = im.shape[:2]; sh, sw = sheet.shape[:2]; q = corners(g) if np.ndim(g) == 3 else np.float32(g); size = max(np.linalg.norm(q[1] - q[0]), np.linalg.norm(q[2] - q[3])), max(np.linalg.norm(q[3] - q[0]), np.linalg.norm(q[2] - q[1])); k = 1.7 if shade is not None else 1.2; tw, th = max(8, int(k * size[0])), max(8, int(k * size[1]))
    s = cv2.resize(sheet, (min(tw, 2 * sw), min(th, 2 * sh)), interpolation=cv2.INTER_AREA if tw < sw else cv2.INTER_LINEAR); th, tw = s.shape[:2]
    if shade is None:
        M = cv2.getPerspectiveTransform(np.float32([[0, 0], [tw, 0], [tw, th], [0, th]]) - .5, q); got = cv2.warpPerspective(np.ascontiguousarray(s[..., :3]), M, (w, h), borderMode=cv2.BORDER_REPLICATE).astype(np.float32); a = cv2.warpPerspective(np.ascontiguousarray(s[..., 3]), M, (w, h)).astype(np.float32) / 255
        im *= (1 - a)[..., None]; im += got * a[..., None]
        return a
    my, mx = np.meshgrid(np.linspace(0, SHAPE - 1, th, dtype=np.float32), np.linspace(0, SHAPE - 1, tw, dtype=np.float32), indexing='ij'); at = cv2.remap(np.ascontiguousarray(g), mx, my, cv2.INTER_LINEAR); light = cv2.remap(shade, mx, my, cv2.INTER_LINEAR)
    x, y = np.rint(at[..., 0]).astype(np.int32), np.rint(at[..., 1]).astype(np.int32); ok = (x >= 0) & (y >= 0) & (x < w) & (y < h); i = (y * w + x)[ok]; n = np.bincount(i, minlength=h * w).astype(np.float32); a = np.bincount(i, s[..., 3][ok], h * w) / 255; got = np.stack([np.bincount(i, s[..., c][ok] * light[ok], h * w) for c in range(3)], 1) / np.maximum(n, 1)[:, None]
    a = (a / np.maximum(n, 1) * (n > 0)).reshape(h, w).astype(np.float32); m = cv2.GaussianBlur(a, (3, 3), .55); got = got.reshape(h, w, 3).astype(np.float32); rim = (n.reshape(h, w) == 0) & (m > 0)
    if rim.any(): got[rim] = (cv2.blur(got, (3, 3)) / np.maximum(cv2.blur((n.reshape(h, w) > 0).astype(np.float32), (3, 3)), 1e-3)[..., None])[rim]
    im *= (1 - m)[..., None]; im += got * m[..., None]; return m


def shadow(rng, im, mask, strength=None):
    """Darkens what is beneath and beside something that lies there: hard where it touches, soft on one side where it stands up."""
    m = max(im.shape[:2]); k = rng.uniform(.05, .4) if strength is None else strength; off = rng.normal(0, .006, 2) * m; d = cv2.warpAffine(blurred(mask, rng.uniform(.002, .02) * m), np.float32([[1, 0, off[0]], [0, 1, off[1]]]), (im.shape[1], im.shape[0])); im *= 1 - (d * k)[..., None]


def mask_of(h, w, q): m = np.zeros((h, w), np.float32); cv2.fillConvexPoly(m, np.rint(np.float32(q) * 16).astype(np.int32), 1, cv2.LINE_AA, 4); return m


def bar(rng, im, a, b, width, colour, cap=None):
    """A pen, pencil or marker: bright along its middle."""
    h, w = im.shape[:2]; m = np.zeros((h, w), np.float32); p, q = (tuple(int(t) for t in x) for x in (a, b)); cv2.line(m, p, q, 1, max(1, int(width)), cv2.LINE_AA); shadow(rng, im, m, rng.uniform(.2, .5)); cv2.line(im, p, q, colour.tolist(), max(1, int(width)), cv2.LINE_AA)
    if cap is not None: t = rng.uniform(.15, .4); c = tuple(int(t) for t in np.asarray(a) + (np.asarray(b) - a) * t); cv2.line(im, p, c, cap.tolist(), max(1, int(width)), cv2.LINE_AA)
    cv2.line(im, p, q, np.minimum(255, colour * 1.2 + 40).tolist(), max(1, int(width * .2)), cv2.LINE_AA)


def cable(rng, im, through=None):
    h, w = im.shape[:2]; m = max(h, w); n = 5; p = rng.uniform(-.1, 1.1, (n, 2)) * [w, h]
    if through is not None: p[2] = through + rng.normal(0, .03 * m, 2)
    t = np.linspace(0, n - 1, 60); c = np.stack([np.interp(t, np.arange(n), p[:, k]) for k in range(2)], 1); k = np.ones(13) / 13; c = np.stack([np.convolve(np.pad(c[:, i], 6, 'edge'), k, 'valid') for i in range(2)], 1); width = max(1, int(rng.uniform(.004, .014) * m)); colour = tone(rng, 5, 60, .1) if rng.random() < .7 else tone(rng, 180, 250, .1); s = np.zeros((h, w), np.float32); pts = [np.int32(c)]; cv2.polylines(s, pts, False, 1, width, cv2.LINE_AA); shadow(rng, im, s, rng.uniform(.2, .5)); cv2.polylines(im, pts, False, colour.tolist(), width, cv2.LINE_AA); cv2.polylines(im, pts, False, (colour * .7 + 60).tolist(), max(1, width // 4), cv2.LINE_AA)


def cup(rng, im, c, r):
    h, w = im.shape[:2]; k = rng.uniform(.6, 1); a = rng.uniform(0, 360); colour = tone(rng, 30, 245, .6); s = np.zeros((h, w), np.float32); c = tuple(int(t) for t in c); low = (c[0], int(c[1] + r * rng.uniform(.3, 1.4) * (1 - k))); cv2.ellipse(s, low, (int(r * 1.1), int(r * 1.1)), 0, 0, 360, 1, -1); shadow(rng, im, s, rng.uniform(.2, .5)); R, rk = int(r), int(r * k)
    cv2.ellipse(im, (int(c[0] + r), c[1]), (int(r * .45), int(r * .3)), a, 0, 360, colour.tolist(), max(1, int(r * .15)), cv2.LINE_AA); cv2.ellipse(im, low, (int(r * .9), int(r * .9 * k)), 0, 0, 360, (colour * .75).tolist(), -1, cv2.LINE_AA); cv2.ellipse(im, c, (R, rk), 0, 0, 360, colour.tolist(), -1, cv2.LINE_AA); cv2.ellipse(im, c, (int(r * .86), int(rk * .86)), 0, 0, 360, (tone(rng, 10, 70, .3) if rng.random() < .6 else colour * .6).tolist(), -1, cv2.LINE_AA)


def ball(rng, im, c, r):
    """Fruit."""
    h, w = im.shape[:2]; yy, xx = np.mgrid[:h, :w].astype(np.float32); d2 = ((xx - c[0]) ** 2 + (yy - c[1]) ** 2) / r ** 2; s = (d2 < 1).astype(np.float32); shadow(rng, im, s, rng.uniform(.3, .6)); L = rng.normal(0, .4, 2); z = np.sqrt(np.maximum(0, 1 - d2)); l = np.clip(.35 + .65 * (z + ((xx - c[0]) * L[0] + (yy - c[1]) * L[1]) / r), .15, 1.15); m = blurred(s, .6)[..., None]; im *= 1 - m; im += m * l[..., None] * np.array([[30, 120, 235], [40, 40, 200], [60, 190, 120], [50, 210, 240]][int(rng.integers(4))], np.float32)


def plate(rng, im, c, size, colour, stock=None, bezel=0.):
    """A telephone, mouse, stapler, keyboard, box, book: a rounded block, with something on it."""
    h, w = im.shape[:2]; b = np.float32([[-.5, -.5], [.5, -.5], [.5, .5], [-.5, .5]]) * size; a = rng.uniform(0, 6.3); R = np.float32([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]); q = b @ R + np.float32(c); k = min(size) * rng.uniform(.05, .45); inner = (b - np.sign(b) * np.float32(k)) @ R + np.float32(c); s = np.zeros((h, w), np.float32); cv2.fillConvexPoly(s, inner.astype(np.int32), 1); s2 = s.copy(); cv2.polylines(s2, [inner.astype(np.int32)], True, 1, max(1, int(2 * k)), cv2.LINE_AA); shadow(rng, im, s2, rng.uniform(.2, .5)); m = s2[..., None]; top = np.float32(colour) * np.ones((h, w, 3), np.float32); yy, xx = np.mgrid[:h, :w].astype(np.float32); d = rng.uniform(0, 6.3); top *= np.clip(1 + rng.uniform(0, .4) * (((xx - c[0]) * np.cos(d) + (yy - c[1]) * np.sin(d)) / max(size)), .5, 1.6)[..., None]; im *= 1 - m; im += top * m
    if bezel and stock is not None:
        p = texture(rng, 120, 160, stock)
        if p is not None: lay(im, np.dstack([p, np.full(p.shape[:2], 255)]).astype(np.uint8), ((q - c) * (1 - bezel) + c).astype(np.float32))


def hand(rng, im, tip, out):
    """Fingers that reach in from `out` to `tip`."""
    h, w = im.shape[:2]; m = max(h, w); skin = np.array([[105, 135, 200.], [140, 170, 225], [60, 85, 140], [40, 55, 95]][int(rng.integers(4))]) * rng.uniform(.6, 1.12); d = np.asarray(out, float) - tip; d /= max(1e-6, np.linalg.norm(d)); side = np.array([-d[1], d[0]]); size = m * rng.uniform(.014, .034); n = int(rng.integers(1, 5)); spread = rng.uniform(1.7, 2.3); s = np.zeros((h, w), np.float32); lines = []
    for k in range(n):
        t = np.asarray(tip) + side * (k - n / 2) * size * spread - d * size * rng.uniform(0, 1.5); e = t + d * m * rng.uniform(.12, .3) + side * rng.normal(0, .01) * m; lines.append((t, e))
    palm = np.mean([e for _, e in lines], 0); parts = lines + [(palm, palm + d * m)]; widths = [2 * size] * n + [max(2 * size, size * spread * n * 1.1)]
    for (a, b), k in zip(parts, widths): cv2.line(s, tuple(map(int, a)), tuple(map(int, b)), 1, max(1, int(k)), cv2.LINE_AA)
    shadow(rng, im, s, rng.uniform(.15, .5)); e = np.clip(blurred(s, size * .5), 0, 1); im *= 1 - s[..., None]; im += (s * (.72 + .28 * e))[..., None] * skin.astype(np.float32)
    if rng.random() < .5:
        for t, _ in lines: cv2.ellipse(im, tuple(map(int, t + d * size * .1)), (max(1, int(size * .5)), max(1, int(size * .35))), np.degrees(np.arctan2(d[1], d[0])), 0, 360, np.minimum(255, skin * 1.12 + 12).tolist(), -1, cv2.LINE_AA)


def clutter(rng, im, stock, count, around=None):
    """Things of a desk, anywhere or, for half of them, over the sides of what lies at `around`."""
    h, w = im.shape[:2]; m = max(h, w)
    for _ in range(count):
        c = rng.uniform(-.02, 1.02, 2) * [w, h]
        if around is not None and rng.random() < .5: i = int(rng.integers(4)); c = around[i] + (around[(i + 1) % 4] - around[i]) * rng.uniform(.1, .9); c = around.mean(0) + (c - around.mean(0)) * rng.uniform(.75, 1.15)
        kind = rng.choice(['pen', 'pen', 'pen', 'cable', 'cable', 'cup', 'fruit', 'plate', 'plate', 'thing', 'thing', 'hand', 'coin'])
        if kind == 'pen': a = rng.uniform(0, 6.3); l = rng.uniform(.04, .16) * m; d = np.array([np.cos(a), np.sin(a)]) * l; bar(rng, im, c - d, c + d, rng.uniform(.008, .028) * m, tone(rng, 10, 240, 1), tone(rng, 10, 240, .8) if rng.random() < .6 else None)
        if kind == 'cable': cable(rng, im, c)
        far = around is None or all(np.linalg.norm(c - p) > .12 * m for p in around) and cv2.pointPolygonTest(np.float32(around).reshape(-1, 1, 2), (float(c[0]), float(c[1])), True) < .03 * m
        if kind == 'cup' and far: cup(rng, im, c, rng.uniform(.04, .12) * m)
        if kind == 'fruit' and far: ball(rng, im, c, rng.uniform(.02, .07) * m)
        if kind == 'coin': cv2.circle(im, tuple(map(int, c)), max(2, int(rng.uniform(.01, .02) * m)), tone(rng, 90, 200, .2).tolist(), -1, cv2.LINE_AA)
        if kind == 'plate' and far: s = rng.uniform(.04, .2, 2) * m; plate(rng, im, c, s, tone(rng, 5, 90, .1) if rng.random() < .6 else tone(rng, saturation=.8), stock, rng.choice([0, .06]))
        if kind == 'hand': i = rng.uniform(0, 6.3); hand(rng, im, c, c + [np.cos(i), np.sin(i)])
        if kind == 'thing' and far:
            t = stock.take(rng, 'things')
            if t is not None:
                s = rng.uniform(.06, .3) * m / max(t.shape[:2]); t = np.rot90(t, int(rng.integers(4))); hw, hh = t.shape[1] * s / 2, t.shape[0] * s / 2; a = rng.uniform(0, 1.5); q = np.float32([[-hw, -hh], [hw, -hh], [hw, hh], [-hw, hh]]) @ np.float32([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + np.float32(c); lay(im, np.ascontiguousarray(t), q)


def without(rng, im, painter):
    """What has straight sides and is no page."""
    h, w = im.shape[:2]; m = max(h, w); kind = rng.choice(['scene', 'scene', 'scene', 'object', 'object', 'screen', 'frame', 'furniture', 'furniture', 'codes', 'codes', 'codes', 'near', 'near', 'bottle']); stock = painter.stock
    if kind == 'scene' and stock.lists['photos']: im[:] = texture(rng, h, w, stock)
    z = np.zeros((SHAPE, SHAPE))
    if kind == 'object':
        t = stock.take(rng, 'things')
        if t is not None: size = rng.uniform(.3, 1) * m / max(t.shape[:2]) * np.float32(t.shape[1::-1]) / 2; a = rng.uniform(-.6, .6); q = np.float32([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size @ np.float32([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + np.float32(rng.uniform(.3, .7, 2) * [w, h]); lay(im, t, q)
    if kind in ('screen', 'frame'):
        g = pose(rng, h, w, rng.uniform(.55, .8) if kind == 'screen' else rng.uniform(.6, 1.6), z)
        if g is not None:
            q = corners(g); c = q.mean(0); a = mask_of(h, w, q); shadow(rng, im, a); edge = tone(rng, 5, 60, .05) if kind == 'screen' else tone(rng, 10, 240, .6); im *= 1 - a[..., None]; im += a[..., None] * edge.astype(np.float32)
            p = texture(rng, 240, 320, stock) if rng.random() < .6 else flyer(rng, 240, 320, stock); p = np.full((240, 320, 3), 40, np.float32) if p is None else p
            if kind == 'screen' and rng.random() < .6: p = p * .4 + 20; write_text(rng, p, 20, 30, 300, 220, tone(rng, 120, 255, .3), 12); cv2.rectangle(p, (0, 0), (320, 14), (200, 200, 200), -1)
            lay(im, np.clip(np.dstack([p, np.full(p.shape[:2], 255)]), 0, 255).astype(np.uint8), ((q - c) * rng.uniform(.82, .97) + c).astype(np.float32))
            if kind == 'screen' and rng.random() < .5: foot = mask_of(h, w, np.float32([q[3] * .6 + q[2] * .4, q[3] * .4 + q[2] * .6, c + [.12 * w, h], c + [-.12 * w, h]])); im *= 1 - foot[..., None] * .8
    if kind == 'furniture':
        for _ in range(int(rng.integers(1, 6))): s = rng.uniform(.15, 1.1, 2) * m; c = rng.uniform(0, 1, 2) * [w, h]; k = int(rng.integers(2)); c[k] = [w, h][k] * rng.integers(2); q = cv2.boxPoints(((float(c[0]), float(c[1])), (float(s[0]), float(s[1])), float(rng.choice([0, rng.uniform(0, 90)])))); a = mask_of(h, w, q); shadow(rng, im, a); t = texture(rng, h, w, stock) if rng.random() < .4 else None; t = tone(rng, saturation=.5).astype(np.float32) if t is None else t; im[:] = im * (1 - a[..., None]) + a[..., None] * t
    if kind in ('codes', 'near'):
        if kind == 'near': im[:] = im * .12 + tone(rng, 150, 250, .2) * .88; write_text(rng, im, *(rng.uniform(-.1, .2, 2) * [w, h]), rng.uniform(.7, 1.1) * w, rng.uniform(.7, 1.1) * h, tone(rng, 10, 90, .2), rng.uniform(.03, .1) * m)
        for _ in range(int(rng.choice([1, 1, 2]))):
            c = barcode(rng, 200, int(rng.uniform(150, 500))); q = pose(rng, h, w, c.shape[0] / c.shape[1], z, rng.random() < .5)
            if q is not None: ink = rng.uniform(.1, .5); M = cv2.getPerspectiveTransform(np.float32([[0, 0], [c.shape[1], 0], [c.shape[1], 200], [0, 200]]), corners(q)); im *= (ink + (1 - ink) * cv2.warpPerspective(c, M, (w, h), flags=cv2.INTER_AREA, borderValue=1))[..., None]
    if kind == 'bottle': x = rng.uniform(.3, .7) * w; r = rng.uniform(.1, .25) * w; a = np.clip(1 - ((np.arange(w) - x) / r) ** 2, 0, 1).astype(np.float32)[None, :, None] ** .5; c = tone(rng, saturation=.9).astype(np.float32); y = int(rng.uniform(0, .4) * h); im[y:] = np.where(a > 0, c * (.3 + .7 * a), im[y:])
    return str(kind)


def light(rng, im):
    h, w = im.shape[:2]; m = max(h, w); yy, xx = np.mgrid[:h, :w].astype(np.float32) / m; a = rng.uniform(0, 6.3); im *= 1 + ((xx - .5) * np.cos(a) + (yy - .5) * np.sin(a))[..., None] * rng.uniform(0, .7)
    if rng.random() < .3: im *= 1 - (((xx - .5) ** 2 + (yy - .5) ** 2) * rng.uniform(.2, 1.2))[..., None]
    if rng.random() < .4:
        s = np.zeros((h, w), np.float32)
        if rng.random() < .4: d = xx * np.cos(a + 1) + yy * np.sin(a + 1); s[d > np.quantile(d[::4, ::4], rng.uniform(.3, .8))] = 1
        else: p = rng.uniform(-.3, 1.3, 2) * [w, h] + np.cumsum(rng.normal(0, .25, (6, 2)), 0) * m; cv2.fillPoly(s, [p.astype(np.int32)], 1); cv2.line(s, tuple(map(int, p[0])), tuple(map(int, p[3])), 1, max(1, int(rng.uniform(.03, .2) * m)))
        im *= 1 - (blurred(s, rng.uniform(.002, .05) * m) * rng.uniform(.1, .55))[..., None]
    if rng.random() < .2: s = np.zeros((h, w), np.float32); cv2.ellipse(s, (int(rng.uniform(0, w)), int(rng.uniform(0, h))), (max(2, int(rng.uniform(.01, .12) * m)), max(2, int(rng.uniform(.01, .12) * m))), rng.uniform(0, 180), 0, 360, 1, -1); im += (blurred(s, rng.uniform(.01, .06) * m) * rng.uniform(40, 220))[..., None]


def taken(rng, im):
    """As a telephone takes it: colour of the light, exposure, focus, noise, sharpening, compression."""
    h, w = im.shape[:2]; m = max(h, w); dark = rng.random() < .08; im = im * ((rng.uniform(.18, .5) if dark else rng.uniform(.7, 1.15)) if rng.random() < .4 else rng.uniform(165, 265) / max(25, np.percentile(im[::5, ::5], 93))) * rng.normal(1, .05, 3).astype(np.float32)
    if rng.random() < .3: g = rng.uniform(.7, 1.5); im = 255 * np.power(np.clip(im / 255, 1e-4, None), g)
    im = blurred(im, rng.choice([0, 0, rng.uniform(.0005, .0022)]) * m)
    if rng.random() < .06: k = int(max(2, rng.uniform(.004, .012) * m)); a = rng.uniform(0, 180); K = cv2.warpAffine(np.pad(np.ones((1, 2 * k + 1), np.float32), ((k, k), (0, 0))), cv2.getRotationMatrix2D((k, k), a, 1), (2 * k + 1, 2 * k + 1)); im = cv2.filter2D(im, -1, K / max(K.sum(), 1e-3))
    im = im + rng.standard_normal((h, w, 1)).astype(np.float32) * rng.uniform(0, 6 if dark else 4) + (cv2.resize(rng.standard_normal((h // 2, w // 2, 3)).astype(np.float32), (w, h)) * rng.uniform(0, 4 if dark else 2))
    if rng.random() < .5: im = im + (im - cv2.GaussianBlur(im, (0, 0), max(.8, .0015 * m))) * rng.uniform(.2, 1.4)
    im = np.clip(im, 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode('.jpg', im, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))])[1], cv2.IMREAD_COLOR) if rng.random() < .6 else im


def render(rng, long, empty, painter):
    """A picture, its page's corners or None, and what it shows."""
    h, w = [(long, long * 3 // 4), (long * 3 // 4, long), (long, long * 9 // 16), (long * 9 // 16, long)][rng.choice(4, p=[.5, .2, .2, .1])]; m = long; white = rng.random() < (.16 if not empty else .1); im = ground(rng, h, w, painter.stock, white); kind = 'white' if white else 'ground'; q = None
    if rng.random() < .25:  # furniture that extends beyond the picture
        for _ in range(int(rng.integers(1, 3))): c = rng.uniform(0, 1, 2) * [w, h]; k = int(rng.integers(2)); c[k] = [w, h][k] * rng.integers(2); s = rng.uniform(.1, .6, 2) * m; a = mask_of(h, w, cv2.boxPoints(((float(c[0]), float(c[1])), (float(s[0]), float(s[1])), float(rng.uniform(0, 90))))); shadow(rng, im, a); im[:] = im * (1 - a[..., None]) + a[..., None] * tone(rng, saturation=.6).astype(np.float32)
    busy = rng.random() < .35
    if empty:
        kind += '-' + without(rng, im, painter)
        if busy: clutter(rng, im, painter.stock, int(rng.integers(1, 6)))
    else:
        g = None; small = rng.random() < .25
        while g is None: sheet, aspect, style = painter.sheet(rng); z = relief(rng, aspect) if rng.random() < .6 and style not in ('card', 'ticket') else None; g = pose(rng, h, w, aspect, np.zeros((SHAPE, SHAPE)) if z is None else z, small)
        q = corners(g); kind += '-' + style
        white = white or rng.random() < .05
        def alike(sheet):  # as bright as what it lies on, and of its colour
            inside = mask_of(h, w, q) > .5; under = ground_there[inside].mean(0) if inside.any() else ground_there.mean((0, 1)); sheet = sheet.copy(); paper = np.percentile(sheet.reshape(-1, 4)[::53, :3].astype(np.float32), 80, axis=0); sheet[..., :3] = np.clip(sheet[..., :3] * (under / np.maximum(paper, 30) * (1 + np.clip(rng.normal(0, .05), -.1, .1))), 0, 255).astype(np.uint8); return sheet
        ground_there = im.copy() if white else im
        if rng.random() < (.4 if busy else .12):  # other papers, most of them partly in the picture or beneath
            for _ in range(int(rng.integers(1, 4))):
                s, a, _ = painter.sheet(rng); p = pose(rng, h, w, a, np.zeros((SHAPE, SHAPE)), True)
                if p is None: continue
                o = (corners(p) - corners(p).mean(0)) * rng.uniform(1, 1.8) + rng.uniform(-.15, 1.15, 2) * [w, h] if rng.random() < .6 else (q - q.mean(0)) @ cv2.getRotationMatrix2D((0, 0), rng.normal(0, 8), 1)[:, :2].T * rng.uniform(.85, 1.06) + q.mean(0) + rng.normal(0, .03 * m, 2); o = o.astype(np.float32); s = alike(s) if white and rng.random() < .8 else s; shadow(rng, im, mask_of(h, w, o)); lay(im, s, o)
        if busy: clutter(rng, im, painter.stock, int(rng.integers(0, 4)))
        if rng.random() < .07: o = ((q - q.mean(0)) * rng.uniform(1.02, 1.3) + q.mean(0) + rng.normal(0, .01 * m, (4, 2))).astype(np.float32); shadow(rng, im, mask_of(h, w, o)); a = mask_of(h, w, o)[..., None]; im[:] = im * (1 - a) + a * tone(rng, saturation=.8).astype(np.float32)  # a folder or board
        if white: sheet = alike(sheet); kind += '-alike'
        shadow(rng, im, mask_of(h, w, q), rng.uniform(.03, .3) if rng.random() < .8 else 0); lay(im, sheet, g if z is not None else q, None if z is None else shading(rng, z, aspect))
        if rng.random() < .15: t = rng.uniform(.1, .9); i = int(rng.integers(4)); p = q[i] + (q[(i + 1) % 4] - q[i]) * t; hand(rng, im, p, p + (p - q.mean(0)) + rng.normal(0, .1 * m, 2))
        if busy: clutter(rng, im, painter.stock, int(rng.integers(1, 5)), q)
    light(rng, im); im = taken(rng, im)
    if q is not None and rng.random() < .1: im, q = cut(rng, im, q)
    return im, q, kind


def cut(rng, im, q):
    """A page with one side outside the picture; its outline ends at the picture's edge."""
    k = int(rng.integers(4)); h, w = im.shape[:2]; turned, p = np.rot90(im, k), q
    for _ in range(k): p = np.stack([p[:, 1], w - 1 - p[:, 0]], 1); h, w = w, h
    low = np.sort(p[:, 1])[2]; row = int(low - rng.uniform(.02, .3) * (low - p[:, 1].min())); below = p[:, 1] > row
    if below.sum() != 2 or row < .3 * max(h, w) or below[0] == below[2]: return im, q
    new = p.copy()
    for i in np.where(below)[0]: j = (i + 1) % 4 if not below[(i + 1) % 4] else (i - 1) % 4; t = (row - 1 - p[j, 1]) / (p[i, 1] - p[j, 1]); new[i] = p[j] + (p[i] - p[j]) * t
    return turned[:row].copy(), new.astype(np.float32)

#!/usr/bin/env python3
"""Render photographs of pages whose corners are known, and pictures without a page.

  make_pages.py FOLDER [--count N] [--empty N] [--seed S] [--scale 2] [--stock STOCK] [--scenes SHARE]

Pages with text, tables, pictures, frames and headlines lie on drawn tables, planks, tiles, cloths and leaves; white on white, patterned, in
shadow, under lamps, curled, folded, with corners that stand up, held by hands, partly over other papers; without a page also codes. Everything
is drawn here, unless --stock names what `stock` has gathered: then most lie on photographs and textures, many are pages of manuals, and about
half of the pictures are everyday ones (good light, little noise). --scenes: the share that scenes.py draws instead, with things of a desk, cards and tickets.
FOLDER/truth.json is of the form {"documents": [{"image", "source", "width", "height", "corners": [[x, y] x 4] or null}]}.
Needs: pip install numpy opencv-python-headless
"""
import argparse, glob, json, os
import cv2, numpy as np
import scenes


def noise(rng, h, w, octaves, falloff=.6):
    out = np.zeros((h, w), np.float32)
    for o in octaves:
        n = rng.standard_normal((max(2, h // o + 2), max(2, w // o + 2))).astype(np.float32)
        out += cv2.resize(n, (w, h), interpolation=cv2.INTER_CUBIC) * (o / octaves[0]) ** falloff
    return out / (out.std() + 1e-6)


def color(rng, low=20, high=235, saturation=.5):
    c = rng.uniform(low, high); return np.clip(c + rng.normal(0, 1, 3) * saturation * 60, 5, 250)


class Stock:
    """Photographs for grounds, things with a mask that lie about, and pages of documents: folders `photos`, `things` and `papers`."""
    def __init__(self, folder):
        self.lists = {k: sorted(glob.glob(f'{folder}/{k}/*')) for k in ('photos', 'things', 'papers')}

    def take(self, rng, kind):
        return cv2.imread(self.lists[kind][int(rng.integers(len(self.lists[kind])))], cv2.IMREAD_UNCHANGED)


STOCK = None


def photograph(rng, h, w):
    """A part of a photograph, or a texture that repeats."""
    im = STOCK.take(rng, 'photos')
    if im.ndim == 2: im = cv2.cvtColor(im, cv2.COLOR_GRAY2BGR)
    if rng.random() < .5: im = im[:, ::-1]
    im = np.rot90(im, int(rng.integers(4)))
    if max(im.shape[:2]) < 600 and rng.random() < .4: im = np.tile(im, (2, 2, 1))
    zoom = max(h / im.shape[0], w / im.shape[1]) * rng.uniform(1, 2.2); im = cv2.resize(im, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC)
    y, x = int(rng.integers(max(1, im.shape[0] - h + 1))), int(rng.integers(max(1, im.shape[1] - w + 1))); im = im[y:y + h, x:x + w].astype(np.float32)
    if rng.random() < .4: m = im.mean((0, 1)); im = m + (im - m) * rng.uniform(.15, .9)  # weaker contrast, as floors and tables have
    if rng.random() < .3: im = im.mean(2, keepdims=True) * color(rng, 90, 140) / 115
    return np.clip(im * rng.uniform(.4, 1.3) + rng.uniform(-20, 30), 0, 255)


def things(rng, im, most):
    h, w = im.shape[:2]
    for _ in range(int(rng.integers(0, most + 1))):
        t = STOCK.take(rng, 'things'); s = rng.uniform(.1, .5) * max(h, w) / max(t.shape[:2]); t = np.rot90(cv2.resize(t, None, fx=s, fy=s, interpolation=cv2.INTER_AREA), int(rng.integers(4))); th, tw = t.shape[:2]
        x, y = int(rng.uniform(-.5 * tw, w - .5 * tw)), int(rng.uniform(-.5 * th, h - .5 * th)); x0, y0, x1, y1 = max(0, x), max(0, y), min(w, x + tw), min(h, y + th)
        if x1 <= x0 or y1 <= y0: continue
        t = t[y0 - y:y1 - y, x0 - x:x1 - x].astype(np.float32); a = t[..., 3:] / 255; im[y0:y1, x0:x1] = im[y0:y1, x0:x1] * (1 - a) + t[..., :3] * a * rng.uniform(.6, 1)


def background(rng, h, w, everyday=False):
    if STOCK and (everyday or rng.random() < .6):
        im = photograph(rng, h, w)
        if rng.random() < (.2 if everyday else .35):  # what lies or stands on it, most of it going on beyond the picture
            for _ in range(int(rng.integers(1, 4))):
                c = rng.uniform(0, 1, 2) * [w, h]; k = int(rng.integers(2)); c[k] = [w, h][k] * rng.integers(2); s = rng.uniform(.1, .9, 2) * max(h, w); b = cv2.boxPoints(((c[0], c[1]), (s[0], s[1]), rng.uniform(0, 90)))
                cover = photograph(rng, 300, 300) if rng.random() < .6 else np.ones((300, 300, 3), np.float32) * color(rng, saturation=1); place(rng, im, cover, b.astype(np.float32), 0)
        if rng.random() < (.2 if everyday else .35): things(rng, im, 3)
        if rng.random() < .3: im[:] = cv2.GaussianBlur(im, (0, 0), rng.uniform(.5, 4))
        return im, 'photo'
    kind = rng.choice(['plain', 'planks', 'tiles', 'cloth', 'leaves', 'stripes', 'white', 'blobs', 'desk', 'room', 'organic', 'organic', 'organic'])
    im = np.ones((h, w, 3), np.float32) * (color(rng) if kind != 'white' else rng.uniform(185, 245) + rng.normal(0, 4, 3))
    yy, xx = np.mgrid[:h, :w].astype(np.float32); a = rng.uniform(0, np.pi); u = xx * np.cos(a) + yy * np.sin(a); v = yy * np.cos(a) - xx * np.sin(a)
    if kind in ('plain', 'white', 'desk', 'room'): im += noise(rng, h, w, [120, 60])[..., None] * rng.uniform(0, 6) + noise(rng, h, w, [3, 2])[..., None] * rng.uniform(0, 5)
    if kind == 'planks':
        p = rng.uniform(40, 160); k = np.floor(u / p).astype(int); tone = rng.normal(0, 14, 4096)[k % 4096]
        grain = cv2.resize(noise(rng, h * 2, max(8, w // 8), [8, 3]), (2 * max(h, w), 2 * max(h, w))); grain = cv2.warpAffine(grain, cv2.getRotationMatrix2D((max(h, w), max(h, w)), -np.degrees(a), 1), (w, h), borderMode=cv2.BORDER_REFLECT)
        im += (tone + grain * rng.uniform(3, 14))[..., None]; im[(u % p) < rng.uniform(1, 4)] *= rng.uniform(.3, .9)
    if kind == 'tiles':
        p, q = rng.uniform(50, 200, 2); im += (rng.normal(0, rng.uniform(0, 12), 4096)[(np.floor(u / p) * 37 + np.floor(v / q)).astype(int) % 4096] + noise(rng, h, w, [30, 4]) * rng.uniform(1, 10))[..., None]
        im[((u % p) < 3) | ((v % q) < 3)] += rng.uniform(-60, 60)
    if kind == 'cloth': im += (np.sin(u * rng.uniform(.4, 2)) * np.sin(v * rng.uniform(.4, 2)) * rng.uniform(4, 25) + noise(rng, h, w, [80, 4]) * rng.uniform(2, 10))[..., None]
    if kind == 'leaves':
        for _ in range(500):
            c = (int(rng.uniform(0, w)), int(rng.uniform(0, h))); cv2.ellipse(im, c, (int(rng.uniform(6, 40)), int(rng.uniform(3, 18))), rng.uniform(0, 360), 0, 360, (color(rng, 20, 170, .3) * [.7, 1.1, .7]).tolist(), -1)
    if kind == 'stripes':
        p = rng.uniform(8, 60); im += ((u % p < p * rng.uniform(.2, .8)) * rng.uniform(-120, 120))[..., None]
    if kind == 'blobs':
        for _ in range(int(rng.integers(3, 40))): cv2.circle(im, (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(rng.uniform(5, 90)), color(rng, saturation=1).tolist(), -1)
    if kind == 'organic':  # hills, bushes, faces: areas without a straight edge
        for _ in range(int(rng.integers(2, 9))):
            o = int(rng.integers(20, 260)); m = noise(rng, h, w, [o, max(4, o // 4), max(2, o // 14)], rng.uniform(.3, 1)) > rng.uniform(-1, 1.6); im[m] = color(rng, saturation=rng.uniform(0, .8)) + noise(rng, h, w, [40, 6, 2])[m][:, None] * rng.uniform(1, 18)
        im[:] = cv2.GaussianBlur(im, (0, 0), rng.uniform(.4, 2))
    if kind in ('desk', 'room') or rng.random() < .25:
        for _ in range(int(rng.integers(1, 5))):  # objects with straight edges: edges of tables, books, walls, other sheets
            s = rng.uniform(.1, .9, 2) * max(h, w); c = rng.uniform(0, 1, 2) * [w, h]
            if rng.random() < .8: k = int(rng.integers(2)); c[k] = [w, h][k] * rng.integers(2)  # most go on beyond the picture
            b = cv2.boxPoints(((c[0], c[1]), (s[0], s[1]), rng.uniform(0, 90)))
            cv2.fillConvexPoly(im, b.astype(np.int32), color(rng, saturation=rng.uniform(0, 1)).tolist(), cv2.LINE_AA)
            if rng.random() < .3: cv2.polylines(im, [b.astype(np.int32)], True, color(rng).tolist(), int(rng.integers(1, 6)), cv2.LINE_AA)
    return im, kind


def page(rng, everyday=False):
    """A page of at most about 760 pixels a side, its aspect and its style."""
    if STOCK and rng.random() < (.85 if everyday else .5):
        im = STOCK.take(rng, 'papers'); im = cv2.cvtColor(im, cv2.COLOR_GRAY2BGR) if im.ndim == 2 else im; paper = np.clip(rng.uniform(205, 255) + rng.normal(0, 5, 3), 0, 255) if everyday or rng.random() < .9 else color(rng, 90, 240, .6)
        im = im.astype(np.float32) / 255; im = (im if rng.random() < .5 else im ** rng.uniform(.4, 2.5)) * paper; t = rng.uniform(.7, 1) if rng.random() < .2 else 1; im = np.ascontiguousarray(im[:int(im.shape[0] * t)])
        if rng.random() < .5: e = max(6, int(.01 * max(im.shape[:2]))); im = im[e:-e, e:-e]  # trimmed
        if rng.random() < .1: im = photograph(rng, *im.shape[:2]) * .8 + 40; b = int(rng.uniform(0, 30)); im[:b] = paper; im[len(im) - b:] = paper; im[:, :b] = paper; im[:, im.shape[1] - b:] = paper
        h, w = im.shape[:2]; s = 760 / max(h, w); im = cv2.resize(im, None, fx=s, fy=s, interpolation=cv2.INTER_AREA); return im, im.shape[0] / im.shape[1], 'print'
    aspect = rng.choice([1.414, 1.294, 1 / 1.414, 1.586, 1 / 1.586, 2.2, 3, 1.5, 1.2, 2.35]) * rng.uniform(.96, 1.04); h = int(760 * min(1, aspect)) if aspect < 1 else 760; w = int(h / aspect)
    paper = np.clip(rng.uniform(205, 255) + rng.normal(0, 5, 3), 0, 255) if rng.random() < .85 else color(rng, 60, 240, .8)
    im = np.ones((h, w, 3), np.float32) * paper; ink = paper * rng.uniform(.05, .45); m = int(min(h, w) * rng.uniform(.03, .14)); y = m; step = rng.uniform(8, 22); cols = int(rng.choice([1, 1, 2, 3])) if w > 300 else 1
    style = rng.choice(['text', 'text', 'text', 'mixed', 'form', 'sparse', 'lined', 'photo'])
    if style == 'lined':
        for yy in np.arange(m, h, step): im[int(yy)] = paper * [.98, .85, .75]
    for c in range(cols):
        x0 = m + c * (w - 2 * m) // cols; x1 = m + (c + 1) * (w - 2 * m) // cols - (8 if cols > 1 else 0); y = m * rng.uniform(.7, 1.4)
        while y < h - m - step:
            r = rng.random()
            if style in ('mixed', 'form', 'photo') and r < .08 and y < h - m - 90:
                bh = int(rng.uniform(40, min(260, h - m - y))); box = (slice(int(y), int(y) + bh), slice(x0, x1))
                if style == 'form' or rng.random() < .4:
                    cv2.rectangle(im, (x0, int(y)), (x1, int(y) + bh), ink.tolist(), int(rng.integers(1, 4)))
                    for _ in range(int(rng.integers(1, 7))): t = int(y + bh * rng.random()); cv2.line(im, (x0, t), (x1, t), ink.tolist(), 1)
                    for _ in range(int(rng.integers(0, 5))): t = int(x0 + (x1 - x0) * rng.random()); cv2.line(im, (t, int(y)), (t, int(y) + bh), ink.tolist(), 1)
                else:
                    patch = im[box]; patch[:] = color(rng, saturation=1); patch += noise(rng, *patch.shape[:2], [40, 10])[..., None] * 30
                y += bh + step; continue
            if style == 'sparse' and r < .6 or r < .06: y += step * rng.uniform(1, 4); continue
            size = step * (.45 if rng.random() < .95 else rng.uniform(.8, 2.2)); x = x0; end = x1 if rng.random() < .85 else x0 + (x1 - x0) * rng.random()
            while x < end - size:
                l = size * rng.uniform(.8, 5); l = min(l, end - x)
                n = max(1, int(l / (size * .55)))
                for k in range(n):
                    if rng.random() < .9: cv2.rectangle(im, (int(x + k * l / n), int(y + rng.uniform(0, size * .3))), (int(x + (k + .55) * l / n), int(y + size)), (ink + (paper - ink) * rng.uniform(0, .3)).tolist(), -1 if rng.random() < .5 else 1)
                x += l + size * .6
            y += max(step, size * 1.7)
    if rng.random() < .1: b = int(rng.uniform(8, 40)); cv2.rectangle(im, (b, b), (w - b, h - b), ink.tolist(), int(rng.integers(1, 7)))
    return im, aspect, style


N = 24  # places a side at which a sheet's shape is known


def relief(rng, aspect):
    """How high a sheet that is not flat stands above the table, N × N, in widths of it; and whether it has sharp folds."""
    u, v = np.meshgrid(np.linspace(-.5, .5, N), np.linspace(-.5, .5, N)); z = np.zeros((N, N)); folded = False
    if rng.random() < .5: a = rng.choice([0, np.pi / 2, rng.uniform(0, np.pi)]); t = u * np.cos(a) + v * aspect * np.sin(a) - rng.normal(0, .15); z += rng.normal(0, .22) * t * t
    if rng.random() < .45:
        folded = True
        for t, span in ((v, aspect), (u, 1)):
            if rng.random() < .6:
                for at in ([rng.choice([0, 0, rng.uniform(-.3, .3)])] if rng.random() < .7 else [-.17, .17]): z += rng.normal(0, .13) * np.abs(t - at) * span
        if rng.random() < .3: z += rng.normal(0, .2) * u * v * np.sign(u) * aspect
    if rng.random() < .3: c = rng.choice([-.5, .5], 2); d = np.maximum(0, .35 - np.hypot(u - c[0], (v - c[1]) * aspect)); z += rng.uniform(0, 1) * d * d  # a corner that stands up
    if rng.random() < .3: z += noise(rng, N, N, [12, 6]) * rng.uniform(.002, .012)
    return z, folded


def lying(rng, h, w, aspect, z=None):
    """Where the sheet's N × N places are, from a real pose: tilt, turn, distance; whole in the picture; None where it did not come to lie so."""
    u, v = np.meshgrid(np.linspace(-.5, .5, N), np.linspace(-.5, .5, N)); z = np.zeros((N, N)) if z is None else z; sheet = np.stack([u, v * aspect, -z], -1).reshape(-1, 3)
    for _ in range(100):
        f = rng.uniform(.9, 1.6) * max(h, w); tilt = rng.normal(0, .28, 2).clip(-.75, .75); spin = rng.normal(0, .35) + (np.pi / 2 if rng.random() < .1 else 0)
        cx, sx, cy, sy, cz, sz = np.cos(tilt[0]), np.sin(tilt[0]), np.cos(tilt[1]), np.sin(tilt[1]), np.cos(spin), np.sin(spin)
        R = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]) @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
        P = sheet @ R.T; size = rng.uniform(.5, 1.15) * min(h / aspect, w); q = P[:, :2] / (P[:, 2:] + f / size) * f + [w / 2, h / 2] + rng.normal(0, .05, 2) * [w, h]
        if (q[:, 0] > 3).all() and (q[:, 0] < w - 4).all() and (q[:, 1] > 3).all() and (q[:, 1] < h - 4).all(): return q.reshape(N, N, 2).astype(np.float32)
    return None


def corners(g): return np.float32([g[0, 0], g[0, -1], g[-1, -1], g[-1, 0]])


def outline(rng, h, w, aspect):
    """The corners of a flat sheet."""
    g = lying(rng, h, w, aspect); return np.float32([[.2 * w, .2 * h], [.8 * w, .2 * h], [.8 * w, .8 * h], [.2 * w, .8 * h]]) if g is None else corners(g)


def lit(rng, z, aspect):
    """How bright its places are in light from somewhere above, the brightest being 1."""
    n = np.stack([-np.gradient(z, axis=1) * (N - 1), -np.gradient(z, axis=0) * (N - 1) / aspect, np.ones_like(z)], -1); n /= np.linalg.norm(n, axis=-1, keepdims=True)
    a, e = rng.uniform(0, 6.3), rng.uniform(.25, 1.4); s = np.maximum(0, n @ np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])); k = rng.uniform(.2, .8); s = 1 - k + k * s / max(s.max(), .1); return (s / s.max()).astype(np.float32)


def flat(q):
    """The N × N places of a flat sheet with these corners."""
    u, v = np.meshgrid(np.linspace(0, 1, N), np.linspace(0, 1, N)); H = cv2.getPerspectiveTransform(np.float32([[0, 0], [1, 0], [1, 1], [0, 1]]), np.float32(q)); return cv2.perspectiveTransform(np.stack([u, v], -1).reshape(-1, 1, 2).astype(np.float32), H).reshape(N, N, 2)


def place(rng, im, sheet, g, shade=None, sharp=False):
    """Draws a sheet where its places, or its corners, are."""
    h, w = im.shape[:2]; sh, sw = sheet.shape[:2]; g = flat(g) if np.ndim(g) == 2 else g; n = N; shade = np.ones((n, n), np.float32) if shade is None or np.ndim(shade) == 0 else shade
    tx, ty = np.full((h, w), -1, np.float32), np.full((h, w), -1, np.float32); mask = np.zeros((h, w), np.float32); sd = np.ones((h, w), np.float32)
    for i in range(n - 1):
        for j in range(n - 1):
            a = np.float32([g[i, j], g[i, j + 1], g[i + 1, j + 1], g[i + 1, j]]); x0, y0 = np.floor(a.min(0)).astype(int) - 1; x1, y1 = np.ceil(a.max(0)).astype(int) + 2
            x0, y0, x1, y1 = max(0, x0), max(0, y0), min(w, x1), min(h, y1)
            if x1 <= x0 or y1 <= y0: continue
            M = cv2.getPerspectiveTransform(a, np.float32([[j, i], [j + 1, i], [j + 1, i + 1], [j, i + 1]])); X, Y = np.meshgrid(np.arange(x0, x1), np.arange(y0, y1)); d = M[2, 0] * X + M[2, 1] * Y + M[2, 2]
            U, V = (M[0, 0] * X + M[0, 1] * Y + M[0, 2]) / d, (M[1, 0] * X + M[1, 1] * Y + M[1, 2]) / d; ok = (U >= j - 1e-3) & (U <= j + 1.001) & (V >= i - 1e-3) & (V <= i + 1.001)
            tx[y0:y1, x0:x1][ok] = U[ok] / (n - 1) * (sw - 1); ty[y0:y1, x0:x1][ok] = V[ok] / (n - 1) * (sh - 1); mask[y0:y1, x0:x1][ok] = 1; sd[y0:y1, x0:x1][ok] = shade[i, j]
    got = cv2.remap(sheet, tx, ty, cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE) * cv2.GaussianBlur(sd, (9, 9), 3 if not sharp else .9)[..., None]
    drop = cv2.GaussianBlur(mask, (0, 0), rng.uniform(1.5, 9)); off = rng.normal(0, 3, 2); drop = cv2.warpAffine(drop, np.float32([[1, 0, off[0]], [0, 1, off[1]]]), (w, h)); im *= 1 - (drop * rng.uniform(.05, .4))[..., None]
    m = cv2.GaussianBlur(mask, (3, 3), .6)[..., None]; im[:] = im * (1 - m) + got * m
    return mask


def fingers(rng, im, q):
    side = int(rng.integers(4)); a, b = q[side], q[(side + 1) % 4]; t = rng.uniform(.05, .95); p = a + (b - a) * t; out = p - q.mean(0); out /= np.linalg.norm(out); skin = np.array([110, 140, 200.]) * rng.uniform(.5, 1.15); h, w = im.shape[:2]; size = max(h, w) * rng.uniform(.012, .03)
    for k in range(int(rng.integers(1, 4))):
        s = p + (b - a) / np.linalg.norm(b - a) * k * size * 2.1; e = s + out * max(h, w) * rng.uniform(.1, .5); tip = s - out * size * rng.uniform(.2, 2.5); cv2.line(im, tuple(map(int, tip)), tuple(map(int, e)), (skin * rng.uniform(.9, 1.1)).tolist(), int(size * 2), cv2.LINE_AA)
    if rng.random() < .7: e = p + out * max(h, w) * .2; cv2.ellipse(im, tuple(map(int, e)), (int(size * 5), int(size * 4)), 0, 0, 360, skin.tolist(), -1, cv2.LINE_AA)


def codes(rng, im):
    """Bars or modules printed on what the picture shows: they have straight outlines, and are not page."""
    h, w = im.shape[:2]; ink = rng.uniform(.08, .5)
    if rng.random() < .8: im[:] = im * .15 + color(rng, 150, 250, .2) * .85  # from near by, on paper or a label that fills the picture
    for _ in range(int(rng.choice([1, 1, 1, 2]))):
        if rng.random() < .65: n = int(rng.integers(30, 110)); c = np.repeat((np.arange(n) % 2).astype(np.float32), rng.integers(1, 5, n))[None]; c = np.repeat(c, max(2, int(c.shape[1] * rng.uniform(.2, .8))), 0)
        else: n = int(rng.integers(10, 40)); c = rng.integers(0, 2, (n, n)).astype(np.float32)
        c = cv2.resize(c, None, fx=(k := 400 / max(c.shape)), fy=k, interpolation=cv2.INTER_NEAREST); c = ink + (1 - ink) * c; q = outline(rng, h, w, c.shape[0] / c.shape[1]); q = ((q - q.mean(0)) * rng.uniform(.4, 1.5) + q.mean(0)).astype(np.float32)
        M = cv2.getPerspectiveTransform(np.float32([[0, 0], [c.shape[1], 0], [c.shape[1], c.shape[0]], [0, c.shape[0]]]), q); im *= cv2.warpPerspective(c, M, (w, h), flags=cv2.INTER_AREA, borderValue=1)[..., None]


def light(rng, im, everyday=False):
    h, w = im.shape[:2]; yy, xx = np.mgrid[:h, :w].astype(np.float32) / max(h, w); a = rng.uniform(0, 6.3); s = (xx * np.cos(a) + yy * np.sin(a)) * rng.uniform(0, .5); im *= (1 - s + s.mean())[..., None]
    if rng.random() < .4:  # a shadow with a soft or hard edge, straight or of a hand's shape
        m = np.zeros((h, w), np.float32)
        if rng.random() < .5: d = xx * np.cos(a + 1) + yy * np.sin(a + 1); m[d > np.quantile(d, rng.uniform(.3, .8))] = 1
        else: cv2.fillPoly(m, [(rng.uniform(-.2, 1.2, (5, 2)) * [w, h]).astype(np.int32)], 1)
        im *= 1 - (cv2.GaussianBlur(m, (0, 0), rng.uniform(.7, 25)) * rng.uniform(.1, .5))[..., None]
    if rng.random() < .15: cv2.circle(g := np.zeros((h, w), np.float32), (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(rng.uniform(10, 70)), 1, -1); im += (cv2.GaussianBlur(g, (0, 0), rng.uniform(5, 40)) * rng.uniform(40, 200))[..., None]
    im *= rng.uniform(.7 if everyday else .45, 1.1) * rng.normal(1, .04, 3); blur = rng.uniform(0, .8 if everyday else 1.6)
    if blur > .4: im[:] = cv2.GaussianBlur(im, (0, 0), blur)
    im += rng.standard_normal(im.shape) * rng.uniform(0, 3 if everyday else 7); return np.clip(im, 0, 255).astype(np.uint8)


def turned(q, k, h, w):
    for _ in range(k): q = np.stack([q[:, 1], w - 1 - q[:, 0]], 1); h, w = w, h
    return q.astype(np.float32)


def render(rng, empty, scale=1):
    h, w = (640 * scale, 480 * scale) if rng.random() < .75 else (480 * scale, 640 * scale); everyday = STOCK and rng.random() < .55; im, kind = background(rng, h, w, everyday); q = None
    if rng.random() < (.07 if everyday else .2):
        s, a, _ = page(rng); place(rng, im, s * (color(rng, saturation=1) / 255), outline(rng, h, w, a) + np.float32(rng.choice([-1, 1], 2) * rng.uniform(.7, 1.1, 2) * [w, h]))
    g = None
    while not empty and g is None:
        sheet, aspect, style = page(rng, everyday); z, folded = relief(rng, aspect) if rng.random() < .6 else (np.zeros((N, N)), False); g = lying(rng, h, w, aspect, z)
    if not empty:
        q = corners(g)
        if kind == 'white' and rng.random() < .5: sheet = np.clip(sheet * rng.uniform(.9, 1.06), 0, 255)
        if rng.random() < .15:  # a book, folder or sheet beneath
            d = rng.normal(0, 6, (4, 2)) + (q - q.mean(0)) * rng.uniform(.0, .25); place(rng, im, np.ones((60, 60, 3), np.float32) * color(rng, saturation=1) if not STOCK or rng.random() < .5 else photograph(rng, 300, 300), (q + d).astype(np.float32))
        if STOCK and rng.random() < .12: d = rng.normal(0, .3, 2) * [w, h]; place(rng, im, photograph(rng, 300, 300), (q + d).astype(np.float32))
        place(rng, im, sheet, g, lit(rng, z, aspect), folded)
        if rng.random() < .3: fingers(rng, im, q)
        kind += '-' + style
    elif rng.random() < .25: codes(rng, im)
    elif rng.random() < .4: fingers(rng, im, np.float32([[.3 * w, .3 * h], [.7 * w, .3 * h], [.7 * w, .7 * h], [.3 * w, .7 * h]]))
    im = light(rng, im, everyday)
    if q is not None and rng.random() < .1:  # one side beyond the picture: there it ends with the picture
        im, q = np.rot90(im, k := int(rng.integers(4))).copy(), turned(q, k, h, w); low = np.sort(q[:, 1])[2]; cut = int(low - rng.uniform(.02, .3) * (low - q[:, 1].min())); o = np.argsort(np.arctan2(*(q - q.mean(0)).T[::-1])); q = q[o]
        below = q[:, 1] > cut
        if below.sum() == 2 and cut > 200 * scale:
            new = q.copy()
            for i in np.where(below)[0]:
                j = (i + 1) % 4 if not below[(i + 1) % 4] else (i - 1) % 4; t = (cut - 1 - q[j, 1]) / (q[i, 1] - q[j, 1]); new[i] = q[j] + (q[i] - q[j]) * t
            im, q = im[:cut].copy(), new
        return im, q, kind
    return im, q, kind


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('folder'); a.add_argument('--count', type=int, default=200); a.add_argument('--empty', type=int, default=60); a.add_argument('--seed', type=int, default=1); a.add_argument('--scale', type=int, default=1, help='times 640 × 480'); a.add_argument('--stock'); a.add_argument('--scenes', type=float, default=0, help='share of the pictures, 0 to 1'); a = a.parse_args(); os.makedirs(a.folder, exist_ok=True); out = []
    global STOCK; STOCK = Stock(a.stock) if a.stock else None
    painter = scenes.Painter(a.stock) if a.scenes else None
    for i in range(a.count + a.empty):
        rng = np.random.default_rng([a.seed, i]); im, q, kind = scenes.render(rng, 640 * a.scale, i >= a.count, painter) if painter and rng.random() < a.scenes else render(rng, i >= a.count, a.scale); name = f'{i:04}.jpg'; cv2.imwrite(f'{a.folder}/{name}', im, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))])
        out.append(dict(image=name, source=kind, width=im.shape[1], height=im.shape[0], corners=None if q is None else [[round(float(x), 2), round(float(y), 2)] for x, y in q]))
    json.dump(dict(documents=out), open(a.folder + '/truth.json', 'w'), indent=1)


if __name__ == '__main__': main()

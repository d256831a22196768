"""Renders lines of text as a camera or scanner sees them: gray pictures of height 32, in the contrast that the network gets."""

import glob
import json
import math
import os
import random
import resource

import cv2
import numpy as np
from PIL import ImageFont

import shapes
from network import HEIGHT
from texts import Texts

KINDS = dict(receipt=0.26, sign=0.42, expiry=0.08, dots=0.05, display=0.05, plate=0.06, zone=0.06, mixed=0.02)
WIDEST = 512


def stretch(gray):
    """Spreads the grays between the 1st and the 99th percentile over 10 … 245, as the reader does before it asks the network."""
    ranked = np.sort(gray, axis=None)
    low, high = float(ranked[int(0.01 * (ranked.size - 1))]), float(ranked[int(0.99 * (ranked.size - 1))])
    if high - low < 24:
        low, high = (low + high) / 2 - 12, (low + high) / 2 + 12
    return np.clip(np.rint(10 + 235 * (gray.astype(np.float32) - low) / (high - low)), 0, 255).astype(np.uint8)


class Renderer:
    """Renders samples; one a process, its own seed."""

    def __init__(self, stock, seed, held_out=False):
        self.r, self.n = random.Random(seed), np.random.default_rng(seed)
        self.texts = Texts(self.r, stock + '/words')
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
        with open(stock + '/fonts/faces.json', encoding='utf8') as file:
            faces = json.load(file)
        families = {}
        for number, (name, have) in enumerate(sorted(faces.items())):
            special = 'DSEG' in name or 'ocr' in name.lower()
            if special or (number % 20 == 0) == held_out:  # every twentieth face is kept for measuring
                families.setdefault('dseg' if 'DSEG' in name else os.path.dirname(name), []).append((f'{stock}/fonts/{name}', set(have)))
        self.segments = families.pop('dseg')
        self.zones = [f for k, v in families.items() if 'ocr' in k.lower() for f in v if 'OCRB' in os.path.basename(f[0])]
        self.families = list(families.values())
        self.weights = [min(len(v), 10) for v in self.families]
        mono = ('mono', 'courier', 'ocr', 'cour', 'typewriter', 'code', 'hack', 'inconsolata', 'anonymous', 'agave', 'hermit', '3270', 'terminus', 'glasstty', 'sans')
        plain = [f for k, v in families.items() for f in v if any(m in os.path.basename(f[0]).lower() for m in mono) and 'aenigma' not in k]
        self.mono = plain
        narrow = ('cond', 'narrow', 'din', 'roadgeek', 'bebas', 'gothic', 'yanone', 'roboto', 'bold', 'oswald', 'railway', 'league')
        self.plates = [f for k, v in families.items() for f in v if any(m in os.path.basename(f[0]).lower() for m in narrow) and 'aenigma' not in k]
        names = sorted(glob.glob(stock + '/textures/*.jpg'))
        self.textures = [cv2.imread(p, cv2.IMREAD_GRAYSCALE) for p in self.r.sample(names, min(220, len(names)))]
        self.fonts, self.last = {}, None

    def font(self, path, size):
        key = path, size
        if key not in self.fonts:
            if len(self.fonts) > 1500:
                self.fonts.clear()
            self.fonts[key] = ImageFont.truetype(path, size)
        return self.fonts[key]

    def face(self, text, pool=None):
        for _ in range(12):
            path, have = self.r.choice(pool) if pool else self.r.choice(self.r.choices(self.families, self.weights)[0])
            if set(text) <= have:
                return path
        return None

    # Letters

    def drawn(self, text, path, size, spacing=0.0):
        """Gives the ink of a text, 0 … 255, cropped to it."""
        font = self.font(path, size)
        if not spacing:
            mask = font.getmask(text, 'L')
            ink = np.array(mask, np.uint8).reshape(mask.size[1], mask.size[0])
        else:
            ascent, descent = font.getmetrics()
            parts, x = [], 0.0
            for c in text:
                mask, (ox, oy) = font.getmask2(c, 'L')
                parts.append((int(x) + ox, oy, np.array(mask, np.uint8).reshape(mask.size[1], mask.size[0])))
                x += font.getlength(c) + spacing * size
            left = min(p[0] for p in parts)
            wide = max(p[0] + p[2].shape[1] for p in parts) - left
            top = min(p[1] for p in parts)
            tall = max(p[1] + p[2].shape[0] for p in parts) - top
            if wide < 1 or tall < 1:
                return None
            ink = np.zeros((tall, wide), np.uint8)
            for px, py, m in parts:
                if m.size:
                    view = ink[py - top:py - top + m.shape[0], px - left:px - left + m.shape[1]]
                    np.maximum(view, m, out=view)
        if ink.size == 0 or ink.shape[0] < 3:
            return None
        rows, columns = np.flatnonzero(ink.max(1) > 40), np.flatnonzero(ink.max(0) > 40)
        return ink[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1] if len(rows) and len(columns) else None

    def dotted(self, text):
        """Draws a text of single dots, as a matrix printer, an inkjet coder or a board of lamps does."""
        r = self.r
        dots = shapes.printed(r, text) if r.random() < 0.6 else None
        if dots is None:
            path = self.face(text, self.mono)
            ink = path and self.drawn(text, path, r.choice([9, 10, 11, 12, 14, 16, 18]), r.choice([0, 0.08, 0.15]))
            if ink is None:
                return None
            dots = (ink > r.choice([90, 110, 130])).astype(np.uint8)
        pitch = max(2, round(r.uniform(30, 40) / dots.shape[0]))
        wide = max(2, round(pitch * r.choice([0.7, 0.85, 1, 1, 1, 1.2, 1.4])))
        h, w = dots.shape[0] * pitch, dots.shape[1] * wide
        radius = r.uniform(0.32, 0.75)
        y, x = np.mgrid[0:pitch, 0:wide].astype(np.float32)
        cell = np.clip((radius - np.hypot((y + 0.5) / pitch - 0.5, (x + 0.5) / wide - 0.5)) * pitch + 0.5, 0, 1) * 255
        strength = dots.astype(np.float32)
        if r.random() < 0.5:
            strength *= self.n.uniform(r.uniform(0.3, 0.9), 1, dots.shape).astype(np.float32)
        if r.random() < 0.15:
            strength *= self.n.random(dots.shape) > 0.05
        if r.random() < 0.15 and dots.shape[0] < 12:
            strength[r.randrange(dots.shape[0])] *= r.uniform(0, 0.5)  # a worn pin
        ink = np.kron(strength, cell).astype(np.uint8)
        if r.random() < 0.3:  # rows that do not start at one place
            shift = self.n.normal(0, pitch * 0.2, dots.shape[0])
            shift = np.repeat(shift, pitch)[:h]
            yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
            ink = cv2.remap(ink, xx + shift[:, None].astype(np.float32), yy, cv2.INTER_LINEAR)
        if r.random() < 0.4:
            ink = cv2.GaussianBlur(ink, (0, 0), pitch * r.uniform(0.15, 0.4))
            ink = cv2.convertScaleAbs(ink, alpha=255 / max(60, int(ink.max())))
        return ink

    def segment(self, text):
        """Draws figures of seven segments, by a font or by hand, with those that are dark faintly seen."""
        r = self.r
        pool = [f for f in self.segments if ('DSEG14' in f[0]) == (r.random() < 0.12)]
        path, have = r.choice(pool)
        if not set(text) <= have:
            return None
        size, spacing = r.choice([28, 36, 44]), r.choice([0, 0, 0.001, 0.05, 0.12])
        font = self.font(path, size)
        ghost = ''.join('8' if c.isdigit() else c for c in text)
        mask, (ox, oy) = font.getmask2(text, 'L')
        ink = np.array(mask, np.uint8).reshape(mask.size[1], mask.size[0])
        faint = 0.0 if r.random() < 0.5 else r.uniform(0.03, 0.3)
        if faint:
            more, (gx, gy) = font.getmask2(ghost, 'L')
            back = np.array(more, np.uint8).reshape(more.size[1], more.size[0])
            left, up = min(ox, gx), min(oy, gy)
            canvas = np.zeros((max(oy + ink.shape[0], gy + back.shape[0]) - up, max(ox + ink.shape[1], gx + back.shape[1]) - left), np.uint8)
            canvas[gy - up:gy - up + back.shape[0], gx - left:gx - left + back.shape[1]] = (back * faint).astype(np.uint8)
            view = canvas[oy - up:oy - up + ink.shape[0], ox - left:ox - left + ink.shape[1]]
            np.maximum(view, ink, out=view)
            ink = canvas
        rows, columns = np.flatnonzero(ink.max(1) > 5), np.flatnonzero(ink.max(0) > 5)
        if not len(rows):
            return None
        ink = ink[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]
        if r.random() < 0.4:
            ink = cv2.dilate(ink, np.ones((r.choice([1, 2]), r.choice([1, 2])), np.uint8))
        if spacing and r.random() < 0.3:
            ink = cv2.resize(ink, None, fx=1 + spacing * 3, fy=1)
        return ink

    def ink_of(self, kind):
        """Gives the text of a kind and its ink."""
        r, t = self.r, self.texts
        dotted = kind == 'dots' or kind == 'receipt' and r.random() < 0.08 or kind == 'expiry' and r.random() < 0.45
        text = dict(receipt=t.receipt, sign=t.sign, expiry=t.expiry, display=t.display, plate=t.plate, zone=t.zone, mixed=t.random_string,
                    dots=r.choice([t.expiry, t.receipt, t.code, t.receipt, t.plate, t.expiry]))[kind]()
        if kind == 'zone':
            most = r.choice([6, 10, 14, 18, 22, 26, 30])
            if len(text) > most:
                at = r.randint(0, len(text) - most)
                text = text[at:at + most]
        text = text.strip()
        if not text:
            return None
        if dotted:
            ink = self.dotted(text)
        elif kind == 'display':
            ink = self.segment(text)
        else:
            pool = self.zones if kind == 'zone' and r.random() < 0.85 else self.plates if kind == 'plate' and r.random() < 0.7 else self.mono if kind in ('receipt', 'expiry', 'zone') and r.random() < 0.6 else None
            path = self.face(text, pool) or self.face(text)
            if path is None:
                return None
            x = r.random()
            spacing = 0.0 if x < 0.62 else r.uniform(-0.04, 0.12) if x < 0.85 else r.uniform(0.1, 0.5)
            ink = self.drawn(text, path, r.choice([30, 38]), 0.0 if kind == 'zone' and x < 0.9 else spacing)
        if ink is None:
            return None
        return text, ink

    # Surfaces

    def surface(self, height, width):
        """Gives a piece of a texture or a plain gray one, mean 0."""
        r = self.r
        if r.random() < 0.45:
            return np.zeros((height, width), np.float32)
        image = r.choice(self.textures)
        scale = r.choice([0.3, 0.6, 1, 1, 2, 4])
        h, w = min(512, max(4, int(height * scale))), min(512, max(4, int(width * scale)))
        y, x = r.randint(0, 512 - h), r.randint(0, 512 - w)
        piece = cv2.resize(image[y:y + h, x:x + w], (width, height), interpolation=cv2.INTER_AREA if scale > 1 else cv2.INTER_LINEAR).astype(np.float32)
        return piece - piece.mean()

    def sample(self, kind=None):
        """Gives a picture, 32 x a multiple of 16, and its text."""
        while True:
            chosen = kind or self.r.choices(list(KINDS), list(KINDS.values()))[0]
            made = self.ink_of(chosen)
            made = made and self.pictured(chosen, *made)
            if made:
                return made

    def pictured(self, kind, text, ink):
        r = self.r
        scan = kind in ('receipt', 'zone') and r.random() < 0.7
        easy = r.random() < 0.5  # half of the lines are as most are; the rest shows what can go wrong
        # Shape of the letters: heavier, lighter, hollow
        x = r.random()
        if x < 0.12:
            ink = cv2.dilate(ink, np.ones((2, 2), np.uint8))
        elif x < 0.17 and kind != 'dots':
            ink = cv2.erode(ink, np.ones((2, 1) if r.random() < 0.5 else (1, 2), np.uint8))
        elif x < 0.21 and kind == 'sign':
            ink = cv2.morphologyEx(np.pad(ink, 2), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        elif x < 0.24 and kind in ('sign', 'plate', 'expiry'):  # stencil: bridges across the letters
            ink = ink.copy()
            at = int(ink.shape[0] * r.uniform(0.3, 0.65))
            ink[at:at + max(1, ink.shape[0] // 14)] = 0
        h, w = ink.shape
        # Where the ink lies in the line, in parts of the line's height
        tall = HEIGHT * min(1.08, max(0.42, r.gauss(0.76, 0.1)))
        widen = math.exp(r.gauss(-0.1, 0.2)) if r.random() < 0.85 else r.uniform(0.55, 1.5)
        scale = tall / h
        lead, trail = (HEIGHT * abs(r.gauss(0.18, 0.16)) for _ in range(2))
        wide = w * scale * widen
        width = lead + wide + trail
        target = max(32, 16 * round(width / 16))
        if target > WIDEST or wide < 3 or wide / len(text) < (2.6 if len(text) > 3 else 2):
            return None
        widen *= target / width
        lead, trail, wide = (v * target / width for v in (lead, trail, wide))
        top = (HEIGHT - tall) / 2 + r.gauss(0, 1.2)
        # One map from the line to the ink: slope, slant, curve, perspective
        steep = 0.35 if scan else 1
        slope = math.tan(math.radians(max(-14, min(14, r.gauss(0, 2.5) if r.random() < 0.85 else r.gauss(0, 7))))) * steep
        slope = max(-9 / max(wide, 9), min(9 / max(wide, 9), slope)) if wide > 40 else slope
        slant = r.gauss(0, 0.06) if r.random() < 0.7 else r.gauss(0, 0.25)
        slant *= steep
        curve = (r.gauss(0, 2.2) if r.random() < 0.25 else 0.0) * steep
        bent = kind == 'sign' and r.random() < 0.2  # a word seen from the side, on a bottle or along an arc
        if bent and r.random() < 0.5:
            slope = math.copysign(min(math.tan(math.radians(r.uniform(5, 28))), 22 / max(wide, 22)), r.random() - 0.5)
        elif bent:
            curve = r.choice([-1, 1]) * r.uniform(3, 11)
        grow = r.gauss(0, 0.1) * steep if r.random() < 0.5 else 0.0  # one end is nearer
        reach = abs(slope) * wide / 2 + abs(curve) * 0.6 + abs(grow) * tall * 0.3
        shrink = max(0.42 if bent else 0.55, (HEIGHT * 1.04 - 2 * reach) / HEIGHT) if reach > 2 else 1.0
        yy, xx = np.mgrid[0:HEIGHT, 0:target].astype(np.float32)
        u = (xx - lead - wide / 2) / max(wide / 2, 1)
        v = (yy - HEIGHT / 2 - slope * (xx - lead - wide / 2) - curve * (u * u - 0.4)) / shrink
        v = v / (1 + grow * u) if grow else v
        sy = (v + HEIGHT / 2 - top) / scale
        sx = (xx - lead + slant * v) / (scale * widen)
        if self.r.random() < 0.2:
            sy = sy + r.gauss(0, 0.6) * np.sin(xx * r.uniform(0.02, 0.15) + r.uniform(0, 6)).astype(np.float32) / scale
        margin = 3 if r.random() < 0.75 else int(h * 0.9)
        canvas = np.zeros((h + 2 * margin, w + 2 * h), np.uint8)
        canvas[margin:margin + h, h:h + w] = ink
        if margin > 3:  # what stands on the lines above and below, or a rule
            for above in (True, False):
                gap = int(h * r.uniform(0.12, 0.6))
                x = r.random()
                if x < 0.4 and self.last is not None:
                    other = self.last
                    room = margin - gap
                    if room > 2:
                        part = (other[-room:] if above else other[:room])[:, :canvas.shape[1]]
                        at = r.randint(0, max(0, canvas.shape[1] - part.shape[1]))
                        y0 = margin - gap - part.shape[0] if above else margin + h + gap
                        canvas[y0:y0 + part.shape[0], at:at + part.shape[1]] = part
                elif x < 0.6:
                    y0 = margin - gap if above else margin + h + gap
                    canvas[y0:y0 + r.randint(1, max(2, h // 8)), :] = 255
            if r.random() < 0.15:
                at = r.choice([h // 2, h + w + h // 2])
                canvas[:, at:at + r.randint(1, 5)] = 255
        self.last = ink
        blur = max(0.0, 1 / scale / shrink - 0.9) * 0.45
        if blur > 0.2:
            canvas = cv2.GaussianBlur(canvas, (0, 0), blur)
        a = cv2.remap(canvas, sx + h, sy + margin, cv2.INTER_LINEAR).astype(np.float32) / 255
        # Ink on the surface
        x = r.random()
        plain = scan or x < 0.3
        dark = r.random() < (0.95 if scan or kind == 'zone' else 0.62)
        contrast = r.uniform(60, 220) if plain or easy or r.random() < 0.6 else r.uniform(14, 70)
        texture = self.surface(HEIGHT, target)
        texture *= min(1, (r.uniform(0, 0.1) if plain else abs(r.gauss(0, 0.1 if easy else 0.3))) * contrast / (float(texture.std()) + 4))
        base = r.uniform(128, 250) if dark else r.uniform(5, 128)
        sign = -1 if dark else 1
        if scan and r.random() < 0.6:  # thermal print: worn in places
            patch = cv2.resize(self.n.random((3, max(2, target // 24))).astype(np.float32), (target, HEIGHT), interpolation=cv2.INTER_LINEAR)
            a = a * (1 - r.uniform(0, 0.3 if easy else 0.7) * patch)
        if not easy and r.random() < 0.2:  # ink that is torn or speckled
            fine = self.n.random((HEIGHT, target)).astype(np.float32)
            a = a * (fine > r.uniform(0.05, 0.35))
        x = r.random()
        style = 'flat' if scan or easy and x < 0.92 or kind in ('display', 'zone') or x < 0.78 else 'relief' if x < 0.87 else 'shadow' if x < 0.95 else 'edge'
        if style == 'relief':  # engraved or embossed: only the flanks are seen
            soft = cv2.GaussianBlur(a, (0, 0), r.uniform(0.5, 1.0))
            angle = r.uniform(0, 2 * math.pi)
            dy, dx = np.gradient(soft)
            picture = base + texture + contrast * 1.6 * (math.cos(angle) * dx + math.sin(angle) * dy) + sign * contrast * r.choice([0, 0.15, 0.3]) * a
        else:
            picture = base + texture
            if style == 'shadow':
                shift = np.float32([[1, 0, r.choice([-2, -1, 1, 2])], [0, 1, r.choice([-1, 1, 2])]])
                shade = cv2.warpAffine(a, shift, (target, HEIGHT))
                if r.random() < 0.5:
                    shade = cv2.GaussianBlur(shade, (0, 0), 1.0)
                picture = picture - sign * contrast * r.uniform(0.2, 0.6) * shade
            elif style == 'edge':
                rim = cv2.dilate(a, np.ones((3, 3), np.uint8))
                picture = picture - sign * contrast * r.uniform(0.3, 0.8) * rim
            if r.random() < 0.2 and not scan:  # letters of uneven colour
                sheet = self.surface(HEIGHT, target)
                tone = base + sign * contrast + sheet * min(1, 0.2 * contrast / (float(sheet.std()) + 4))
            else:
                tone = base + sign * contrast
            picture = picture * (1 - a) + tone * a
        # Light
        if r.random() < 0.45:
            ramp = np.linspace(-1, 1, target, dtype=np.float32)[None] * r.gauss(0, 0.18) + np.linspace(-1, 1, HEIGHT, dtype=np.float32)[:, None] * r.gauss(0, 0.12)
            picture = picture * (1 + ramp)
        if r.random() < 0.2 and not scan and not easy:
            centre, spread = r.uniform(0, target), r.uniform(6, 50)
            glare = np.exp(-(((xx - centre) / spread) ** 2 + ((yy - r.uniform(0, HEIGHT)) / r.uniform(6, 30)) ** 2))
            picture = picture + glare * r.uniform(20, 150)
        if r.random() < 0.14 and not scan and not easy:  # the edge of a shadow or of another surface
            edge = np.clip((xx - r.uniform(0, target)) * r.choice([-1, 1]) + (yy - 16) * r.gauss(0, 0.7), 0, r.choice([1, 4, 10]))
            picture = picture * (1 - r.uniform(0.1, 0.6) * edge / max(edge.max(), 1))
        # Camera: small picture, blur, noise, JPEG
        x, small = r.random(), 1.0
        if x < (0.25 if scan else 0.4):
            small = r.uniform(0.6, 1.0) if easy else r.uniform(0.3, 1.0) if kind in ('sign', 'plate', 'display', 'mixed') else r.uniform(0.45, 1.0)
            wanted = max(8, round(HEIGHT * small)), max(8, round(target * small))
            picture = cv2.resize(picture, wanted[::-1], interpolation=cv2.INTER_AREA)
        elif x < 0.55:
            picture = cv2.GaussianBlur(picture, (0, 0), abs(r.gauss(0, 0.5 if easy else 0.8)) + 0.15)
        elif x < 0.64 and not scan and not easy:
            length = r.choice([2, 3, 3, 4, 5])
            kernel = np.zeros((5, 5), np.float32)
            angle = r.uniform(0, math.pi)
            for t in np.linspace(-1, 1, 9):
                kernel[round(2 + t * length / 2 * math.sin(angle) * 0.8), round(2 + t * length / 2 * math.cos(angle) * 0.8)] += 1
            picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
        if r.random() < 0.6:
            picture = picture + self.n.normal(0, 1, picture.shape).astype(np.float32) * abs(r.gauss(0, 0.025 if easy else 0.05)) * contrast
        picture = np.clip(picture, 0, 255).astype(np.uint8)
        if r.random() < 0.3:
            picture = cv2.imdecode(cv2.imencode('.jpg', picture, [cv2.IMWRITE_JPEG_QUALITY, r.randint(25, 90)])[1], cv2.IMREAD_GRAYSCALE)
        if small < 1:
            picture = cv2.resize(picture, (target, HEIGHT), interpolation=r.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
        if kind == 'zone' and r.random() < 0.3 or not easy and r.random() < 0.05:  # binarised
            if r.random() < 0.5:
                _, picture = cv2.threshold(picture, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
            else:
                picture = cv2.adaptiveThreshold(picture, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 31, r.randint(3, 15))
            if r.random() < 0.5:
                picture = cv2.GaussianBlur(picture, (0, 0), r.uniform(0.3, 0.9))
        return stretch(picture), text

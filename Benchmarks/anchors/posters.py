#!/usr/bin/env python3
"""Renders posters for what is fitted: photographs and drawings of Debian packages with shapes and lines of text over them, in gray.

  posters.py FOLDER [--count 500] [--root /]      (needs pillow)

Takes what it finds under ROOT/usr/share of gnome-backgrounds, mate-backgrounds, plasma-workspace-wallpapers, openclipart-png and
tuxpaint-stamps-default (`apt-get install`, or `apt-get download` and `dpkg-deb -x` into ROOT), and the fonts of this machine.
"""
import argparse, glob, os, random
from PIL import Image, ImageDraw, ImageFont

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder"); parser.add_argument("--count", type=int, default=500); parser.add_argument("--root", default="/")
options = parser.parse_args()
os.makedirs(options.folder, exist_ok=True)
Image.MAX_IMAGE_PIXELS = None
rng = random.Random(5)


def files(*patterns): return sorted(path for pattern in patterns for path in glob.glob(pattern, recursive=True))


share = os.path.join(options.root, "usr/share")
pictures = files(*(f"{share}/{folder}/**/*.{kind}" for folder in ("backgrounds", "wallpapers") for kind in ("jpg", "png", "webp")))
photographs = [path for path in pictures if os.path.getsize(path) > 60000]
clips, stamps = files(f"{share}/openclipart/**/*.png"), files(f"{share}/tuxpaint/stamps/**/*.png")
fonts = files("/usr/share/fonts/**/*.ttf", "/usr/share/fonts/**/*.otf")
words = open("/usr/share/common-licenses/GPL-3", encoding="utf8").read().split()
for name, found in (("photographs", photographs), ("drawings", clips), ("stamps", stamps), ("fonts", fonts)):
    if not found: parser.error(f"there are no {name} under {share}")
print(f"{len(photographs)} photographs, {len(clips)} drawings, {len(stamps)} stamps, {len(fonts)} fonts")
opened = {}


def photograph(path):
    if path not in opened:
        picture = Image.open(path).convert("RGB"); picture.thumbnail((1600, 1600)); opened[path] = picture
    return opened[path]


def colour(): return tuple(rng.randint(0, 255) for _ in range(3))


def ground(w, h):
    """Part of a photograph, or a colour, flat or fading into another."""
    if rng.random() < 0.55:
        whole = photograph(rng.choice(photographs)); share = rng.uniform(0.3, 1) * min(whole.width / w, whole.height / h)
        cw, ch = int(w * share), int(h * share); x, y = rng.randint(0, whole.width - cw), rng.randint(0, whole.height - ch)
        return whole.crop((x, y, x + cw, y + ch)).resize((w, h), Image.Resampling.LANCZOS), rng.choice([0, 1, 2, 3, 5])
    flat = Image.new("RGB", (w, h), colour())
    if rng.random() < 0.5:
        fading = Image.linear_gradient("L").rotate(rng.choice([0, 90, 180, 270])).resize((w, h))
        flat = Image.composite(Image.new("RGB", (w, h), colour()), flat, fading)
    return flat, rng.randint(2, 7)


def put_drawing(poster):
    try: drawing = Image.open(rng.choice(clips if rng.random() < 0.5 else stamps)).convert("RGBA")
    except OSError: return
    if min(drawing.size) < 20: return
    scale = rng.uniform(0.15, 0.8) * min(poster.size) / max(drawing.size)
    drawing = drawing.resize([max(8, int(side * scale)) for side in drawing.size], Image.Resampling.LANCZOS)
    if rng.random() < 0.3: drawing = drawing.rotate(rng.uniform(0, 360), expand=True)
    poster.paste(drawing, (rng.randint(-40, poster.width - 40), rng.randint(-40, poster.height - 40)), drawing)


def put_text(poster):
    size = int(rng.choice([9, 12, 16, 24, 40, 70]) * rng.uniform(0.8, 1.2)); font = ImageFont.truetype(rng.choice(fonts), size)
    x, y, at, fill = rng.randint(0, poster.width // 2), rng.randint(0, poster.height - 20), rng.randrange(len(words) - 200), colour()
    for _ in range(rng.choice([1, 1, 2, 4, 9]) if size < 30 else 1):
        length = max(1, int((poster.width - x) / size / 3.2))
        ImageDraw.Draw(poster).text((x, y), " ".join(words[at:at + length]), font=font, fill=fill); at += length; y += int(size * 1.25)


for number in range(options.count):
    w, h = rng.choice([(480, 640), (640, 480), (480, 480), (400, 640), (640, 320)])
    poster, things = ground(w, h)
    for _ in range(things):
        if rng.random() < 0.75: put_drawing(poster)
        else:
            x, y = rng.randint(0, w), rng.randint(0, h)
            ImageDraw.Draw(poster).rectangle((x, y, x + rng.randint(5, 250), y + rng.randint(5, 250)), fill=colour())
    for _ in range(rng.choice([0, 1, 2, 3])): put_text(poster)
    poster.convert("L").save(f"{options.folder}/{number:04d}.png")

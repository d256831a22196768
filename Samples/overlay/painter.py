"""How the overlay looks: one frame with what lies on it."""
import math

import numpy as np
from PIL import Image, ImageDraw, ImageFont

ACCENT, INK, PAPER, DIM = (10, 110, 209), (34, 42, 53), (255, 255, 255), (107, 117, 130)


class Painter:
    """Draws one frame."""

    def __init__(self, state, pictures, scale):
        self.state, self.pictures, self.scale = state, pictures, scale
        self.fonts = {}
        self.annotation = {}

    def font(self, size):
        size = round(size * self.scale)
        return self.fonts.setdefault(size, ImageFont.load_default(size))

    def paint(self, frame, sequence, now):
        anchors = self.state.anchors_of(sequence)
        session, since = self.state.session_of(sequence)
        with self.state.lock:
            scene, selected, opened = self.state.scene, self.state.selected, self.state.open
            pressed = self.state.pressed
        if scene:
            self.annotation = {a["id"]: a for anchor in scene["anchors"] for a in anchor["annotations"]}
        self.image = frame.convert("RGB").resize(
            (round(frame.width * self.scale), round(frame.height * self.scale)), Image.Resampling.BILINEAR)
        self.layer = Image.new("RGBA", self.image.size, (0, 0, 0, 0))
        self.draw = ImageDraw.Draw(self.layer)
        phase = session["phase"]
        if phase == "coaching":
            self.coaching(session)
        elif phase == "scanning":
            self.scanning(session, now)
        elif phase == "matched":
            self.indicator(anchors, min(1, (now - since) / 0.5))
            self.guide(session, max(0, 1 - (now - since) / 0.4))
        elif phase == "annotating":
            self.markers(anchors, selected, now)
            if selected:
                self.card(selected, opened == selected["id"], anchors, pressed, now)
        self.label(phase, anchors)
        self.image.paste(self.layer, (0, 0), self.layer)
        return self.image

    def point(self, p):
        return ((p[0] + 0.5) * self.scale - 0.5, (p[1] + 0.5) * self.scale - 0.5)

    def panel(self, box, fill, radius=10):
        self.draw.rounded_rectangle(box, radius * self.scale, fill=fill)

    def wrap(self, text, font, width):
        lines = [""]
        for word in text.split():
            if lines[-1] and font.getlength(lines[-1] + " " + word) > width:
                lines.append("")
            lines[-1] = (lines[-1] + " " + word).strip()
        return lines

    def coaching(self, session):
        s, (w, h) = self.scale, self.image.size
        self.draw.rectangle([0, 0, w, h], fill=INK + (170,))
        self.panel([w * 0.2, h * 0.1, w * 0.8, h * 0.9], PAPER + (245,), 14)
        guide = session.get("guide")
        picture = guide and self.pictures.get(guide["resource"], 320)
        if picture:
            fit = picture.copy()
            fit.thumbnail((w * 0.5, h * 0.42))
            self.layer.paste(fit, (round(w / 2 - fit.width / 2), round(h * 0.16)))
        y = h * 0.63
        for line in self.wrap(session.get("instruction") or "", self.font(17), w * 0.52):
            self.draw.text((w / 2, y), line, font=self.font(17), fill=INK + (255,), anchor="ma")
            y += 22 * s
        words = {"beginScan": "Begin Scan", "returnToScan": "Return to Scan"}.get(session.get("primaryAction"), "")
        self.panel([w * 0.33, h * 0.77, w * 0.67, h * 0.86], ACCENT + (255,), 8)
        self.draw.text((w / 2, h * 0.815), words, font=self.font(17), fill=PAPER + (255,), anchor="mm")

    def guide(self, session, strength):
        guide = session.get("guide")
        picture = guide and self.pictures.get(guide["resource"], 320)
        if not picture or strength <= 0:
            return
        fit = picture.copy()
        fit.thumbnail((110 * self.scale, 110 * self.scale))
        fit.putalpha(round(235 * strength))
        self.layer.alpha_composite(fit, (round(14 * self.scale), round(14 * self.scale)))

    def scanning(self, session, now):
        s, (w, h) = self.scale, self.image.size
        size = (0.30 + 0.012 * math.sin(now * 3)) * min(w, h)
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            cx, cy = w / 2 + x * size * 1.25, h / 2 + y * size
            self.draw.line([(cx - x * 30 * s, cy), (cx, cy), (cx, cy - y * 30 * s)], fill=PAPER + (235,),
                           width=round(4 * s), joint="curve")
        for dx, dy in ((1, 0), (0, 1)):
            self.draw.line([(w / 2 - 9 * s * dx, h / 2 - 9 * s * dy), (w / 2 + 9 * s * dx, h / 2 + 9 * s * dy)],
                           fill=PAPER + (235,), width=round(2 * s))
        self.guide(session, 1)

    def indicator(self, anchors, share):
        for anchor in anchors:
            if len(anchor["corners"]) != 4:
                continue
            corners = [self.point(p) for p in anchor["corners"]]
            self.draw.polygon(corners, fill=ACCENT + (round(70 * share),))
            self.draw.line(corners + corners[:1], fill=PAPER + (240,), width=round(4 * self.scale), joint="curve")
            x, y = np.mean(corners, 0)
            r = 26 * self.scale * (1.3 - 0.3 * share)
            self.draw.ellipse([x - r, y - r, x + r, y + r], fill=(38, 148, 84, round(235 * share)))
            self.draw.line([(x - 0.45 * r, y), (x - 0.1 * r, y + 0.38 * r), (x + 0.5 * r, y - 0.35 * r)],
                           fill=PAPER + (255,), width=round(5 * self.scale), joint="curve")

    def markers(self, anchors, selected, now):
        s = self.scale
        for anchor in anchors:
            strength = 1.0 if anchor["trackingMethod"] == "fullTracking" else 0.45
            for marker in sorted(anchor["markers"], key=lambda m: -(m["depth"] or 0)):
                if not marker["visible"]:
                    continue
                x, y = self.point(marker["screen"])
                r = 13 * s
                if marker["selected"]:
                    beat = (now * 1.1) % 1
                    ring = r * (1.15 + 0.95 * beat)
                    self.draw.ellipse([x - ring, y - ring, x + ring, y + ring], outline=ACCENT + (round(230 * (1 - beat)),),
                                      width=round(4 * s))
                    r *= 1.15
                fill, ink = (ACCENT, PAPER) if marker["selected"] else (PAPER, ACCENT)
                self.draw.ellipse([x - r, y - r, x + r, y + r], fill=fill + (round(245 * strength),),
                                  outline=ACCENT + (round(255 * strength),), width=round(2.5 * s))
                icon = (self.annotation.get(marker["id"], {}).get("icon") or "?")
                self.draw.text((x, y), icon[:1].upper(), font=self.font(15), fill=ink + (round(255 * strength),), anchor="mm")

    def card(self, selected, is_open, anchors, pressed, now):
        s, (w, h) = self.scale, self.image.size
        card = selected["card"]
        height = (150 if is_open else 64) * s
        box = [w * 0.5 - 190 * s, h - height - 14 * s, w * 0.5 + 190 * s, h - 14 * s]
        for anchor in anchors:
            for marker in anchor["markers"]:
                if marker["id"] == selected["id"] and marker["visible"]:
                    x, y = self.point(marker["screen"])
                    if y < box[1] - 18 * s:
                        self.draw.line([(x, y + 15 * s), (x, box[1] - 12 * s), (w / 2, box[1] - 12 * s), (w / 2, box[1])],
                                       fill=ACCENT + (230,), width=round(2.5 * s), joint="curve")
        self.panel(box, PAPER + (248,), 10)
        x, y = box[0] + 12 * s, box[1] + 10 * s
        picture = card.get("image") and self.pictures.get(card["image"], 160)
        if picture:
            fit = picture.copy()
            fit.thumbnail((92 * s, height - 20 * s))
            self.layer.paste(fit, (round(x), round(y)))
            x += fit.width + 12 * s
        self.draw.text((x, y), card["title"], font=self.font(17), fill=INK + (255,))
        y += 24 * s
        for line in self.wrap(card.get("description") or "", self.font(13), box[2] - x - 12 * s)[: 4 if is_open else 1]:
            self.draw.text((x, y), line, font=self.font(13), fill=DIM + (255,))
            y += 17 * s
        if is_open and card.get("actionText"):
            hit = pressed and pressed[0]["id"] == selected["id"] and now - pressed[1] < 0.6
            button = [x, box[3] - 40 * s, box[2] - 12 * s, box[3] - 10 * s]
            self.panel(button, ((38, 148, 84) if hit else ACCENT) + (255,), 7)
            self.draw.text(((button[0] + button[2]) / 2, (button[1] + button[3]) / 2), card["actionText"],
                           font=self.font(14), fill=PAPER + (255,), anchor="mm")

    def label(self, phase, anchors):
        w = self.image.size[0]
        text = phase + "".join("  ·  %s %s" % (a["anchor"], {"fullTracking": "", "lastKnownPose": "(last known)"}.get(
            a["trackingMethod"], "(lost)")) for a in anchors)
        length = self.font(12).getlength(text)
        self.panel([w - length - 26 * self.scale, 8 * self.scale, w - 8 * self.scale, 30 * self.scale], INK + (190,), 6)
        self.draw.text((w - 17 * self.scale, 19 * self.scale), text, font=self.font(12), fill=PAPER + (255,), anchor="rm")

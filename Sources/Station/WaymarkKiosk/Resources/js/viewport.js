// Where a picture lies on the screen. The live picture covers the whole stage; a frozen one covers what the panel leaves
// free, with what was read in the middle of it.

/** A placed picture: `scale` screen pixels a picture pixel, its top left corner at `left`, `top`. */
export class Viewport {
  /**
   * @param {number} scale
   * @param {number} left
   * @param {number} top
   */
  constructor(scale, left, top) {
    this.scale = scale;
    this.left = left;
    this.top = top;
  }

  /** A point of the picture on the screen. Pixel centres are at whole numbers; `s` scales from another size of the picture. */
  toScreen([x, y], s = 1) { return [(x + .5) * s * this.scale + this.left, (y + .5) * s * this.scale + this.top]; }

  /** A rectangle of the screen as shares [x, y, w, h] of a picture, cut to what is in it. */
  shares(rect, size) {
    const cut = (value) => Math.min(1, Math.max(0, value));
    const x = cut((rect.left - this.left) / (size.width * this.scale));
    const y = cut((rect.top - this.top) / (size.height * this.scale));
    const right = cut((rect.left + rect.width - this.left) / (size.width * this.scale));
    const bottom = cut((rect.top + rect.height - this.top) / (size.height * this.scale));
    return [x, y, right - x, bottom - y].map((value) => Math.round(value * 10000) / 10000);
  }

  /** Part of the way from one to another. */
  static between(a, b, share) {
    const mix = (x, y) => x + (y - x) * share;
    return new Viewport(mix(a.scale, b.scale), mix(a.left, b.left), mix(a.top, b.top));
  }
}

/** The smallest picture that leaves nothing of a box empty, in its middle. */
export function cover(size, box) {
  const scale = Math.max(box.width / size.width, box.height / size.height);
  return new Viewport(scale, box.left + (box.width - size.width * scale) / 2, box.top + (box.height - size.height * scale) / 2);
}

/** The largest picture of which nothing is cut off by a box, in its middle. */
export function contain(size, box) {
  const scale = Math.min(box.width / size.width, box.height / size.height);
  return new Viewport(scale, box.left + (box.width - size.width * scale) / 2, box.top + (box.height - size.height * scale) / 2);
}

/**
 * A picture that covers a box and shows some points of it as near to the middle as that allows, whole where they fit
 * and large enough to be seen. Where it can it goes on beyond the right and the lower edge, below the round corners of what lies there.
 */
export function focus(size, box, points, beyond = { x: 0, y: 0 }) {
  const base = cover(size, { ...box, width: box.width + beyond.x, height: box.height + beyond.y });
  if (!points?.length) return base;
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
  const width = Math.max(1, Math.max(...xs) - Math.min(...xs)), height = Math.max(1, Math.max(...ys) - Math.min(...ys));
  const fits = Math.min(box.width / width, box.height / height);
  // No closer than what fills half of the box; smaller than covering when the code would be cut off otherwise.
  const scale = Math.min(fits * .86, Math.max(base.scale, Math.min(fits * .5, base.scale * 2.5)));
  const place = (from, extent, length, places, more) => {
    const free = extent - length * scale;
    if (free > 0) return from + free / 2;
    const [low, high] = [Math.min(...places), Math.max(...places)];
    // The picture may go on beyond the edge, the points may not.
    const least = Math.max(from + free, Math.min(from + free + more, from + extent - (high + 1) * scale));
    return Math.min(from, Math.max(least, from + extent / 2 - ((low + high) / 2 + .5) * scale));
  };
  return new Viewport(scale,
    place(box.left, box.width, size.width, xs, beyond.x),
    place(box.top, box.height, size.height, ys, beyond.y));
}

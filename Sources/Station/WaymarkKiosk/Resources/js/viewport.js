// The position of a picture on the screen. The live picture covers the whole stage; a frozen one covers the area that the panel leaves
// free, with the code in the middle.

/** The position of a picture: `scale` screen pixels per picture pixel, with the top left corner at `left`, `top`. */
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

  /** Maps a point of the picture to the screen. Pixel centres are at whole numbers; `s` scales from another size of the picture. */
  toScreen([x, y], s = 1) { return [(x + .5) * s * this.scale + this.left, (y + .5) * s * this.scale + this.top]; }

  /** Maps a rectangle of the screen to shares [x, y, w, h] of a picture, clipped to the picture. */
  shares(rect, size) {
    const cut = (value) => Math.min(1, Math.max(0, value));
    const x = cut((rect.left - this.left) / (size.width * this.scale));
    const y = cut((rect.top - this.top) / (size.height * this.scale));
    const right = cut((rect.left + rect.width - this.left) / (size.width * this.scale));
    const bottom = cut((rect.top + rect.height - this.top) / (size.height * this.scale));
    return [x, y, right - x, bottom - y].map((value) => Math.round(value * 10000) / 10000);
  }

  /** Interpolates between two viewports. */
  static between(a, b, share) {
    const mix = (x, y) => x + (y - x) * share;
    return new Viewport(mix(a.scale, b.scale), mix(a.left, b.left), mix(a.top, b.top));
  }
}

/** Centres a picture in a box at the least scale at which it covers the box. */
export function cover(size, box) {
  const scale = Math.max(box.width / size.width, box.height / size.height);
  return new Viewport(scale, box.left + (box.width - size.width * scale) / 2, box.top + (box.height - size.height * scale) / 2);
}

/** Centres a picture in a box at the greatest scale at which it fits. */
export function contain(size, box) {
  const scale = Math.min(box.width / size.width, box.height / size.height);
  return new Viewport(scale, box.left + (box.width - size.width * scale) / 2, box.top + (box.height - size.height * scale) / 2);
}

/**
 * Places a picture so that it covers a box and shows some points as near to the middle as possible: all of them if they fit, and
 * large enough. The picture may exceed the right and the lower edge by `beyond`, below the round corners of the panel there.
 */
export function focus(size, box, points, beyond = { x: 0, y: 0 }) {
  const base = cover(size, { ...box, width: box.width + beyond.x, height: box.height + beyond.y });
  if (!points?.length) return base;
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
  const width = Math.max(1, Math.max(...xs) - Math.min(...xs)), height = Math.max(1, Math.max(...ys) - Math.min(...ys));
  const fits = Math.min(box.width / width, box.height / height);
  // Enlarged until the points fill half of the box, at most 2.5 times; smaller than the box if the code would be cut off otherwise.
  const scale = Math.min(fits * .86, Math.max(base.scale, Math.min(fits * .5, base.scale * 2.5)));
  const place = (from, extent, length, places, more) => {
    const free = extent - length * scale;
    if (free > 0) return from + free / 2;
    const [low, high] = [Math.min(...places), Math.max(...places)];
    // The picture may extend beyond the edge, the points may not.
    const least = Math.max(from + free, Math.min(from + free + more, from + extent - (high + 1) * scale));
    return Math.min(from, Math.max(least, from + extent / 2 - ((low + high) / 2 + .5) * scale));
  };
  return new Viewport(scale,
    place(box.left, box.width, size.width, xs, beyond.x),
    place(box.top, box.height, size.height, ys, beyond.y));
}

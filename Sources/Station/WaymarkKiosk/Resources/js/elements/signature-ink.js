// The strokes of a signature: all points are recorded, and drawn as the service draws them (SignatureDrawing.swift), so that the picture
// during signing is the one that is stored.

const NEAREST = .35;

/** The pen for an area: the widths of its thickest and its thinnest line in pixels. */
const pen = (width, height) => { const side = Math.min(width, height); const thick = Math.max(2.2, side / 55); return { side, thick, thin: thick * .38 }; };

/**
 * Draws pieces of one stroke. `points` are `{ x, y, t, p }` in pixels, milliseconds and 0 to 1 (`null` if the device measures no
 * pressure), already thinned out; `from` is the index of the first piece to draw, `width` the pen's width there. Returns the
 * width after the last piece.
 */
function drawPieces(context, points, from, to, width, { side, thick, thin }) {
  const target = (i) => {
    const [a, b] = i > 0 ? [points[i - 1], points[i]] : [points[0], points[Math.min(1, points.length - 1)]];
    const slow = 1 / (1 + Math.hypot(b.x - a.x, b.y - a.y) / side * 1000 / Math.max(1, b.t - a.t) / 3.5);
    const { p } = points[i];
    return p === null ? thin + (thick - thin) * slow : thin + (thick * 1.25 - thin) * Math.min(1, .2 * slow + .8 * p);
  };
  width ??= target(0);
  for (let i = from; i < to; i += 1) {
    const [p0, p1, p2, p3] = [points[Math.max(0, i - 2)], points[i - 1], points[i], points[Math.min(points.length - 1, i + 1)]];
    const next = width + .35 * (target(i) - width);
    const c1 = { x: p1.x + (p2.x - p0.x) / 6, y: p1.y + (p2.y - p0.y) / 6 };
    const c2 = { x: p2.x - (p3.x - p1.x) / 6, y: p2.y - (p3.y - p1.y) / 6 };
    const length = Math.hypot(c1.x - p1.x, c1.y - p1.y) + Math.hypot(c2.x - c1.x, c2.y - c1.y) + Math.hypot(p2.x - c2.x, p2.y - c2.y);
    const steps = Math.max(1, Math.min(64, Math.ceil(length * 2 / 3)));
    let [x, y, w] = [p1.x, p1.y, width];
    for (let k = 1; k <= steps; k += 1) {
      const t = k / steps;
      const s = 1 - t;
      const [nx, ny] = ['x', 'y'].map((axis) => p1[axis] * s * s * s + 3 * c1[axis] * s * s * t + 3 * c2[axis] * s * t * t + p2[axis] * t * t * t);
      const nw = width + (next - width) * t;
      context.lineWidth = (w + nw) / 2;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(nx, ny);
      context.stroke();
      [x, y, w] = [nx, ny, nw];
    }
    width = next;
  }
  return width;
}

/** The strokes of a signature, which are drawn while they are recorded. */
export class Ink {
  /** Everything that was recorded: strokes of `{ x, y, t, p }`, x and y in tenths of a pixel. */
  strokes = [];
  #begun = 0;
  #now = /** @type {any} */ (null);

  get isEmpty() { return this.strokes.length === 0; }
  get points() { return this.strokes.reduce((sum, one) => sum + one.length, 0); }

  clear() { this.strokes = []; this.#now = null; }

  /** Begins a stroke at a point of the area in pixels. */
  begin(x, y, time, pressure) {
    if (this.isEmpty) this.#begun = time;
    this.#now = { drawn: [], to: 1, width: null };
    this.strokes.push([]);
    this.add(x, y, time, pressure);
  }

  /** Adds a point to the stroke. */
  add(x, y, time, pressure) {
    if (!this.#now) return;
    const stroke = this.strokes.at(-1);
    const before = stroke.at(-1) ?? this.strokes.at(-2)?.at(-1);
    const t = Math.max(before?.t ?? 0, Math.round(time - this.#begun));
    const point = { x: Math.round(x * 10), y: Math.round(y * 10), t, p: pressure === null ? null : Math.max(0, Math.min(1000, Math.round(pressure * 1000))) };
    stroke.push(point);
    this.#thin(this.#now.drawn, point);
  }

  /** Ends the stroke. */
  end() { this.#now = null; }

  #thin(drawn, { x, y, t, p }) {
    const at = { x: x / 10, y: y / 10, t, p: p === null ? null : p / 1000 };
    const last = drawn.at(-1);
    if (!last || Math.hypot(at.x - last.x, at.y - last.y) >= NEAREST) drawn.push(at);
  }

  /** Draws on `fixed` the parts added since the last call that no longer change, and on `tail` the part that the next point may change. */
  draw(fixed, tail, width, height) {
    const now = this.#now;
    if (!now) return;
    const nib = pen(width, height);
    const { drawn } = now;
    if (drawn.length > 2) { now.width = drawPieces(fixed, drawn, now.to, drawn.length - 1, now.width, nib); now.to = Math.max(now.to, drawn.length - 1); }
    if (drawn.length > 1) drawPieces(tail, drawn, now.to, drawn.length, now.width, nib); else this.#dot(tail, drawn[0], nib);
  }

  /** Draws all strokes. */
  drawAll(context, width, height) {
    const nib = pen(width, height);
    for (const stroke of this.strokes) {
      const drawn = [];
      for (const point of stroke) this.#thin(drawn, point);
      if (drawn.length > 1) drawPieces(context, drawn, 1, drawn.length, null, nib); else if (drawn.length) this.#dot(context, drawn[0], nib);
    }
  }

  #dot(context, { x, y, p }, { thick, thin }) {
    context.lineWidth = p === null ? thick : thin + (thick * 1.25 - thin) * p;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x, y);
    context.stroke();
  }

  /** The strokes for `signature.save`: flat lists of integers; x, y and time are differences from the previous point, except for the first. */
  get wire() {
    return this.strokes.map((stroke) => stroke.flatMap((point, i) => {
      const { x, y, t } = i ? stroke[i - 1] : { x: 0, y: 0, t: 0 };
      return [point.x - x, point.y - y, point.t - t, point.p ?? -1];
    }));
  }
}

/**
 * A canvas to sign on. `tail` covers `canvas`; strokes are recorded only while `active()` is true. All measured positions are
 * recorded, including those between two frames (`getCoalescedEvents`).
 */
export class Pad {
  ink = new Ink();
  /** The size of the area at the first stroke. All points are in its pixels, also if the size of the screen changes. */
  size = { width: 0, height: 0 };
  #pointer = /** @type {number | null} */ (null);
  #waiting = false;

  /**
   * @param {any} canvas
   * @param {any} tail
   * @param {{ active: () => boolean, onchange: () => void }} handlers
   */
  constructor(canvas, tail, handlers) {
    this.canvas = canvas;
    this.tail = tail;
    this.active = handlers.active;
    this.onchange = handlers.onchange;
    tail.addEventListener('pointerdown', (event) => this.#down(event));
    tail.addEventListener('pointermove', (event) => this.#move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) tail.addEventListener(name, (event) => this.#up(event));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
  }

  #at(event, box) {
    const scale = this.size.width / box.width;
    // A pressed mouse reports 0.5, and a finger mostly the same: neither measures pressure.
    const pressure = event.pointerType === 'pen' ? event.pressure : null;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale, event.timeStamp, pressure];
  }

  #down(event) {
    if (!this.active() || this.#pointer !== null || event.button !== 0) return;
    event.preventDefault();
    this.#pointer = event.pointerId;
    try { this.tail.setPointerCapture(event.pointerId); } catch { /* it is gone already */ }
    const box = this.canvas.getBoundingClientRect();
    if (this.ink.isEmpty) this.size = { width: Math.round(box.width), height: Math.round(box.height) };
    const [x, y, time, pressure] = this.#at(event, box);
    this.ink.begin(x, y, time, pressure);
    this.onchange();
    this.#soon();
  }

  #move(event) {
    if (event.pointerId !== this.#pointer) return;
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const all = event.getCoalescedEvents?.() ?? [];
    for (const one of all.length ? all : [event]) this.ink.add(...this.#at(one, box));
    this.#soon();
  }

  #up(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#pointer = null;
    this.ink.end();
    this.redraw();
    this.onchange();
  }

  clear() { this.#pointer = null; this.ink.clear(); this.redraw(); }

  /** Sets the size of the canvases in pixels of the screen, and draws again. */
  resize() {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width) return;
    for (const one of [this.canvas, this.tail]) {
      const [width, height] = [Math.round(box.width * devicePixelRatio), Math.round(box.height * devicePixelRatio)];
      if (one.width !== width || one.height !== height) Object.assign(one, { width, height });
    }
    this.redraw();
  }

  #ready(canvas) {
    const context = canvas.getContext('2d');
    const scale = this.size.width ? canvas.width / this.size.width : devicePixelRatio;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineCap = context.lineJoin = 'round';
    return context;
  }

  #wipe(canvas) { const context = canvas.getContext('2d'); context.setTransform(1, 0, 0, 1, 0, 0); context.clearRect(0, 0, canvas.width, canvas.height); }

  redraw() {
    this.#wipe(this.canvas);
    this.#wipe(this.tail);
    if (!this.ink.isEmpty) this.ink.drawAll(this.#ready(this.canvas), this.size.width, this.size.height);
  }

  #soon() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      if (this.#pointer === null) return;
      this.#wipe(this.tail);
      this.ink.draw(this.#ready(this.canvas), this.#ready(this.tail), this.size.width, this.size.height);
    });
  }
}

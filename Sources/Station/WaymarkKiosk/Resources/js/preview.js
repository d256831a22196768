// The live picture: a multipart JPEG stream, fetched and parsed here because an <img> cannot say which frame it shows.
import { cover } from './viewport.js';

const CRLF2 = [13, 10, 13, 10];

function find(bytes, pattern, from) {
  outer: for (let i = from; i <= bytes.length - pattern.length; i++) {
    for (let j = 0; j < pattern.length; j++) if (bytes[i + j] !== pattern[j]) continue outer;
    return i;
  }
  return -1;
}

/** Yields `{ sequence, captured, bytes }` of each part of a multipart/x-mixed-replace body. */
export async function* parts(body) {
  const reader = body.getReader();
  let buffer = new Uint8Array(0);
  try {
    for (;;) {
      const end = find(buffer, CRLF2, 0);
      if (end >= 0) {
        const header = new TextDecoder('latin1').decode(buffer.subarray(0, end));
        const field = (name) => new RegExp(`^${name}: *(.*)$`, 'im').exec(header)?.[1].trim();
        const size = Number(field('content-length'));
        if (!(size >= 0 && size < 32 * 1024 * 1024)) throw new Error('a part of the picture stream has no length');
        const start = end + 4;
        if (buffer.length >= start + size) {
          yield { sequence: Number(field('x-frame-sequence')), captured: Number(field('x-frame-captured')), bytes: buffer.slice(start, start + size) };
          buffer = buffer.subarray(start + size);
          continue;
        }
      }
      const { value, done } = await reader.read();
      if (done) return;
      const joined = new Uint8Array(buffer.length + value.length);
      joined.set(buffer);
      joined.set(value, buffer.length);
      buffer = joined;
    }
  } finally { reader.cancel().catch(() => {}); }
}

/**
 * Draws the live picture on a canvas, and an overlay on exactly the frame it was computed from.
 *
 * `source(signal)` requests the stream. The canvas has the pixels of the screen; `viewport(size, now)` returns the position of the picture, as `{ viewport, moving }`, and
 * `paint(context, overlay, { viewport, scale, now })` draws over it in CSS pixels, `scale` being from the captured frame to
 * the picture. While `expectsOverlay()` is true a frame waits for its overlay (`overlay(sequence, value)`), at most
 * `patience` frames long; an overlay is never drawn on another frame. Frames decode one at a time; the newest wins.
 */
export class Preview {
  static patience = 8;
  /** The number of recent pictures that are kept undecoded for `freeze`: those of two seconds. */
  static memory = 60;
  #frames = new Map();
  #overlays = new Map();
  #past = new Map();
  /** @type {AbortController | null} */
  #abort = null;
  #shown = -1;
  #scheduled = false;
  /** The current picture, kept for drawing it again. */
  #current = null;
  #overlay = null;
  #frozen = false;
  #wanted = null;
  #box = { width: 0, height: 0, ratio: 1 };

  constructor(canvas, { source, paint, expectsOverlay, onstate, viewport }) {
    this.canvas = canvas;
    this.source = source;
    this.paint = paint;
    this.expectsOverlay = expectsOverlay;
    this.onstate = onstate;
    this.viewport = viewport;
    /** The colour of the area that the picture does not cover. */
    this.ground = '';
    this.context = canvas.getContext('2d', { alpha: false });
  }

  /** The size of the current picture in pixels; null before the first. */
  get size() { return this.#current ? { width: this.#current.width, height: this.#current.height } : null; }
  get frozen() { return this.#frozen; }

  start() { this.stop(); this.#abort = new AbortController(); this.#run(this.#abort.signal); }

  stop() {
    this.#abort?.abort();
    this.#abort = null;
    for (const frame of this.#frames.values()) frame.close();
    for (const map of [this.#frames, this.#overlays, this.#past]) map.clear();
    this.#current?.close();
    this.#current = null;
    this.#shown = -1;
  }

  /** Sets the size of the stage in CSS pixels, and the number of screen pixels per CSS pixel. */
  resize(width, height, ratio) {
    if (!width || !height) return;
    this.#box = { width, height, ratio };
    this.#fit();
    this.redraw();
  }

  overlay(sequence, value) {
    this.#overlays.set(sequence, value);
    while (this.#overlays.size > 60) this.#overlays.delete(this.#overlays.keys().next().value);
    this.#schedule();
  }

  /** Shows the frame with this number, or the first one received after it, until `thaw`. */
  async freeze(sequence) {
    this.#frozen = true;
    this.#wanted = null;
    if (this.#current && (sequence === undefined || this.#shown === sequence)) { this.redraw(); return; }
    const at = [...this.#past.keys()].find((one) => one >= (sequence ?? 0));
    if (at === undefined) this.#wanted = sequence ?? 0; else await this.#hold(at, this.#past.get(at));
  }

  /** Shows a picture that is not from the camera, until `thaw`. */
  show(bitmap) {
    this.#frozen = true;
    this.#wanted = null;
    this.#current?.close();
    this.#current = bitmap;
    this.#fit();
    this.onstate('live');
    this.redraw();
  }

  /** Resumes the live picture. */
  thaw() {
    this.#frozen = false;
    this.#wanted = null;
    for (const frame of this.#frames.values()) frame.close();
    this.#frames.clear();
    this.#schedule();
  }

  /** Draws the current picture again, for movements between two frames. */
  redraw() { this.#again = true; this.#schedule(); }
  #again = false;

  async #hold(sequence, bytes) {
    this.#wanted = null;
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' })).catch(() => null);
    if (!bitmap) return;
    if (!this.#frozen || !this.#abort) { bitmap.close(); return; }
    this.#current?.close();
    this.#current = bitmap;
    this.#shown = sequence;
    this.canvas.dataset.frame = sequence;
    this.#fit();
    this.onstate('live');
    this.redraw();
  }

  async #run(signal) {
    while (!signal.aborted) {
      this.onstate('loading');
      try {
        const response = await this.source(signal);
        if (!response.ok) throw new Error(`the picture stream answered ${response.status}`);
        for await (const part of parts(response.body)) {
          this.#past.set(part.sequence, part.bytes);
          while (this.#past.size > Preview.memory) this.#past.delete(this.#past.keys().next().value);
          if (this.#frozen) { if (this.#wanted !== null && part.sequence >= this.#wanted) await this.#hold(part.sequence, part.bytes); continue; }
          const bitmap = await createImageBitmap(new Blob([part.bytes], { type: 'image/jpeg' })).catch(() => null);
          if (signal.aborted) { bitmap?.close(); return; }
          if (bitmap) this.#keep(part.sequence, bitmap);
        }
      } catch { if (signal.aborted) return; }
      this.onstate('lost');
      await new Promise((resolve) => { const timer = setTimeout(resolve, 500); signal.addEventListener('abort', () => { clearTimeout(timer); resolve(null); }); });
    }
  }

  #keep(sequence, bitmap) {
    this.#frames.get(sequence)?.close();
    this.#frames.set(sequence, bitmap);
    while (this.#frames.size > Preview.patience) { const [oldest, frame] = this.#frames.entries().next().value; frame.close(); this.#frames.delete(oldest); }
    this.#schedule();
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame((now) => { this.#scheduled = false; this.#draw(now); });
  }

  /** The number of the next frame to show, or -1. */
  #next() {
    const wait = this.expectsOverlay();
    let newest = -1;
    for (const sequence of this.#frames.keys()) if (sequence > this.#shown && (!wait || this.#overlays.has(sequence)) && sequence > newest) newest = sequence;
    if (newest >= 0 || !wait) return newest;
    // Overlays have stopped coming: show the picture alone rather than a frozen one.
    const pending = [...this.#frames.keys()].filter((sequence) => sequence > this.#shown);
    return pending.length < Preview.patience ? -1 : Math.max(...pending);
  }

  #draw(now) {
    const next = this.#frozen ? -1 : this.#next();
    if (next >= 0) {
      const before = this.size;
      this.#current?.close();
      this.#current = this.#frames.get(next);
      this.#frames.delete(next);
      this.#overlay = this.#overlays.get(next) ?? null;
      if (before?.width !== this.#current.width || before?.height !== this.#current.height) this.#fit();
    }
    if (!this.#current || (next < 0 && !this.#again)) return;
    this.#again = false;
    const { ratio, width, height } = this.#box;
    if (!width) return;
    const { viewport, moving } = this.viewport(this.size, now);
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (viewport.left > 0 || viewport.top > 0 || moving || this.#frozen) { context.fillStyle = this.ground; context.fillRect(0, 0, this.canvas.width, this.canvas.height); }
    context.setTransform(this.#pixels, 0, 0, this.#pixels, 0, 0);
    context.drawImage(this.#current, viewport.left, viewport.top, this.#current.width * viewport.scale, this.#current.height * viewport.scale);
    const overlay = this.#frozen ? null : this.#overlay;
    const animating = this.paint(context, overlay, { viewport, scale: overlay ? this.#current.width / overlay.frame.width : 1, now, width, height, ratio });
    if (moving || animating) this.redraw();
    if (next < 0) return;
    if (this.#shown < 0) this.onstate('live');
    this.#shown = next;
    for (const [sequence, old] of this.#frames) if (sequence <= next) { old.close(); this.#frames.delete(sequence); }
    for (const sequence of this.#overlays.keys()) if (sequence <= next) this.#overlays.delete(sequence);
    this.canvas.dataset.frame = next;
    this.canvas.dispatchEvent(new CustomEvent('drawn', { detail: { frame: next, overlay: overlay?.frame?.sequence ?? null } }));
  }

  /** Pixels of the canvas per CSS pixel: those of the screen, but at most twice those of the picture. */
  #pixels = 1;
  #fit() {
    const { width, height, ratio } = this.#box;
    if (!width) return;
    const given = this.#current ? this.#current.width / (this.#current.width * cover(this.size, { left: 0, top: 0, width, height }).scale) : 1;
    this.#pixels = Math.min(ratio, Math.max(1, given * 2), Math.sqrt(2_100_000 / (width * height)));
    const size = [Math.round(width * this.#pixels), Math.round(height * this.#pixels)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) { [this.canvas.width, this.canvas.height] = size; this.#again = true; }
  }
}

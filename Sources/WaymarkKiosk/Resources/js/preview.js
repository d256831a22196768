// The live picture: a multipart JPEG stream, fetched and parsed here because an <img> cannot say which frame it shows.
import { pictures } from './api.js';

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
 * While `expectsOverlay()` is true a frame waits for its overlay (`overlay(sequence, value)`), at most `patience`
 * frames long; an overlay is never drawn on another frame. Frames decode one at a time; the newest wins.
 */
export class Preview {
  static patience = 8;
  #frames = new Map();
  #overlays = new Map();
  #abort = null;
  #shown = -1;
  #scheduled = false;

  constructor(canvas, { width = 640, rate = 30, paint = () => {}, expectsOverlay = () => false, onstate = () => {} } = {}) {
    Object.assign(this, { canvas, width, rate, paint, expectsOverlay, onstate });
    this.context = canvas.getContext('2d', { alpha: false });
  }

  start() { this.stop(); this.#abort = new AbortController(); this.#run(this.#abort.signal); }

  stop() {
    this.#abort?.abort();
    this.#abort = null;
    for (const frame of this.#frames.values()) frame.close();
    this.#frames.clear();
    this.#overlays.clear();
    this.#shown = -1;
  }

  overlay(sequence, value) {
    this.#overlays.set(sequence, value);
    while (this.#overlays.size > 60) this.#overlays.delete(this.#overlays.keys().next().value);
    this.#schedule();
  }

  async #run(signal) {
    while (!signal.aborted) {
      this.onstate('loading');
      try {
        const response = await fetch(pictures.preview(this.width, this.rate), { signal });
        if (!response.ok) throw new Error(`the picture stream answered ${response.status}`);
        for await (const part of parts(response.body)) {
          const bitmap = await createImageBitmap(new Blob([part.bytes], { type: 'image/jpeg' })).catch(() => null);
          if (signal.aborted) { bitmap?.close(); return; }
          if (bitmap) this.#keep(part.sequence, bitmap);
        }
      } catch (error) { if (signal.aborted) return; }
      this.onstate('lost');
      await new Promise((resolve) => { const timer = setTimeout(resolve, 500); signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }); });
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

  /** Paints again what is shown, for animations between frames. */
  #draw(now) {
    const wait = this.expectsOverlay();
    let newest = -1;
    for (const sequence of this.#frames.keys()) if (sequence > this.#shown && (!wait || this.#overlays.has(sequence)) && sequence > newest) newest = sequence;
    if (newest < 0) {
      // Overlays have stopped coming: show the picture alone rather than a frozen one.
      const pending = [...this.#frames.keys()].filter((sequence) => sequence > this.#shown);
      if (!wait || pending.length < Preview.patience) return;
      newest = Math.max(...pending);
    }
    const frame = this.#frames.get(newest);
    const overlay = this.#overlays.get(newest) ?? null;
    if (this.canvas.width !== frame.width || this.canvas.height !== frame.height) Object.assign(this.canvas, { width: frame.width, height: frame.height });
    this.context.drawImage(frame, 0, 0);
    this.paint(this.context, overlay, { sequence: newest, now });
    if (this.#shown < 0) this.onstate('live');
    this.#shown = newest;
    for (const [sequence, old] of this.#frames) if (sequence <= newest) { old.close(); this.#frames.delete(sequence); }
    for (const sequence of this.#overlays.keys()) if (sequence <= newest) this.#overlays.delete(sequence);
    this.canvas.dataset.frame = newest;
    this.canvas.dispatchEvent(new CustomEvent('drawn', { detail: { frame: newest, overlay: overlay?.frame?.sequence ?? null } }));
  }
}

// The live picture over the whole screen, with the messages over it (loading, camera lost) and the drawings of a view.
import { pictures } from '../api.js';
import { announce, button, el, still } from '../dom.js';
import { toast } from '../elements/feedback.js';
import { art, icon } from '../icons.js';
import { Preview } from '../preview.js';
import { t, tOr } from '../strings.js';
import { contain, cover, focus, Viewport } from '../viewport.js';

const MOVE_MS = 360;
/** The milliseconds after which a missing first picture is reported. */
const SLOW_MS = 8000;
const ease = (share) => 1 - (1 - share) ** 3;

/**
 * The switch of the camera's light, if it has one.
 * @param {import('../api.js').App} app
 */
function lightSwitch(app, camera) {
  const node = button('', async () => {
    const on = node.getAttribute('aria-pressed') !== 'true';
    try {
      await camera.command('torch', { on });
      // If the view was closed meanwhile, the light is switched off again.
      if (!node.isConnected) { if (on) camera.command('torch', { on: false }).catch(() => {}); return; }
      app.state.torchOn = on;
      node.setAttribute('aria-pressed', String(on));
    } catch (error) { toast(tOr(`error.${error.code}`, 'error.torch')); }
  }, { kind: 'round light', before: icon('flash'), 'aria-label': t('scan.flash'), 'aria-pressed': 'false', hidden: !camera.torch });
  return node;
}

/**
 * A stage with the live picture, and `light`, the switch of the camera's light for the bar. `paint` and `expectsOverlay` are those
 * of `Preview`. `area` is the element between bar, tray and panel, in which a frozen picture is shown. With `whole` the live
 * picture is not cut off, but fits the area; while `beside()` is true it covers the area alone, and `shift()` moves it there and back. `onsize(size)` is called when the picture's size changes. `camera` is the view's.
 * @param {any} app
 * @param {{ label: string, camera: any, area: HTMLElement, whole?: boolean, beside?: () => boolean, paint?: any, expectsOverlay?: any, onsize?: any }} options
 * @param {import('../api.js').App} app
 */
export function cameraStage(app, { label, camera, area, whole = false, beside = () => false, paint = () => false, expectsOverlay = () => false, onsize = () => {} }) {
  const canvas = el('canvas', { width: 16, height: 16, role: 'img', 'aria-label': label });
  /** A button that leaves the view if there is no picture. It presses the view's own button, which asks before input is lost. */
  const home = (more = {}) => button(t('common.home'), () => /** @type {HTMLElement | null} */ (node.closest('dialog')?.querySelector('.bar .leave'))?.click(), { kind: 'over', 'data-home': true, ...more });
  const words = el('p', {}, t('common.loading'));
  const away = home({ hidden: true });
  const loading = el('div', { class: 'notice loading' }, el('span', { class: 'spinner' }), words, away);
  let slow = 0;
  function wait(isWaiting) {
    loading.hidden = !isWaiting;
    clearTimeout(slow);
    words.textContent = t('common.loading');
    away.hidden = true;
    if (isWaiting) slow = window.setTimeout(() => { words.textContent = t('common.loading.long'); away.hidden = false; announce(words.textContent); }, SLOW_MS);
  }
  const goneTitle = el('h3', {});
  const goneHelp = el('p', {});
  const gone = el('div', { class: 'notice camera-gone', hidden: true }, art('camera', 160), goneTitle, goneHelp, home());
  const node = el('div', { class: 'stage' }, canvas, loading, gone);

  /** The frozen picture: the points of it to show, and whether it is a visitor's own; null while the picture is live. */
  let held = null;
  let box = { left: 0, top: 0, width: 0, height: 0 };
  let free = box;
  let beyond = { x: 0, y: 0 };
  let from = null;
  let last = null;
  let since = 0;
  let known = '';

  function measure() {
    const outer = node.getBoundingClientRect();
    const inner = area.getBoundingClientRect();
    box = { left: 0, top: 0, width: outer.width, height: outer.height };
    free = { left: inner.left - outer.left, top: inner.top - outer.top, width: inner.width, height: inner.height };
    // A message instead of the picture is placed in the area of the picture that is free.
    for (const [side, size] of Object.entries({ top: free.top, right: outer.right - inner.right, bottom: outer.bottom - inner.bottom, left: free.left })) node.style.setProperty(`--area-${side}`, `${Math.max(0, size)}px`);
    const round = 2 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    beyond = box.width >= box.height ? { x: round, y: 0 } : { x: 0, y: round };
  }

  const live = (size) => (whole && free.width ? contain(size, free) : cover(size, free.width && beside() ? free : box));

  function viewport(size, now) {
    const key = `${size.width}x${size.height}`;
    if (key !== known && !held) { known = key; queueMicrotask(() => onsize(size)); }
    // A visitor's picture is shown whole.
    const target = held?.isPicture ? contain(size, free) : held ? focus(size, free, held.points, beyond) : live(size);
    const share = still.matches || !from ? 1 : Math.min(1, (now - since) / MOVE_MS);
    last = share < 1 ? Viewport.between(from, target, ease(share)) : target;
    if (share >= 1) from = null;
    return { viewport: last, moving: share < 1 };
  }

  const move = (animated) => { from = animated ? last : null; since = performance.now(); };

  const preview = new Preview(canvas, { paint, expectsOverlay, viewport, source: (signal) => fetch(pictures.preview(1280, 30, camera.name), { signal }), onstate: (state) => wait(state !== 'live') });
  preview.ground = getComputedStyle(document.documentElement).getPropertyValue('--stage');
  const observer = new ResizeObserver(() => { measure(); preview.resize(box.width, box.height, devicePixelRatio); });
  observer.observe(node);
  observer.observe(area);

  const show = (state) => {
    const missing = ['lost', 'stalled'].includes(state);
    if (missing === !gone.hidden) return;
    gone.hidden = !missing;
    if (!missing) return;
    goneTitle.textContent = t(state === 'lost' ? 'camera.gone' : 'camera.stalled');
    goneHelp.textContent = t(state === 'lost' ? 'camera.gone.help' : 'camera.stalled.help');
    announce(`${goneTitle.textContent} ${goneHelp.textContent}`);
  };
  show(camera.status);
  const off = app.events.on('camera.status', (event) => { if (camera.isOf(event)) show(event.status); });
  wait(true);
  preview.start();

  return {
    node, canvas, preview, measure, light: lightSwitch(app, camera),
    get size() { return preview.size; },
    get box() { return box; },
    get free() { return free; },
    /** The viewport of the live picture; null before the first. */
    get live() { return preview.size && box.width ? live(preview.size) : null; },
    get viewport() { return last; },
    /** Freezes the picture at a frame with these points in view, which are in pixels of the captured frame, `width` pixels wide. */
    async freeze({ sequence, points, width }) {
      const s = () => (width && preview.size ? preview.size.width / width : 1);
      held = { points: points?.map(([x, y]) => [(x + .5) * s() - .5, (y + .5) * s() - .5]) };
      await preview.freeze(sequence);
      measure();
      move(true);
      preview.redraw();
      return s();
    },
    /** Shows a visitor's picture instead of the live one. */
    show(bitmap, points) {
      held = { points, isPicture: true };
      known = '';
      measure();
      move(false);
      preview.show(bitmap);
    },
    /** Moves the frozen picture so that some points of it are in view. */
    reframe(points) {
      if (!held) return;
      held = { ...held, points };
      measure();
      move(true);
      preview.redraw();
    },
    /** Moves the live picture after `beside()` has changed. */
    shift() { measure(); move(true); preview.redraw(); },
    /** Resumes the live picture. */
    thaw() {
      if (!held) return;
      move(preview.frozen && !held.isPicture);
      held = null;
      preview.thaw();
    },
    stop() {
      off();
      clearTimeout(slow);
      observer.disconnect();
      preview.stop();
      if (app.state.torchOn) { app.state.torchOn = false; camera.command('torch', { on: false }).catch(() => {}); }
    },
  };
}

// The feedback kit: messages, progress and placeholders as nodes that any view can use. /assets/kit.html shows each in all its states.
import { announce, button, el } from '../dom.js';
import { art, icon, svg } from '../icons.js';
import { now, t } from '../strings.js';
import { openPopover } from './menu.js';

const SIGNS = { info: 'info', success: 'check', warning: 'alert', error: 'alert' };

/**
 * A message that there is nothing to show: an illustration, a title, a text, and at most two actions `[{ label, onclick, primary? }]`.
 * @param {{ picture?: string, size?: 320 | 160 | 92 | 64 | 48, title: string, text?: string, actions?: { label: string, onclick: () => any, primary?: boolean }[], level?: number }} options
 */
export function emptyState({ picture = 'gallery', size = 160, title, text = '', actions = [], level = 3 }) {
  return el('section', { class: 'empty' }, art(picture, size), el(`h${level}`, { class: 'title' }, title), text ? el('p', {}, text) : null,
    actions.length ? el('div', { class: 'actions' }, ...actions.slice(0, 2).map((one) => button(one.label, one.onclick, { kind: one.primary ? 'primary' : '' }))) : null);
}

/** A message that fills the page, about an error after which the page cannot continue, with actions. */
export function fullError({ picture = 'trouble', title, text, actions }) {
  return el('div', { class: 'full-error', role: 'alert' }, emptyState({ picture, size: 320, title, text, actions, level: 1 }));
}

/** A placeholder for contents that are being loaded; it becomes visible after a second. */
export function skeleton(style = '') { return el('span', { class: `skeleton ${style}`.trim(), 'aria-hidden': 'true' }); }

/** A placeholder for a row that is being loaded: a picture, two lines, and a button. */
export const skeletonRow = () => el('div', { class: 'skeleton-row', 'aria-hidden': 'true' }, skeleton('avatar'), el('span', { class: 'grow' }, skeleton('text'), skeleton('text short')), skeleton('button'));

/** A progress indicator without a known duration, with a label. */
export function indicator(label) {
  return el('div', { class: 'progress', role: 'status' }, el('div', { class: 'line' }, el('span', { class: 'spinner', 'aria-hidden': 'true' }), el('span', {}, label)));
}

/**
 * A progress bar: `set(share)` sets its value from 0 to 1. `onstop` adds a button that stops; `sign` rotates beside the label.
 * @param {{ label: string, sign?: any, onstop?: (() => any) | null }} options
 */
export function progress({ label, sign = null, onstop = null }) {
  const bar = el('progress', { max: 1, value: 0, 'aria-label': label });
  const share = el('span', {}, '0 %');
  const node = el('div', { class: 'progress' }, el('div', { class: 'line' }, sign ? el('span', { class: 'turning' }, sign) : null, el('span', { class: 'grow' }, label), share, onstop ? button(t('common.stop'), onstop, { kind: 'quiet' }) : null), bar);
  return { node, set(value) { bar.value = value; share.textContent = `${Math.round(value * 100)} %`; } };
}

/**
 * A button that shows the state of its work: idle → processing → success or failure. `ready()` returns false to prevent the work.
 * `work()` throws an error if it fails, which is passed to `onfailure`; it is not called again while it runs. With the type
 * "submit" the button belongs to a form, whose `submit` calls `begin()`. `rest()` resets the button.
 * @param {{ label: string, processing: string, success: string, failure?: string, work: () => any, ready?: () => boolean, onfailure?: (error: any) => void, kind?: string, type?: string }} options
 */
export function statusButton({ label, processing, success, failure = label, work, ready = () => true, onfailure = () => {}, kind = 'primary', type = 'button' }) {
  const words = el('span', {}, label);
  const sign = el('span', { 'aria-hidden': 'true', hidden: true });
  const node = el('button', { class: `button ${kind}`, type }, sign, words);
  /** @type {(state: string, text: string, picture?: any) => void} */
  const show = (state, text, picture) => {
    if (state) node.dataset.state = state; else delete node.dataset.state;
    words.textContent = now(text);
    sign.replaceChildren(...(picture ? [picture] : []));
    sign.hidden = !picture;
    node.setAttribute('aria-busy', String(state === 'processing'));
  };
  const begin = async () => {
    if (node.dataset.state === 'processing' || node.dataset.state === 'success' || !ready()) return;
    show('processing', processing, el('span', { class: 'spinner' }));
    announce(processing);
    try {
      await work();
      show('success', success, icon('check'));
    } catch (error) {
      show('failure', failure, icon('alert'));
      onfailure(error);
    }
  };
  if (type === 'button') node.addEventListener('click', begin);
  return Object.assign(node, { show, begin, rest: () => show('', label) });
}

/** A short message about a completed action, which disappears after some seconds. `action` { label, onclick } adds a button, such as to undo. */
export function toast(text, { action = null, seconds = 4 } = {}) {
  const host = document.getElementById('toasts');
  const node = el('div', { class: 'toast' }, el('span', {}, text), action ? button(action.label, () => { node.remove(); action.onclick(); }) : null);
  // On the display without a visitor no message is shown.
  if (document.querySelector('[data-state="attract"]')) return node;
  while (host.childElementCount > 1) host.firstElementChild.remove();
  host.append(node);
  announce(text);
  setTimeout(() => node.remove(), (action ? Math.max(5, seconds) : seconds) * 1000);
  return node;
}

const shown = [];

/**
 * A message over the content: `kind` info, success, warning or error; what happened, why and what to do. With `closable` it
 * has a button that closes it; with `busy`, a sign of running work. Several are one row with a count that opens their list: beside it, on a phone as a sheet from below.
 */
export function banner({ kind = 'info', title, text = '', closable = false, busy = false, seconds = 0 }) {
  const message = { kind, title, text, closable, busy, close() { const at = shown.indexOf(message); if (at >= 0) { shown.splice(at, 1); draw(); } } };
  shown.push(message);
  draw();
  announce(`${title} ${text}`.trim());
  if (seconds) setTimeout(() => message.close(), seconds * 1000);
  return message;
}

/** The node of a banner, for a form that shows it among its fields. */
export function bannerNode({ kind, title, text, closable, busy, close }, more = null) {
  return el('div', { class: 'banner', 'data-kind': kind, role: 'group' },
    busy ? el('span', { class: 'spinner', 'aria-hidden': 'true' }) : icon(SIGNS[kind] ?? 'info'),
    el('div', { class: 'words' }, title, text ? el('span', {}, text) : null), more,
    closable ? button('', close, { kind: 'round', 'aria-label': t('common.dismiss'), before: icon('close') }) : null);
}

/** Sets `--messages` to the height of the messages below the bar. */
const room = new ResizeObserver(([{ target }]) => {
  const height = /** @type {HTMLElement} */ (target).offsetHeight;
  document.documentElement.style.setProperty('--messages', height ? `calc(${height}px + 2 * var(--s2))` : '0px');
});

function draw() {
  const host = document.getElementById('banners');
  room.observe(host);
  /** @type {any} */ (document.querySelector('.popover.messages'))?.hidePopover();
  const order = ['error', 'warning', 'success', 'info'];
  const sorted = [...shown].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  if (!sorted.length) { host.replaceChildren(); return; }
  const more = sorted.length > 1 ? button('', () => { openPopover(more, el('div', { class: 'messages', role: 'group', 'aria-label': t('layer.title') }, ...sorted.map((one) => bannerNode(one)))); }, { kind: 'round', 'aria-expanded': 'false', 'aria-haspopup': 'dialog', 'aria-label': t('banner.more', { count: sorted.length }), before: el('span', { class: 'count' }, String(sorted.length)) }) : null;
  host.replaceChildren(bannerNode(sorted[0], more));
}

/** Removes every toast, with the actions that they offer. */
export const clearToasts = () => document.getElementById('toasts').replaceChildren();

/** Removes every banner and every toast. */
export function clearMessages() {
  shown.length = 0;
  draw();
  clearToasts();
}

/** A tick for something that is completed. */
export function tick() { return el('div', { class: 'tick', 'aria-hidden': 'true' }, icon('check')); }

/** A countdown of seconds in a ring: `set(left)` sets the remaining seconds. */
export function countdown(total) {
  const length = 2 * Math.PI * 44;
  const ring = svg('circle', { class: 'left', cx: 50, cy: 50, r: 44, 'stroke-dasharray': length, 'stroke-dashoffset': 0 });
  const number = el('span', {}, String(total));
  const node = el('div', { class: 'countdown', 'aria-hidden': 'true' }, svg('svg', { viewBox: '0 0 100 100' }, svg('circle', { class: 'track', cx: 50, cy: 50, r: 44 }), ring), number);
  return { node, set(left) { number.textContent = String(left); ring.setAttribute('stroke-dashoffset', String(length * (1 - left / total))); } };
}

// A stack of dialogs. The browser keeps the focus in the topmost and makes the rest inert; the stack serves to close all dialogs above one
// that is closed.
import { button, el, everything, focused, still } from './dom.js';

/** @type {any[]} */
const stack = [];

/** Moves the layer of messages into the topmost dialog, because everything outside of it is inert. */
function raiseLayer() {
  const layer = document.getElementById('layer');
  const top = stack.at(-1)?.node ?? document.body;
  if (layer && layer.parentNode !== top) top.append(layer);
}

/** Moves an empty sheet down in the place of a dialog that is closed, which delays nothing. */
function slideDown(node) {
  if (still.matches || !node.open) return;
  const { left, top, width, height } = node.getBoundingClientRect();
  const { backgroundColor, borderRadius } = getComputedStyle(node);
  const sheet = el('div', { class: 'going', 'aria-hidden': 'true' });
  Object.assign(sheet.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`, backgroundColor, borderRadius });
  (stack.at(-1)?.node ?? document.body).append(sheet);
  sheet.animate(node.matches('.view') ? { transform: ['none', `translateY(${height}px)`] } : { transform: ['none', 'translateY(2rem)'], opacity: [1, 0] }, { duration: 180, easing: 'ease-in' }).finished.finally(() => sheet.remove());
}

/** Returns the focus to the element that had it before, or, if that is gone, to the first element of the current view. */
function restore(before) {
  if (before?.isConnected && before !== document.body) { before.focus({ preventScroll: true }); return; }
  const host = stack.at(-1)?.node ?? document.getElementById('app');
  // What closing has shown may have placed the focus already.
  const at = document.activeElement;
  if (at && at !== host && host?.contains(at)) return;
  (/** @type {HTMLElement | null} */ (host?.querySelector('[data-first]:not([disabled])') ?? host?.querySelector('h1[tabindex]') ?? host))?.focus({ preventScroll: true });
}

/** Keeps the focus from leaving a dialog for the controls of the browser; the browser keeps it out of the page below. */
function stayInside(event, node) {
  const reachable = everything(node).filter((one) => one.matches('button, input, textarea, select, a[href], video, [tabindex="0"]')
    && !one.disabled && one.tabIndex >= 0 && one.getClientRects().length && getComputedStyle(one).visibility !== 'hidden');
  const [first, last] = [reachable[0], reachable.at(-1)];
  const at = focused();
  if (at !== node && at !== (event.shiftKey ? first : last)) return;
  if (at === node && !event.shiftKey) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}

/**
 * Opens a dialog over the current view: `kind` is "view" for a dialog that fills the screen, "ask" for one that floats.
 *
 * `build(dialog)` returns the content. `dialog.close(value)` closes the dialog and all dialogs above it. `onclose` is called once,
 * for any way of closing. `closed` is a promise of the value. `mayClose` is called when Escape is pressed, and returns false to
 * prevent closing.
 * @param {{ label: string, kind?: string, alert?: boolean, build: (dialog: any) => any, onclose?: (value?: any) => void, mayClose?: () => boolean }} options
 * @returns {any}
 */
export function openDialog({ label, kind = 'ask', alert = false, build, onclose, mayClose = () => true }) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const node = /** @type {HTMLDialogElement} */ (el('dialog', { class: kind, role: alert ? 'alertdialog' : null, 'aria-label': label, tabIndex: -1 }));
  let settled;
  const dialog = {
    node,
    closed: new Promise((resolve) => { settled = resolve; }),
    close(value) {
      const at = stack.indexOf(dialog);
      if (at < 0) return;
      while (stack.length > at + 1) stack.at(-1).close();
      stack.pop();
      raiseLayer();
      slideDown(node);
      if (node.open) node.close();
      node.remove();
      onclose?.(value);
      restore(before);
      settled(value);
    },
  };
  // Escape closes only the topmost dialog. The browser would close all dialogs that were opened without a touch.
  node.addEventListener('keydown', (event) => {
    if (event.key === 'Tab') { stayInside(event, node); return; }
    if (event.key !== 'Escape' || event.defaultPrevented || stack.at(-1) !== dialog) return;
    event.preventDefault();
    event.stopPropagation();
    if (mayClose()) dialog.close();
  });
  node.addEventListener('cancel', (event) => { if (event.target !== node) return; event.preventDefault(); if (mayClose()) dialog.close(); });
  // A touch beside a floating question closes it, as Escape does.
  if (kind.startsWith('ask')) node.addEventListener('click', (event) => {
    if (event.target !== node || stack.at(-1) !== dialog || !event.isTrusted) return;
    const box = node.getBoundingClientRect();
    if (event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom) return;
    if (mayClose()) dialog.close();
  });
  // The browser may close a dialog without an event that could prevent it.
  node.addEventListener('close', () => dialog.close());
  node.append(build(dialog));
  stack.push(dialog);
  document.body.append(node);
  raiseLayer();
  node.showModal();
  (/** @type {HTMLElement} */ (node.querySelector('[data-first]')) ?? node).focus({ preventScroll: true });
  return dialog;
}

/**
 * A question with buttons `[{ label, value, primary? }]`; an `alert` interrupts a screen reader. Resolves to the value of the
 * pressed button, or to `undefined` if the question was left.
 * @param {{ label: string, text?: string, picture?: any, alert?: boolean, choices: { label: string, value: any, primary?: boolean }[] }} question
 */
export function ask({ label, text, picture, alert = false, choices }) {
  return openDialog({
    label, alert,
    build: (dialog) => el('div', { class: picture ? 'column center' : 'column' }, picture,
      el('h2', {}, label), text ? el('p', {}, text) : null,
      el('div', { class: 'actions' }, ...choices.map((choice) =>
        button(choice.label, () => dialog.close(choice.value), { kind: choice.primary ? 'primary' : '', 'data-first': choice.primary })))),
  }).closed;
}

/** Closes everything. */
export function closeAll() { if (stack.length) stack[0].close(); }

/** True if a dialog is open. */
export function isOpen() { return stack.length > 0; }

// Dialogs that stand on one another. The browser keeps the focus in the topmost and the rest out of reach; this keeps
// count, so that a view that goes takes along whatever stands on it.
import { button, el, everything, focused } from './dom.js';

/** @type {any[]} */
const stack = [];

/** What must be seen and heard above everything moves into the topmost dialog, because all else is inert. */
function raiseLayer() {
  const layer = document.getElementById('layer');
  const top = stack.at(-1)?.node ?? document.body;
  if (layer && layer.parentNode !== top) top.append(layer);
}

/** Gives the focus back to what had it, or, where that is gone, to what comes first on the view that is there now. */
function restore(before) {
  if (before?.isConnected && before !== document.body) { before.focus({ preventScroll: true }); return; }
  const host = stack.at(-1)?.node ?? document.getElementById('app');
  (/** @type {HTMLElement | null} */ (host?.querySelector('[data-first]:not([disabled])') ?? host?.querySelector('h1[tabindex]') ?? host))?.focus({ preventScroll: true });
}

/** The browser keeps the focus out of the page below; this keeps it from leaving for the browser's own controls. */
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
 * Opens a dialog over the current view: `kind` is "view" for one that fills the screen, "ask" for one that floats.
 *
 * `build(dialog)` returns the content. `dialog.close(value)` closes it and everything above it. `onclose` runs once,
 * however it was closed. `closed` is a promise of the value. `mayClose`, where given, is asked when somebody presses
 * Escape.
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
      if (node.open) node.close();
      node.remove();
      onclose?.(value);
      restore(before);
      settled(value);
    },
  };
  // Escape is for the topmost alone. The browser would close all those at once that were opened without a touch.
  node.addEventListener('keydown', (event) => {
    if (event.key === 'Tab') { stayInside(event, node); return; }
    if (event.key !== 'Escape' || event.defaultPrevented || stack.at(-1) !== dialog) return;
    event.preventDefault();
    event.stopPropagation();
    if (mayClose()) dialog.close();
  });
  node.addEventListener('cancel', (event) => { if (event.target !== node) return; event.preventDefault(); if (mayClose()) dialog.close(); });
  // A touch beside a question that floats leaves it, as Escape does.
  if (kind.startsWith('ask')) node.addEventListener('click', (event) => {
    if (event.target !== node || stack.at(-1) !== dialog || !event.isTrusted) return;
    const box = node.getBoundingClientRect();
    if (event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom) return;
    if (mayClose()) dialog.close();
  });
  // The browser closes it by itself when it no longer asks.
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
 * A question with its buttons: `[{ label, value, primary? }]`; an `alert` interrupts. Resolves to the value, `undefined` when left.
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

/** Whether a dialog is open. */
export function isOpen() { return stack.length > 0; }

// Stacked modal dialogs: the topmost holds the focus, Escape leaves it, the rest of the page is inert.
import { el } from './dom.js';

const stack = [];
const host = () => document.getElementById('dialogs');

function settle() {
  const top = stack.at(-1);
  document.getElementById('app').inert = Boolean(top);
  for (const dialog of stack) dialog.node.inert = dialog !== top;
}

/**
 * Opens a dialog over what is there.
 *
 * `build(dialog)` returns the content; `dialog.close(value)` closes it and everything above it. `onclose` runs once,
 * however it was closed. `closed` is a promise of the value.
 */
export function openDialog({ label, small = false, build, onclose }) {
  const before = document.activeElement;
  const sheet = el('div', { class: small ? 'sheet small' : 'sheet', role: 'dialog', 'aria-modal': 'true', 'aria-label': label, tabIndex: -1 });
  const node = el('div', { class: 'dialog opening' }, sheet);
  let settled;
  const dialog = {
    node, sheet,
    closed: new Promise((resolve) => { settled = resolve; }),
    close(value) {
      const at = stack.indexOf(dialog);
      if (at < 0) return;
      while (stack.length > at + 1) stack.at(-1).close();
      stack.pop();
      node.remove();
      settle();
      onclose?.(value);
      if (before?.isConnected) before.focus();
      settled(value);
    },
  };
  stack.push(dialog);
  sheet.append(build(dialog));
  host().append(node);
  settle();
  (sheet.querySelector('[autofocus]') ?? sheet).focus();
  node.addEventListener('animationend', () => node.classList.remove('opening'), { once: true });
  return dialog;
}

/** A question with its buttons: `[{ label, value, primary? }]`. Resolves to the value, `undefined` when left. */
export function ask({ label, text, choices }) {
  return openDialog({
    label, small: true,
    build: (dialog) => {
      const box = document.createDocumentFragment();
      box.append(
        el('h2', {}, label), el('p', {}, text),
        el('div', { class: 'actions' }, ...choices.map((choice) =>
          el('button', { class: choice.primary ? 'button primary' : 'button', type: 'button', autofocus: choice.primary, onclick: () => dialog.close(choice.value) }, choice.label))));
      return box;
    },
  }).closed;
}

/** Closes everything. */
export function closeAll() { if (stack.length) stack[0].close(); }

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && stack.length) { event.preventDefault(); stack.at(-1).close(); return; }
  if (event.key !== 'Tab' || !stack.length) return;
  // inert keeps the focus out of the page below; this keeps it from leaving for the browser's own controls.
  const reachable = [...stack.at(-1).sheet.querySelectorAll('button, input, textarea, a[href], [tabindex="0"], wm-text-field')]
    .filter((node) => !node.disabled && node.getClientRects().length);
  if (!reachable.length) { event.preventDefault(); return; }
  const edge = event.shiftKey ? reachable[0] : reachable.at(-1);
  if (document.activeElement === edge) { event.preventDefault(); (event.shiftKey ? reachable.at(-1) : reachable[0]).focus(); }
});

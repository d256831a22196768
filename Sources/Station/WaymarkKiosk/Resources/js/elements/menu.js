// A menu at a button, from which one item is chosen. It is a popover, so that a touch beside it or Escape closes it, and nothing in the
// view moves.
import { button, el } from '../dom.js';
import { icon } from '../icons.js';

/**
 * Shows a popover beside the element that opened it, below that if there is room, and removes it when it closes. Resolves then.
 * @param {HTMLElement} anchor
 * @param {any} node
 * @returns {Promise<void>}
 */
export function openPopover(anchor, node) {
  node.popover = 'auto';
  node.classList.add('popover');
  const root = anchor.getRootNode();
  ((root instanceof ShadowRoot ? root.host : anchor).closest('dialog') ?? document.getElementById('app')).append(node);
  anchor.setAttribute('aria-expanded', 'true');
  // The anchor gets the focus first, as the browser returns the focus there when the popover closes.
  anchor.focus({ preventScroll: true });
  node.showPopover();
  const [a, box] = [anchor.getBoundingClientRect(), node.getBoundingClientRect()];
  const below = a.bottom + 8 + box.height <= innerHeight || a.top < innerHeight / 2;
  node.style.left = `${Math.max(8, Math.min(a.left, innerWidth - box.width - 8))}px`;
  if (below) { node.style.top = `${a.bottom + 8}px`; node.style.maxHeight = `${innerHeight - a.bottom - 16}px`; } else { node.style.bottom = `${innerHeight - a.top + 8}px`; node.style.maxHeight = `${a.top - 16}px`; }
  // Escape closes only the popover, not the dialog below it.
  node.addEventListener('keydown', (event) => { if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); node.hidePopover(); } });
  return new Promise((done) => {
    node.addEventListener('toggle', (event) => {
      if (/** @type {any} */ (event).newState === 'open') return;
      anchor.setAttribute('aria-expanded', 'false');
      if (node.contains(document.activeElement) || document.activeElement === document.body) anchor.focus({ preventScroll: true });
      node.remove();
      done();
    });
  });
}

/**
 * Opens a menu at a button. `items` are `{ label, value, sign?, checked? }`; `onchoose(value)` is called with that of the chosen item.
 * @param {HTMLElement} anchor
 * @param {{ label: string, items: { label: string, value: string, sign?: string, checked?: boolean }[], onchoose: (value: string) => void }} options
 */
export function openMenu(anchor, { label, items, onchoose }) {
  const choices = items.map((one) => {
    const node = button(one.label, () => { menu.hidePopover(); onchoose(one.value); }, { kind: 'quiet', role: 'menuitemradio', 'aria-checked': String(Boolean(one.checked)), 'data-value': one.value, tabIndex: -1, before: one.sign ? icon(one.sign) : null });
    node.append(icon('check'));
    return node;
  });
  const menu = el('div', { class: 'menu', role: 'menu', 'aria-label': label }, ...choices);
  menu.addEventListener('keydown', (event) => {
    const at = choices.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: choices.length - 1 }[event.key];
    if (to === undefined) { if (event.key === 'Tab') menu.hidePopover(); return; }
    event.preventDefault();
    event.stopPropagation();
    choices[(to + choices.length) % choices.length].focus();
  });
  const closed = openPopover(anchor, menu);
  (choices.find((_, i) => items[i].checked) ?? choices[0])?.focus({ preventScroll: true });
  return closed;
}

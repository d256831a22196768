// A menu at a button: a few things of which one is chosen. It is a popover, so that a touch beside it or Escape puts it away and nothing of the
// view below changes its place.
import { button, el } from '../dom.js';
import { icon } from '../icons.js';

/**
 * Puts a popover beside what opened it, below it where there is room, and takes it away when it is left. Resolves once it is gone.
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
  // The browser gives the focus back to what had it.
  anchor.focus({ preventScroll: true });
  node.showPopover();
  const [a, box] = [anchor.getBoundingClientRect(), node.getBoundingClientRect()];
  const below = a.bottom + 8 + box.height <= innerHeight || a.top < innerHeight / 2;
  node.style.left = `${Math.max(8, Math.min(a.left, innerWidth - box.width - 8))}px`;
  if (below) { node.style.top = `${a.bottom + 8}px`; node.style.maxHeight = `${innerHeight - a.bottom - 16}px`; } else { node.style.bottom = `${innerHeight - a.top + 8}px`; node.style.maxHeight = `${a.top - 16}px`; }
  // Escape is for the popover alone; the dialog below it stays.
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
 * Opens a menu at a button: `items` are `{ label, value, sign?, checked? }`, of which `onchoose(value)` is told the chosen one.
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

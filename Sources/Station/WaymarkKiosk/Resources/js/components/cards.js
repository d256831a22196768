// The rail of cards, the detail view with the full text of a card, and the action of its button.
import { pictures } from '../api.js';
import { openDialog } from '../dialog.js';
import { button, el, printable, printableLines, still } from '../dom.js';
import { icon, svg } from '../icons.js';
import { qrMatrix } from '../qr.js';
import { said, t } from '../strings.js';

const SETTLED_MS = 160;

/**
 * A rail of cards: the selected one in the middle, with the edges of its neighbours. Calls `onmove("next" | "previous")` for the
 * buttons, `onchoose(id)` after a swipe to another card, and `onopen(id)` when a card is opened.
 */
export function cardRail({ onmove, onchoose, onopen }) {
  const strip = el('div', { class: 'strip' });
  const place = el('span', { class: 'place' });
  const steps = el('div', { class: 'steps' },
    button('', () => onmove('previous'), { kind: 'round', 'aria-label': t('ar.previous'), before: icon('back') }), place,
    button('', () => onmove('next'), { kind: 'round', 'aria-label': t('ar.next'), before: icon('forward') }));
  const node = el('section', { class: 'rail', 'aria-label': t('ar.cards'), hidden: true }, strip, steps);
  let ids = '';
  let chosen = null;
  let timer = 0;
  /** True if a person scrolls the strip; scrolling by `show` selects no card. */
  let swept = false;
  const cardOf = (id) => [...strip.children].find((card) => card.dataset.id === id) ?? null;
  for (const name of ['pointerdown', 'wheel', 'touchstart']) strip.addEventListener(name, () => { swept = true; }, { passive: true });
  strip.addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!swept) return;
      swept = false;
      const box = strip.getBoundingClientRect();
      const middle = box.left + box.width / 2;
      const distance = (card) => { const own = card.getBoundingClientRect(); return Math.abs(own.left + own.width / 2 - middle); };
      const nearest = [...strip.children].sort((a, b) => distance(a) - distance(b))[0];
      if (nearest && nearest.dataset.id !== chosen) onchoose(nearest.dataset.id);
    }, SETTLED_MS);
  }, { passive: true });

  const make = ({ id, card, icon: sign }) => el('button', { class: 'card', type: 'button', 'data-id': id, onclick: () => onopen(id) },
    card.image ? el('img', { alt: '', src: pictures.resource(card.image) }) : el('span', { class: 'sign' }, icon(sign ?? 'info')),
    el('span', { class: 'words' }, el('strong', {}, printable(said(card.title))), card.description ? el('span', { class: 'text' }, printable(said(card.description))) : null),
    icon('forward'));

  return {
    node,
    /** Shows cards for annotations, and selects one of them, which may be out of sight. */
    show(annotations, id, isInSight = true) {
      const next = annotations.map((one) => one.id).join('\n');
      if (next !== ids) { ids = next; strip.replaceChildren(...annotations.map(make)); }
      node.hidden = !annotations.length;
      const index = annotations.findIndex((one) => one.id === id);
      const changed = chosen !== id;
      chosen = id;
      if (id) node.dataset.card = id; else delete node.dataset.card;
      for (const card of strip.children) { if (card.dataset.id === id) card.setAttribute('aria-current', 'true'); else card.removeAttribute('aria-current'); }
      place.textContent = !isInSight ? t('ar.out') : index < 0 ? t('ar.count', { count: annotations.length }) : t('ar.place', { index: index + 1, count: annotations.length });
      steps.hidden = annotations.length < 2;
      const card = cardOf(id);
      if (card && changed) strip.scrollTo({ left: card.offsetLeft - strip.offsetLeft - (strip.clientWidth - card.offsetWidth) / 2, behavior: still.matches ? 'auto' : 'smooth' });
    },
    hide() { node.hidden = true; chosen = null; delete node.dataset.card; },
    /** Moves the focus to the selected card. */
    focus() { (cardOf(chosen) ?? strip.firstElementChild)?.focus({ preventScroll: true }); },
    /** The middle of the selected card's upper edge, in CSS pixels of the page; null while it is out of view. */
    edge() {
      const card = node.hidden ? null : cardOf(chosen);
      if (!card) return null;
      const box = card.getBoundingClientRect();
      const x = box.left + box.width / 2;
      return x < 0 || x > innerWidth ? null : { x, y: box.top };
    },
  };
}

const ACTIONS = { link: 'link', video: 'video', phone: 'phone', custom: 'custom' };

/** The detail of a card. `onclose()`, `onaction()`. */
export function detailPanel({ onclose, onaction }) {
  return function build({ card, anchor, businessObject }) {
    const facts = [[t('ar.fact.place'), anchor], [t('ar.fact.reference'), businessObject && typeof businessObject === 'object' ? businessObject.id : null]]
      .filter(([, value]) => typeof value === 'string' && value);
    return el('section', { class: 'sheet detail moving', role: 'group', tabIndex: -1, 'aria-label': t('ar.details', { title: printable(said(card.title)) }) },
      el('div', { class: 'head' }, el('h3', {}, printable(said(card.title))), button('', onclose, { kind: 'quiet round', 'aria-label': t('common.close'), before: icon('close') })),
      el('div', { class: 'body', tabIndex: 0, role: 'group', 'aria-label': printable(said(card.title)) },
        card.image ? el('img', { src: pictures.resource(card.image), alt: '' }) : null,
        card.description ? el('p', { class: 'text' }, printableLines(said(card.description))) : null,
        facts.length ? el('dl', {}, ...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, printable(value))])) : null),
      card.actionText ? button(printable(said(card.actionText)), onaction, { kind: 'primary', before: icon(ACTIONS[card.actionType] ?? 'custom') }) : null);
  };
}

/** Draws the QR code of a text; null if the text is too long. */
export function qrDrawing(text) {
  const matrix = qrMatrix(text);
  if (!matrix) return null;
  const n = matrix.length;
  const d = matrix.flatMap((row, r) => row.map((dark, c) => (dark ? `M${c + 4} ${r + 4}h1v1h-1z` : ''))).join('');
  return svg('svg', { viewBox: `0 0 ${n + 8} ${n + 8}`, role: 'img', 'aria-label': t('take.code'), 'shape-rendering': 'crispEdges' }, svg('path', { d, fill: 'var(--code-ink)' }));
}

/** True if a film is of the page's own origin; the page loads nothing from others. */
const isHere = (address) => { try { return new URL(address, location.href).origin === location.origin; } catch { return false; } };

/**
 * Opens a dialog for a card's action: it plays a film, or shows an address or a phone number with a QR code for a phone.
 * Returns null for actions of programs.
 */
export function takeAlong({ actionType, actionData, title }) {
  if (!actionData || !['link', 'video', 'phone'].includes(actionType)) return null;
  const address = actionType === 'phone' ? `tel:${actionData.replace(/[^+0-9*#]/g, '')}` : actionData;
  return openDialog({
    label: title,
    build: (dialog) => el('div', { class: 'take', 'data-action': actionType },
      el('h2', {}, title),
      ...(actionType === 'video' && isHere(address)
        ? [el('video', { src: address, controls: true, autoplay: true, playsInline: true })]
        : [el('p', { class: 'soft' }, t(`take.${actionType}`)), qrDrawing(address), el('p', { class: 'address' }, printable(actionData))]),
      button(t('common.close'), () => dialog.close(), { kind: 'primary', 'data-first': true })),
  }).closed;
}

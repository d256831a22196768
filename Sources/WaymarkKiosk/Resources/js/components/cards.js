// The card that slides in from the left, and the detail panel that comes from below.
import { pictures } from '../api.js';
import { el, icon, printable } from '../dom.js';
import { t } from '../strings.js';

const SWIPE = 40;

/** The button of a card, with the icon of what it does. */
function actionButton(card, onaction) {
  if (!card.actionText) return null;
  return el('button', { class: 'button primary', type: 'button', onclick: onaction }, icon(card.actionType === 'phone' ? 'device' : 'link'), printable(card.actionText));
}

/** A rail that shows one card. `onmove("next"|"previous")`, `onopen()`. */
export function cardRail({ onmove, onopen }) {
  const title = el('strong', {});
  const text = el('span', { class: 'text' });
  const image = el('img', { alt: '', hidden: true });
  const place = el('span', { class: 'place', 'aria-hidden': 'true' });
  const card = el('button', { class: 'card', type: 'button', onclick: () => { if (!moved) onopen(); } }, image, el('span', { class: 'words' }, title, text));
  const node = el('section', { class: 'rail', 'aria-label': t('ar.cards'), hidden: true },
    card,
    el('div', { class: 'steps' },
      el('button', { class: 'button', type: 'button', 'aria-label': t('ar.previous'), onclick: () => onmove('previous') }, icon('back')), place,
      el('button', { class: 'button', type: 'button', 'aria-label': t('ar.next'), onclick: () => onmove('next') }, icon('forward'))));
  let start = null;
  let moved = false;
  let shown = null;
  card.addEventListener('pointerdown', (event) => { start = event.clientX; moved = false; });
  card.addEventListener('pointerup', (event) => {
    const by = start === null ? 0 : event.clientX - start;
    start = null;
    if (Math.abs(by) < SWIPE) return;
    moved = true;
    setTimeout(() => { moved = false; });
    onmove(by < 0 ? 'next' : 'previous');
  });
  card.addEventListener('pointercancel', () => { start = null; });
  return {
    node,
    show(id, value, at) {
      if (shown !== id) { node.classList.remove('in'); void node.offsetWidth; node.classList.add('in'); }
      shown = id;
      node.hidden = false;
      node.dataset.card = id;
      title.textContent = printable(value.title);
      text.textContent = printable(value.description ?? '');
      image.hidden = !value.image;
      if (value.image) image.src = pictures.resource(value.image);
      place.textContent = at ? `${at.index + 1} / ${at.count}` : '';
    },
    hide() { shown = null; node.hidden = true; delete node.dataset.card; },
    /** The middle of the card's right edge, in CSS pixels of the page; null while it is hidden. */
    edge() { if (node.hidden) return null; const box = card.getBoundingClientRect(); return { x: box.right, y: box.top + box.height / 2 }; },
  };
}

/** The detail panel of a card. `onclose()`, `onaction()`. */
export function detailPanel({ onclose, onaction }) {
  const node = el('section', { class: 'detail', role: 'dialog', 'aria-modal': 'false', tabIndex: -1, hidden: true });
  return {
    node,
    show(card) {
      node.setAttribute('aria-label', t('ar.details', { title: printable(card.title) }));
      node.replaceChildren(...[
        el('header', {}, el('h3', {}, printable(card.title)), el('button', { class: 'button quiet', type: 'button', 'aria-label': t('common.close'), onclick: onclose }, icon('close'))),
        card.image ? el('img', { src: pictures.resource(card.image), alt: '' }) : null,
        card.description ? el('p', {}, printable(card.description)) : null,
        el('div', { class: 'actions' }, actionButton(card, onaction)),
      ].filter(Boolean));
      node.hidden = false;
      node.focus();
    },
    hide() { node.hidden = true; node.replaceChildren(); },
  };
}

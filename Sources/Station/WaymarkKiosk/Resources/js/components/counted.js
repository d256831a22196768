// The list of a count, which can be sorted and filtered by symbology. The details of a code let a visitor correct its amount.
import { openDialog } from '../dialog.js';
import { button, el, printable } from '../dom.js';
import { toast } from '../elements/feedback.js';
import { openMenu } from '../elements/menu.js';
import '../elements/stepper.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';

/** The names of the symbologies: `Symbology.displayName`. */
const NAMES = {
  // table symbology-names
  qr: 'QR Code', sq: 'SQ Code', ean13: 'EAN-13', ean8: 'EAN-8', upcA: 'UPC-A', upcE: 'UPC-E', code128: 'Code 128', code39: 'Code 39', code93: 'Code 93',
  codabar: 'Codabar', itf: 'ITF', dataBar: 'DataBar', dataBarExpanded: 'DataBar Expanded', dataBarLimited: 'DataBar Limited', code32: 'Code 32',
  standard2of5: 'Standard 2 of 5', iata2of5: 'IATA 2 of 5', matrix2of5: 'Matrix 2 of 5', code11: 'Code 11', code11Unchecked: 'Code 11, unchecked', msi: 'MSI',
  msiUnchecked: 'MSI, unchecked', telepen: 'Telepen', pharmacode: 'Pharmacode', pharmacode2: 'Pharmacode, two tracks', ean2: 'EAN-2', ean5: 'EAN-5',
  dataMatrix: 'Data Matrix', aztec: 'Aztec Code', pdf417: 'PDF417', microPDF417: 'MicroPDF417', microQR: 'Micro QR Code', rMQR: 'rMQR Code',
  maxiCode: 'MaxiCode', dotCode: 'DotCode', intelligentMail: 'Intelligent Mail', rm4scc: 'RM4SCC', mailmark: 'Mailmark', kix: 'KIX',
  australiaPost: 'Australia Post', japanPost: 'Japan Post', hanXin: 'Han Xin Code',
  // end table symbology-names
};
const kindOf = (symbology) => NAMES[symbology] ?? symbology;

/** The name of a code in the list; a code has none if its text is data for programs, an address, or possibly a secret. */
const articleName = (name) => (name === undefined ? t('count.unnamed') : printable(name));

const ORDERS = {
  newest: (a, b) => b.index - a.index,
  name: (a, b) => articleName(a.name).localeCompare(articleName(b.name), document.documentElement.lang) || b.index - a.index,
  amount: (a, b) => b.amount - a.amount || b.index - a.index,
};

/**
 * The list; calls `onchange()` after a correction.
 * @param {{ onchange: () => void }} options
 */
export function countedList({ onchange }) {
  let order = 'newest';
  let kind = '';
  let codes = [];
  let by = 'place';
  /** The expected articles, by the contents of their codes. @type {Map<string, { text: string, name?: string, amount: number }>} */
  let expected = new Map();
  /** The number of copies that were added by hand to expected articles that were not seen. @type {Map<string, number>} */
  const added = new Map();
  /** The corrections of amounts, by the index of the code in the service's list. Later counts are added to them. @type {Map<number, number>} */
  const corrected = new Map();

  const list = el('ul', { class: 'codes', 'aria-label': t('count.list'), tabIndex: 0 });
  const summary = el('span', { class: 'grow' });
  const bar = el('div', { class: 'filtered', role: 'status', hidden: true }, icon('funnel'), summary, button(t('count.filter.off'), () => filterBy(''), { kind: 'quiet', 'data-unfilter': true }));
  const sort = button('', () => openMenu(sort, {
    label: t('count.sort'), items: Object.keys(ORDERS).map((value) => ({ label: t(`count.sort.${value}`), value, checked: value === order })),
    onchoose: (value) => { order = value; draw(); toast(t('count.sorted', { order: t(`count.sort.${value}`) })); },
  }), { kind: 'quiet round', 'aria-label': t('count.sort'), 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'data-sort': true, before: icon('sort') });
  const filter = button('', () => openMenu(filter, {
    label: t('count.filter'), items: [{ label: t('count.filter.all'), value: '', checked: !kind }, ...[...new Set(rows().map(({ symbology }) => symbology))].map((value) => ({ label: kindOf(value), value, checked: value === kind }))],
    onchoose: filterBy,
  }), { kind: 'quiet round', 'aria-label': t('count.filter'), 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'data-kinds': true, before: icon('funnel') });

  const kept = () => codes.map((one, index) => ({ ...one, index, copies: one.amount + (corrected.get(index) ?? 0) }));
  /** The corrected codes; those with the amount 0 are left out, unless they are expected. */
  const rows = () => [...kept().filter(({ copies, text }) => copies > 0 || (text !== undefined && expected.has(text))), ...unseen()]
    .map((one) => ({ ...one, name: expected.get(one.text ?? '')?.name ?? one.name, amount: by === 'place' ? one.copies : Math.min(1, one.copies) }));
  /** The expected articles that were not seen, with the copies added by hand. Their indexes are below 0. */
  const unseen = () => [...expected.values()].map((one, index) => ({ symbology: '', text: one.text, name: one.name ?? one.text, index: -1 - index, copies: added.get(one.text) ?? 0, amount: 0 })).filter(({ text }) => !codes.some((one) => one.text === text));
  const wanted = ({ text }) => (by === 'place' || !expected.has(text) ? expected.get(text)?.amount : Math.min(1, expected.get(text)?.amount ?? 0));
  /** The amount of a row minus the expected one; null for an article that is not expected. */
  const difference = (one) => (expected.has(one.text) ? one.amount - (wanted(one) ?? 0) : null);
  /** The first sort key: rows that differ from the expected amount come first. */
  const first = (one) => (expected.size && difference(one) !== 0 ? 0 : 1);
  const visible = () => rows().filter(({ symbology }) => !kind || symbology === kind).sort((a, b) => first(a) - first(b) || ORDERS[order](a, b));
  const verdict = (one) => { const by = difference(one); return by === null ? t('count.unknown') : by < 0 ? t('count.missing', { count: -by }) : by > 0 ? t('count.surplus', { count: by }) : t('count.complete'); };

  function filterBy(value) { kind = value; draw(); }

  function set(index, copies) {
    if (index < 0) added.set([...expected.keys()][-1 - index], copies);
    else corrected.set(index, copies - codes[index].amount);
    draw();
    onchange();
  }

  function remove(index) {
    const before = index < 0 ? rows().find((one) => one.index === index)?.copies ?? 0 : codes[index].amount + (corrected.get(index) ?? 0);
    set(index, 0);
    toast(t('count.removed'), { action: { label: t('document.undo'), onclick: () => { if (index < 0 || codes[index]) set(index, before); } } });
  }

  /** Opens the details of one code, with buttons for its neighbours in the list. */
  function details(index) {
    const head = el('div', { class: 'object' });
    const place = el('span', {});
    const facts = el('dl', {});
    const amount = el('wm-stepper', { label: t('count.amount'), minimum: expected.size ? '0' : '1', maximum: '9999', name: 'amount' });
    const step = (way) => { const all = visible(); const at = all.findIndex((one) => one.index === index); index = all[at + way]?.index ?? index; show(way); };
    const back = button('', () => step(-1), { kind: 'quiet round', 'aria-label': t('count.earlier'), before: icon('back') });
    const next = button('', () => step(1), { kind: 'quiet round', 'aria-label': t('count.later'), before: icon('forward') });
    amount.addEventListener('input', () => { if (amount.checkValidity() && amount.value) set(index, Number(amount.value)); });
    const away = button(t('count.remove'), () => { dialog.close(); remove(index); }, { 'data-remove': true, before: icon('trash') });
    const content = el('div', { class: 'content' }, head, facts, amount);

    function show(way = 0) {
      const all = visible();
      const at = all.findIndex((one) => one.index === index);
      // The count was reset meanwhile.
      if (at < 0) { dialog.close(); return; }
      const { name, symbology, text, copies } = all[at];
      place.textContent = t('count.place', { number: at + 1, count: all.length });
      head.replaceChildren(el('span', { class: 'sign' }, icon(['qr', 'microQR', 'rMQR', 'dataMatrix', 'aztec', 'maxiCode', 'dotCode'].includes(symbology) ? 'qr' : 'barcode')), el('div', { class: 'grow' }, el('h2', {}, articleName(name)), el('span', { class: 'soft' }, expected.size ? verdict(all[at]) : kindOf(symbology))));
      // An expected article stays in the list with any amount.
      away.hidden = expected.has(text);
      facts.replaceChildren(...(symbology ? [el('dt', {}, t('count.kind')), el('dd', {}, kindOf(symbology))] : []), ...(expected.has(text) ? [el('dt', {}, t('count.wanted')), el('dd', {}, String(wanted(all[at])))] : []), ...(text && name !== undefined ? [el('dt', {}, t('count.content')), el('dd', {}, printable(text))] : []));
      amount.value = String(copies);
      back.disabled = at <= 0;
      next.disabled = at >= all.length - 1;
      if (way) { content.dataset.way = String(way); content.getAnimations().forEach((one) => one.cancel()); content.style.animation = 'none'; content.getBoundingClientRect(); content.style.animation = ''; }
    }

    const dialog = openDialog({
      label: t('count.details'), kind: 'ask push details',
      build: (self) => el('div', { class: 'column', 'data-state': 'count-details' },
        el('header', { class: 'heading' }, back, el('p', { class: 'grow' }, place, el('strong', {}, t('count.list'))), next), content,
        el('div', { class: 'actions' }, away, button(t('common.close'), () => self.close(), { kind: 'primary', 'data-first': true }))),
    });
    show();
  }

  const row = (one) => el('li', {}, el('button', { type: 'button', class: 'row', 'data-index': String(one.index), 'data-difference': expected.size ? Math.sign(difference(one) ?? 2) : null, onclick: () => details(one.index) },
    el('span', { class: 'amount' }, expected.has(one.text) ? `${one.amount} / ${wanted(one)}` : `${one.amount} ×`), el('span', { class: 'what' }, el('strong', {}, articleName(one.name)), el('span', { class: 'soft' }, expected.size ? verdict(one) : kindOf(one.symbology))), expected.size ? icon(difference(one) === 0 ? 'check' : 'alert') : icon('forward')));

  function draw() {
    const all = rows();
    if (kind && !all.some(({ symbology }) => symbology === kind)) kind = '';
    const some = visible();
    const held = /** @type {any} */ (document.activeElement)?.dataset?.index;
    list.replaceChildren(...some.map(row));
    if (held) /** @type {HTMLElement | null} */ (list.querySelector(`[data-index="${held}"]`))?.focus({ preventScroll: true });
    bar.hidden = !kind;
    summary.textContent = kind ? t('count.filtered', { kind: kindOf(kind), shown: some.length, count: all.length }) : '';
    filter.toggleAttribute('data-on', Boolean(kind));
  }

  return {
    list, bar, sort, filter,
    /** The corrected codes as `[{ symbology, name, text, amount }]`, in the order in which they were counted. */
    get rows() { return rows(); },
    /** Sets the service's list, the way of counting ("place" counts copies, "content" does not), and the expected articles. */
    take(list, how, wants = []) { codes = list; by = how; expected = new Map(wants.map((one) => [one.text, one])); draw(); },
    /** The differences from the expected articles, as `list` of `{ text, expected, counted }` and in `words`; null if none are expected. */
    get differences() {
      if (!expected.size) return null;
      const all = rows();
      const some = all.filter((one) => difference(one) !== 0);
      if (!all.some((one) => one.amount > 0)) return { words: t('count.awaited', { count: [...expected.values()].reduce((total, one) => total + (wanted(one) ?? 0), 0) }), list: [] };
      const sum = (which) => all.reduce((total, one) => total + Math.max(0, which * (difference(one) ?? 0)), 0);
      const words = [[sum(-1), 'count.missing'], [sum(1), 'count.surplus'], [all.filter((one) => difference(one) === null).length, 'count.unknowns']].filter(([count]) => count).map(([count, key]) => t(String(key), { count: Number(count) }));
      return { words: words.join(' · ') || t('count.complete'), list: some.map((one) => ({ text: one.text ?? '', expected: wanted(one) ?? 0, counted: one.amount })) };
    },
    /** Removes the corrections and the filter. */
    clear() { corrected.clear(); added.clear(); kind = ''; },
  };
}

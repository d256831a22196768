// <wm-keyboard>: an on-screen keyboard, for a kiosk without a keyboard. One instance serves the whole page: after `keyboard.begin()` it is
// shown while a text control has the focus.
//
// The page becomes lower by its height (--keyboard), and the control is scrolled into the remaining area, so that the keyboard never covers
// a field. Its keys depend on the control's `inputmode` (text, email, url, numeric, decimal, tel) and on the page's language. Like a real
// keyboard it dispatches `beforeinput`, which may be cancelled, and then `input`. It is a popover within the topmost dialog, because
// everything outside of an open dialog is inert.
// Parts: keys, key. Event: `wm-keyboard`, with detail `{ open }`, on the document.
import '../texts.js';
import { el, everything, focused } from '../dom.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { keyboardStyle } from './keyboard-style.js';

const LETTERS = {
  en: { name: 'English', rows: ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'] },
  de: { name: 'Deutsch', rows: ['qwertzuiopü', 'asdfghjklöä', 'yxcvbnmß'] },
};
/** The variants of a letter that are offered while its key is held. */
const HELD = {
  a: 'àáâãäåæ', c: 'çćč', d: 'ďđ', e: 'éèêëęě', g: 'ğ', i: 'íìîïı', l: 'ł', n: 'ñńň', o: 'óòôõöøœ', r: 'ř', s: 'ßśšş', t: 'ťț', u: 'úùûüů', y: 'ýÿ', z: 'žźż',
  '-': '–—_', '.': '…', '$': '€£¥', "'": '’‘', '"': '„“”»«',
};
const SIGNS = [['1234567890', '@#€_&-+()/', '*"\':;!?,'], ['~`|•√π÷×§∆', '£¥$¢^°={}\\', '%©®<>[]¿']];
const PADS = { numeric: ['123', '456', '789', '0'], decimal: ['123', '456', '789', ',0-'], tel: ['123', '456', '789', '+0#'] };
const EDITABLE = ['text', 'password', 'search', 'email', 'tel', 'url', 'number'];

const isEditable = (node) => Boolean(node) && !node.readOnly && !node.disabled && (node.tagName === 'TEXTAREA' || (node.tagName === 'INPUT' && EDITABLE.includes(node.type)));

class Keyboard extends HTMLElement {
  #root = this.attachShadow({ mode: 'open' });
  #keys = el('div', { class: 'keys', part: 'keys' });
  #held = el('div', { class: 'held', hidden: true });
  /** The control into which the keyboard writes; null while it is hidden. */
  #at = /** @type {any} */ (null);
  #layer = 'letters';
  /** The state of Shift: '' (off), 'once' (for the next letter) or 'lock'. */
  #shift = '';
  #language = 'en';
  #spoken = '';
  #timer = 0;
  #beat = 0;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [keyboardStyle];
    this.#root.append(this.#keys, this.#held);
    // The focus stays in the control.
    this.addEventListener('pointerdown', (event) => event.preventDefault());
    this.addEventListener('mousedown', (event) => event.preventDefault());
    for (const name of ['pointerup', 'pointercancel']) this.addEventListener(name, () => this.#release());
    this.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /** Shows the keyboard from now on whenever a text control has the focus. */
  begin() {
    this.setAttribute('popover', 'manual');
    this.setAttribute('role', 'region');
    document.addEventListener('focusin', () => this.#follow());
    document.addEventListener('focusout', () => setTimeout(() => this.#follow()));
    // A touch of the focused control shows the keyboard again, if it was hidden.
    document.addEventListener('click', (event) => { if (event.composedPath().includes(focused())) this.#follow(); });
    addEventListener('resize', () => { if (this.#at) this.#measure(); });
  }

  get isOpen() { return Boolean(this.#at); }

  #follow() {
    const node = focused();
    if (node && this.contains(node)) return;
    if (!isEditable(node)) { this.hide(); return; }
    const host = document.activeElement?.closest('dialog') ?? document.body;
    if (node === this.#at && this.parentNode === host) return;
    const fresh = !this.#at;
    this.#at = node;
    this.setAttribute('aria-label', t('keys.label'));
    // The page's language, until another one is chosen on the keyboard.
    const spoken = document.documentElement.lang;
    if (fresh || spoken !== this.#spoken) this.#language = spoken in LETTERS ? spoken : 'en';
    this.#spoken = spoken;
    this.#layer = node.inputMode in PADS ? node.inputMode : 'letters';
    this.#shift = this.#begins() ? 'once' : '';
    this.#draw();
    if (this.parentNode !== host) host.append(this);
    if (!this.matches(':popover-open')) /** @type {any} */ (this).showPopover();
    this.#measure();
    if (fresh) document.dispatchEvent(new CustomEvent('wm-keyboard', { detail: { open: true } }));
  }

  /** Hides the keyboard; the focus stays. */
  hide() {
    this.#release();
    if (!this.#at) return;
    this.#at = null;
    if (this.matches(':popover-open')) /** @type {any} */ (this).hidePopover();
    document.documentElement.style.removeProperty('--keyboard');
    delete document.documentElement.dataset.keyboard;
    document.dispatchEvent(new CustomEvent('wm-keyboard', { detail: { open: false } }));
  }

  #measure() {
    document.documentElement.style.setProperty('--keyboard', `${Math.ceil(this.getBoundingClientRect().height)}px`);
    document.documentElement.dataset.keyboard = '';
    // Shows the whole field with its message; if that does not fit, the control itself.
    const host = this.#at.getRootNode().host ?? this.#at;
    host.scrollIntoView({ block: 'nearest' });
    this.#at.scrollIntoView({ block: 'nearest' });
  }

  /** True if a sentence begins at the position of the cursor. */
  #begins() {
    const { autocapitalize, selectionStart, value, type } = this.#at;
    return type !== 'password' && autocapitalize === 'sentences' && /(^|[.!?]\s+)$/.test(value.slice(0, selectionStart ?? value.length));
  }

  // Writing

  #type(text, inputType = 'insertText') {
    const node = this.#at;
    if (!node) return;
    const erase = inputType === 'deleteContentBackward';
    const event = new InputEvent('beforeinput', { inputType, data: text || null, bubbles: true, cancelable: true, composed: true });
    if (!node.dispatchEvent(event)) return;
    let [from, to] = [node.selectionStart ?? node.value.length, node.selectionEnd ?? node.value.length];
    if (erase && from === to) from -= [...node.value.slice(0, from)].at(-1)?.length ?? 0;
    if (erase && from === to) return;
    node.setRangeText(text, Math.max(0, from), to, 'end');
    node.dispatchEvent(new InputEvent('input', { inputType, data: text || null, bubbles: true, composed: true }));
    const shift = this.#shift === 'lock' ? 'lock' : this.#begins() ? 'once' : '';
    if (shift !== this.#shift) { this.#shift = shift; this.#draw(); }
  }

  /** The text controls of the same form or dialog, in their order. */
  #neighbours() {
    const host = this.#at.getRootNode().host;
    const scope = (host ?? this.#at).closest('form, dialog') ?? document.body;
    return everything(scope).filter((one) => isEditable(one) && one.getClientRects().length);
  }

  #next() { const all = this.#neighbours(); return all[all.indexOf(this.#at) + 1]; }

  #act(action) {
    const node = this.#at;
    switch (action) {
      case 'shift': this.#shift = { '': 'once', once: 'lock', lock: '' }[this.#shift]; break;
      case 'letters': case 'signs': case 'more': this.#layer = action; break;
      case 'language': { const all = Object.keys(LETTERS); this.#language = all[(all.indexOf(this.#language) + 1) % all.length]; break; }
      case 'erase': this.#type('', 'deleteContentBackward'); return;
      case 'enter':
        if (node.tagName === 'TEXTAREA') this.#type('\n', 'insertLineBreak');
        else if (this.#next()) this.#next().focus();
        else this.hide();
        return;
      case 'hide': this.hide(); return;
    }
    this.#draw();
    this.#measure();
  }

  // Keys react to the press rather than the release, so that two thumbs do not wait for each other. A screen reader sends only a click.

  #press(key, event) {
    clearTimeout(this.#timer);
    key.classList.add('down');
    const { text, action } = key.dataset;
    if (action) {
      this.#act(action);
      if (action === 'erase') this.#timer = window.setTimeout(() => { this.#beat = window.setInterval(() => this.#act('erase'), 60); }, 450);
      return;
    }
    this.#type(text);
    const more = HELD[text.toLowerCase()];
    if (more) this.#timer = window.setTimeout(() => this.#offer(key, this.#shift || text !== text.toLowerCase() ? more.toUpperCase().replace('SS', 'ß') : more), 450);
    event?.preventDefault();
  }

  /** Offers the variants of a letter above its key; the chosen one replaces the letter that was written. */
  #offer(key, choices) {
    this.#held.replaceChildren(...[...choices].map((one) => this.#button(one, () => { this.#type('', 'deleteContentBackward'); this.#type(one); this.#held.hidden = true; })));
    this.#held.hidden = false;
    const [outer, box] = [this.getBoundingClientRect(), key.getBoundingClientRect()];
    const width = this.#held.getBoundingClientRect().width;
    this.#held.style.left = `${Math.max(4, Math.min(outer.width - width - 4, box.left - outer.left + (box.width - width) / 2))}px`;
    this.#held.style.bottom = `${outer.bottom - box.top + 4}px`;
  }

  #release() {
    clearTimeout(this.#timer);
    clearInterval(this.#beat);
    for (const one of this.#root.querySelectorAll('.down')) one.classList.remove('down');
  }

  // Drawing

  #button(text, run, more = {}) {
    const node = el('button', { type: 'button', class: 'key', part: 'key', tabIndex: -1, 'data-text': text, ...more }, text);
    node.addEventListener('pointerdown', (event) => { if (event.button === 0) run(node, event); });
    node.addEventListener('click', (event) => { if (event.detail === 0) run(node, event); });
    return node;
  }

  #letter(text) { return this.#button(text, (key, event) => { this.#held.hidden = true; this.#press(key, event); }, { 'data-more': text.toLowerCase() in HELD }); }
  #action(action, label, content, kind = '') {
    const node = this.#button('', (key, event) => { this.#held.hidden = true; this.#press(key, event); }, { 'data-action': action, 'data-text': undefined, class: `key other ${kind}`.trim(), 'aria-label': label });
    node.append(content);
    return node;
  }

  #draw() {
    this.#held.hidden = true;
    const several = this.#at.tagName === 'TEXTAREA';
    const [go, kind] = several ? ['keys.enter', ''] : [this.#next() ? 'keys.next' : 'keys.done', 'go'];
    const erase = this.#action('erase', t('keys.delete'), icon('erase'));
    const enter = this.#action('enter', t(go), several ? '⏎' : t(go), `wide ${kind}`);
    const hide = this.#action('hide', t('keys.hide'), icon('hide'));
    const row = (...keys) => el('div', { class: 'row' }, ...keys);
    const letters = (text) => [...text].map((one) => this.#letter(one));
    const mode = this.#layer;
    this.#keys.dataset.layer = mode;
    if (mode in PADS) {
      const decimal = Intl.NumberFormat(document.documentElement.lang || 'en').format(1.5)[1];
      const rows = PADS[mode].map((one) => letters(one.replace(',', decimal)));
      this.#keys.replaceChildren(row(...rows[0], erase), row(...rows[1], this.#action('letters', t('keys.letters.label'), t('keys.letters'))), row(...rows[2], hide), row(...(rows[3].length > 1 ? rows[3] : [el('span', { class: 'key none' }), ...rows[3], el('span', { class: 'key none' })]), enter));
      return;
    }
    const wanted = this.#at.inputMode;
    const bottom = wanted === 'email' ? '@.-_' : wanted === 'url' ? '/.-:' : ',.';
    const space = this.#button(' ', (key, event) => this.#press(key, event), { class: 'key space', 'aria-label': t('keys.space') });
    space.textContent = mode === 'letters' ? LETTERS[this.#language].name : '';
    const last = [hide, ...letters(bottom.slice(0, -1)), space, ...letters(bottom.slice(-1)), enter];
    if (mode === 'letters') {
      const up = (text) => this.#shift ? text.toUpperCase().replace('SS', 'ẞ') : text;
      const [first, second, third] = LETTERS[this.#language].rows;
      const shift = this.#action('shift', t('keys.shift'), icon('shift'), this.#shift);
      shift.setAttribute('aria-pressed', String(Boolean(this.#shift)));
      this.#keys.replaceChildren(row(...letters('1234567890')), row(...letters(up(first))), row(...letters(up(second))), row(shift, ...letters(up(third)), erase),
        row(this.#action('signs', t('keys.symbols.label'), t('keys.symbols')), this.#action('language', t('keys.language', { name: LETTERS[this.#language].name }), this.#language.toUpperCase()), ...last));
    } else {
      const [first, second, third] = SIGNS[mode === 'more' ? 1 : 0];
      const other = mode === 'more' ? this.#action('signs', t('keys.symbols.label'), '?123') : this.#action('more', t('keys.more.label'), '=\\<');
      this.#keys.replaceChildren(row(...letters(first)), row(...letters(second)), row(other, ...letters(third), erase), row(this.#action('letters', t('keys.letters.label'), t('keys.letters')), ...last));
    }
  }
}

customElements.define('wm-keyboard', Keyboard);

/** The page's keyboard. */
export const keyboard = /** @type {Keyboard} */ (document.createElement('wm-keyboard'));

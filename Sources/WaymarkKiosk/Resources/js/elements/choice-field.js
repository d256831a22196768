// <wm-choice>, <wm-date>, <wm-stepper>: what is chosen instead of written. All three have the interface of <wm-text-field> that a form
// asks for: label, name, value, required, helper; checkValidity(), reportValidity(), focus(); input events.
//
//   <wm-choice name="state" label="State"></wm-choice>   with `options`, a list of { value, label }: buttons for up to four, a list for more
//   <wm-choice variant="list">                           a list in any case
//   <wm-date name="best-before" label="Best before">     its value is 2026-11-26; day, month and year are chosen apart, in the page's language
//   <wm-stepper name="quantity" label="Quantity" minimum="0" maximum="99" suffix="pieces">
//
// Parts: label, box, message.
import { button, el } from '../dom.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { fieldStyle } from './text-field-style.js';

const style = new CSSStyleSheet();
style.replaceSync(`
.choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); gap: var(--s2); }
.choices button { min-height: max(3.25rem, 50px); align-self: auto; border: 2px solid var(--line-strong); border-radius: var(--radius-small); background: var(--surface-raised); color: var(--text); font: inherit; font-weight: 600; padding: var(--s2) var(--s3); }
.choices button[aria-checked="true"] { border-color: var(--accent); background: var(--accent-soft); box-shadow: inset 0 0 0 1px var(--accent); }
.choices button:focus-visible { outline-offset: 2px; }
.box.parts { gap: 0; }
.box.parts > * + * { border-inline-start: 1px solid var(--line); }
select { flex: 1; min-width: 0; min-height: max(3rem, 48px); font: inherit; color: inherit; background: var(--surface-raised); border: 0; padding: 0 .9rem; outline: none; cursor: pointer; border-radius: var(--radius-small); }
.stepper input { text-align: center; font-variant-numeric: tabular-nums; }
.stepper .affix { padding-inline-end: .9rem; }
.stepper button { font-size: var(--type-title); font-weight: 700; }
`);

/** What the three have in common: a label above, a message below, and a value that a form takes. */
class ChosenField extends HTMLElement {
  static formAssociated = true;
  internals = this.attachInternals();
  root = this.attachShadow({ mode: 'open', delegatesFocus: true });
  words = el('span', {});
  star = el('span', { class: 'star', 'aria-hidden': 'true' }, ' *');
  option = el('span', { class: 'soft', hidden: true });
  message = el('span', { class: 'message', part: 'message', id: 'message', role: 'status' });
  below = el('div', { class: 'below' }, this.message);
  chosen = '';
  touched = false;

  get name() { return this.getAttribute('name'); }
  get value() { return this.chosen; }
  set value(text) { this.chosen = String(text ?? ''); this.draw(); }
  get problem() { return this.hasAttribute('required') && !this.chosen ? t('field.missing', { label: this.getAttribute('label') ?? '' }) : ''; }
  /** The control that has the focus first; the on-screen keyboard and tests use it. */
  get input() { return /** @type {HTMLElement} */ (this.root.querySelector('input, select, [aria-checked="true"], .choices button')); }

  checkValidity() { return !this.problem; }
  reportValidity() { this.touched = true; this.draw(); return !this.problem; }
  formResetCallback() { this.touched = false; this.value = this.getAttribute('value') ?? ''; }

  connectedCallback() {
    if (this.root.childElementCount) return;
    this.root.adoptedStyleSheets = [fieldStyle, style];
    this.chosen = this.getAttribute('value') ?? '';
    this.root.append(el('div', { class: 'field', role: 'group', 'aria-labelledby': 'label', 'aria-describedby': 'message' },
      el('label', { id: 'label', part: 'label', htmlFor: 'input' }, this.words, this.star, this.option), this.build(), this.below));
    this.draw();
  }

  /** Somebody chose: the form is told. */
  choose(value) {
    this.touched = true;
    this.value = value;
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  }

  /** @returns {any} */
  build() { return null; }

  draw() {
    const problem = this.touched ? this.problem : '';
    this.words.textContent = this.getAttribute('label') ?? '';
    this.star.hidden = !this.hasAttribute('required');
    this.option.hidden = !this.hasAttribute('optional');
    this.option.textContent = ` ${t('field.optional')}`;
    this.message.className = problem ? 'message error' : 'message';
    this.message.textContent = problem || (this.getAttribute('helper') ?? '');
    if (problem) this.below.dataset.kind = 'error'; else delete this.below.dataset.kind;
    this.root.querySelector('.box')?.toggleAttribute('data-wrong', Boolean(problem));
    this.input?.setAttribute('aria-invalid', String(Boolean(problem)));
    this.internals.setFormValue(this.chosen);
  }
}

/** One of several. */
class Choice extends ChosenField {
  /** @type {{ value: string, label: string }[]} */
  options = [];
  node = /** @type {any} */ (null);

  build() {
    const many = this.options.length > 4 || this.getAttribute('variant') === 'list';
    if (many) {
      this.node = el('select', { id: 'input', onchange: () => this.choose(this.node.value) }, el('option', { value: '' }, t('field.choose')), ...this.options.map((one) => el('option', { value: one.value }, one.label)));
      return el('div', { class: 'box', part: 'box' }, this.node);
    }
    this.node = el('div', { class: 'choices', role: 'radiogroup', 'aria-labelledby': 'label', part: 'box', onkeydown: (event) => this.step(event) },
      ...this.options.map((one) => el('button', { type: 'button', role: 'radio', 'data-value': one.value, onclick: () => this.choose(one.value) }, one.label)));
    return this.node;
  }

  step(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = this.options.findIndex((one) => one.value === this.chosen);
    this.choose(this.options[(at + by + this.options.length) % this.options.length].value);
    this.input?.focus();
  }

  draw() {
    super.draw();
    if (!this.node) return;
    if (this.node.nodeName === 'SELECT') { this.node.value = this.chosen; return; }
    for (const [i, one] of [...this.node.children].entries()) {
      const on = one.dataset.value === this.chosen;
      one.setAttribute('aria-checked', String(on));
      one.tabIndex = on || !this.chosen && i === 0 ? 0 : -1;
    }
  }
}

/** A day. */
class DateField extends ChosenField {
  parts = /** @type {any[]} */ ([]);

  build() {
    const lang = document.documentElement.lang || 'en';
    const now = new Date().getFullYear();
    const months = Array.from({ length: 12 }, (_, i) => new Intl.DateTimeFormat(lang, { month: 'long' }).format(new Date(2026, i, 1)));
    const make = (key, values) => el('select', { 'aria-label': t(`date.${key}`), 'data-part': key, onchange: () => this.put() }, el('option', { value: '' }, t(`date.${key}`)), ...values.map(([value, label]) => el('option', { value }, label)));
    const two = (n) => String(n).padStart(2, '0');
    const day = make('day', Array.from({ length: 31 }, (_, i) => [two(i + 1), String(i + 1)]));
    const month = make('month', months.map((name, i) => [two(i + 1), name]));
    const year = make('year', Array.from({ length: 41 }, (_, i) => [String(now - 20 + i), String(now - 20 + i)]));
    // In the order of the language.
    const order = new Intl.DateTimeFormat(lang).formatToParts(new Date()).map(({ type }) => ({ day, month, year })[type]).filter(Boolean);
    this.parts = [year, month, day];
    return el('div', { class: 'box parts', part: 'box' }, ...order);
  }

  /** The day that was put together, or nothing before all of it is chosen. */
  put() {
    const all = this.parts.map(({ value }) => value);
    this.half = all.some(Boolean) && !all.every(Boolean);
    const text = all.every(Boolean) ? all.join('-') : '';
    const made = text ? new Date(`${text}T00:00:00Z`) : null;
    this.impossible = Boolean(made) && (Number.isNaN(Number(made)) || made?.toISOString().slice(0, 10) !== text);
    this.choose(this.impossible ? '' : text);
  }
  half = false;
  impossible = false;

  get problem() { return this.impossible ? t('date.impossible') : this.half ? t('date.half') : super.problem; }

  set value(text) { super.value = text; if (text) String(text).split('-').forEach((one, i) => { if (this.parts[i]) this.parts[i].value = one; }); }
  get value() { return super.value; }
  formResetCallback() { this.half = this.impossible = false; for (const one of this.parts) one.value = ''; super.formResetCallback(); }
}

/** A whole number, written or counted up and down. */
class Stepper extends ChosenField {
  field = /** @type {any} */ (null);
  less = /** @type {any} */ (null);
  more = /** @type {any} */ (null);

  get least() { return Number(this.getAttribute('minimum') ?? 0); }
  get most() { return Number(this.getAttribute('maximum') ?? Infinity); }

  build() {
    const by = (step) => this.choose(String(Math.min(this.most, Math.max(this.least, (Number(this.chosen) || 0) + step))));
    this.field = el('input', { id: 'input', inputMode: 'numeric', autocomplete: 'off', 'aria-describedby': 'message', oninput: () => this.choose(this.field.value.trim()) });
    this.less = button('', () => by(-1), { kind: 'less', 'aria-label': t('stepper.less'), before: icon('minus') });
    this.more = button('', () => by(1), { kind: 'more', 'aria-label': t('stepper.more'), before: icon('plus') });
    const unit = this.getAttribute('suffix');
    return el('div', { class: 'box stepper', part: 'box' }, this.less, el('span', { class: 'line' }, this.field), unit ? el('span', { class: 'affix' }, unit) : null, this.more);
  }

  get problem() {
    if (!this.chosen) return super.problem;
    if (!/^-?\d{1,12}$/.test(this.chosen)) return t('stepper.number');
    const n = Number(this.chosen);
    return n < this.least ? t('stepper.least', { count: this.least }) : n > this.most ? t('stepper.most', { count: this.most }) : '';
  }

  draw() {
    super.draw();
    if (!this.field) return;
    if (this.field.value.trim() !== this.chosen) this.field.value = this.chosen;
    const n = Number(this.chosen) || 0;
    this.less.disabled = n <= this.least;
    this.more.disabled = n >= this.most;
  }

  /** What a scanner read. */
  fill(text) { this.choose(String(text).trim()); }
}

customElements.define('wm-choice', Choice);
customElements.define('wm-date', DateField);
customElements.define('wm-stepper', Stepper);

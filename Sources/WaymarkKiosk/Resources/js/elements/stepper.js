// <wm-stepper>: a number that is counted up and down, or written. It has the interface of <wm-text-field> that a form asks for:
// label, name, value, required, helper; checkValidity(), reportValidity(), focus(); input events.
//
//   <wm-stepper name="quantity" label="Quantity" minimum="0" maximum="99" suffix="pieces">
//
// Parts: label, box, message.
import { button, el } from '../dom.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { fieldStyle } from './text-field-style.js';

const style = new CSSStyleSheet();
style.replaceSync(`
.stepper input { text-align: center; font-variant-numeric: tabular-nums; }
.stepper .affix { padding-inline-end: .9rem; }
.stepper button { font-size: var(--type-title); font-weight: 700; }
`);

class Stepper extends HTMLElement {
  static formAssociated = true;
  internals = this.attachInternals();
  root = this.attachShadow({ mode: 'open', delegatesFocus: true });
  words = el('span', {});
  star = el('span', { class: 'star', 'aria-hidden': 'true' }, ' *');
  option = el('span', { class: 'soft', hidden: true });
  message = el('span', { class: 'message', part: 'message', id: 'message', role: 'status' });
  below = el('div', { class: 'below' }, this.message);
  /** The control that has the focus first; the on-screen keyboard and tests use it. */
  input = /** @type {any} */ (el('input', { id: 'input', inputMode: 'numeric', autocomplete: 'off', 'aria-describedby': 'message', oninput: () => this.choose(this.input.value.trim()) }));
  less = button('', () => this.count(-1), { kind: 'less', 'aria-label': t('stepper.less'), before: icon('minus') });
  more = button('', () => this.count(1), { kind: 'more', 'aria-label': t('stepper.more'), before: icon('plus') });
  chosen = '';
  touched = false;

  get name() { return this.getAttribute('name'); }
  get value() { return this.chosen; }
  set value(text) { this.chosen = String(text ?? ''); this.draw(); }
  get least() { return Number(this.getAttribute('minimum') ?? 0); }
  get most() { return Number(this.getAttribute('maximum') ?? Infinity); }
  get problem() {
    if (!this.chosen) return this.hasAttribute('required') ? t('field.missing', { label: this.getAttribute('label') ?? '' }) : '';
    if (!/^-?\d{1,12}$/.test(this.chosen)) return t('stepper.number');
    const n = Number(this.chosen);
    return n < this.least ? t('stepper.least', { count: this.least }) : n > this.most ? t('stepper.most', { count: this.most }) : '';
  }

  checkValidity() { return !this.problem; }
  reportValidity() { this.touched = true; this.draw(); return !this.problem; }
  formResetCallback() { this.touched = false; this.value = this.getAttribute('value') ?? ''; }

  connectedCallback() {
    if (this.root.childElementCount) return;
    this.root.adoptedStyleSheets = [fieldStyle, style];
    this.chosen = this.getAttribute('value') ?? '';
    const unit = this.getAttribute('suffix');
    this.root.append(el('div', { class: 'field', role: 'group', 'aria-labelledby': 'label', 'aria-describedby': 'message' },
      el('label', { id: 'label', part: 'label', htmlFor: 'input' }, this.words, this.star, this.option),
      el('div', { class: 'box stepper', part: 'box' }, this.less, el('span', { class: 'line' }, this.input), unit ? el('span', { class: 'affix' }, unit) : null, this.more), this.below));
    this.draw();
  }

  /** Takes what somebody chose, and tells the form. */
  choose(value) {
    this.touched = true;
    this.value = value;
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  }

  count(step) { this.choose(String(Math.min(this.most, Math.max(this.least, (Number(this.chosen) || 0) + step)))); }

  /** Takes the text that a scanner read. */
  fill(text) { this.choose(String(text).trim()); }

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
    this.input.setAttribute('aria-invalid', String(Boolean(problem)));
    if (this.input.value.trim() !== this.chosen) this.input.value = this.chosen;
    const n = Number(this.chosen) || 0;
    this.less.disabled = n <= this.least;
    this.more.disabled = n >= this.most;
    this.internals.setFormValue(this.chosen);
  }
}

customElements.define('wm-stepper', Stepper);

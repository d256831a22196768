// The part that <wm-choice>, <wm-date> and <wm-stepper> have in common: a label above, a message below, and a value that a form takes. They
// have the interface of <wm-text-field> that a form asks for: label, name, value, required, helper; checkValidity(), reportValidity(),
// focus(); input events.
//
// Parts: label, box, message.
import { el } from '../dom.js';
import { t } from '../strings.js';
import { fieldStyle } from './text-field-style.js';

export class ChosenField extends HTMLElement {
  static formAssociated = true;
  /** The style of the control itself. */
  static style = new CSSStyleSheet();
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
  get input() { return /** @type {any} */ (this.root.querySelector('input, select, [tabindex="0"]')); }

  checkValidity() { return !this.problem; }
  reportValidity() { this.touched = true; this.draw(); return !this.problem; }
  formResetCallback() { this.touched = false; this.value = this.getAttribute('value') ?? ''; }

  connectedCallback() {
    if (this.root.childElementCount) return;
    this.root.adoptedStyleSheets = [fieldStyle, /** @type {typeof ChosenField} */ (this.constructor).style];
    this.root.append(el('div', { class: 'field', role: 'group', 'aria-labelledby': 'label', 'aria-describedby': 'message' },
      el('label', { id: 'label', part: 'label', htmlFor: 'input' }, this.words, this.star, this.option), this.build(), this.below));
    this.value = this.getAttribute('value') ?? '';
  }

  /** Sets the value that a person chose, and dispatches `input`. */
  choose(value) {
    this.touched = true;
    this.value = value;
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  }

  /**
   * Makes the control.
   * @returns {any}
   */
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
    this.internals.setFormValue(this.chosen);
  }
}

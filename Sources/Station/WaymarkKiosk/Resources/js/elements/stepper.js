// <wm-stepper>: an integer that is increased and decreased by buttons, or typed.
//
//   <wm-stepper name="quantity" label="Quantity" minimum="0" maximum="99" suffix="pieces">
//
// Its interface and its parts are those of chosen-field.js.
import { button, el } from '../dom.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { ChosenField } from './chosen-field.js';

class Stepper extends ChosenField {
  static style = new CSSStyleSheet();
  field = /** @type {any} */ (null);
  less = /** @type {any} */ (null);
  more = /** @type {any} */ (null);

  get least() { return Number(this.getAttribute('minimum') ?? 0); }
  get most() { return Number(this.getAttribute('maximum') ?? Infinity); }
  get problem() {
    if (!this.chosen) return super.problem;
    if (!/^-?\d{1,12}$/.test(this.chosen)) return t('stepper.number');
    const n = Number(this.chosen);
    return n < this.least ? t('stepper.least', { count: this.least }) : n > this.most ? t('stepper.most', { count: this.most }) : '';
  }

  build() {
    const unit = this.getAttribute('suffix');
    this.field = el('input', { id: 'input', inputMode: 'numeric', autocomplete: 'off', 'aria-describedby': 'message', oninput: () => this.choose(this.field.value.trim()) });
    this.less = button('', () => this.count(-1), { kind: 'less', 'aria-label': t('stepper.less'), before: icon('minus') });
    this.more = button('', () => this.count(1), { kind: 'more', 'aria-label': t('stepper.more'), before: icon('plus') });
    return el('div', { class: 'box stepper', part: 'box' }, this.less, el('span', { class: 'line' }, this.field), unit ? el('span', { class: 'affix' }, unit) : null, this.more);
  }

  count(step) { this.choose(String(Math.min(this.most, Math.max(this.least, (Number(this.chosen) || 0) + step)))); }

  /** Sets the value to the text that a scanner read. */
  fill(text) { this.choose(String(text).trim()); }

  draw() {
    super.draw();
    if (!this.field) return;
    this.field.setAttribute('aria-invalid', String(this.touched && Boolean(this.problem)));
    if (this.field.value.trim() !== this.chosen) this.field.value = this.chosen;
    const n = Number(this.chosen) || 0;
    this.less.disabled = n <= this.least;
    this.more.disabled = n >= this.most;
  }
}

Stepper.style.replaceSync(`
.stepper input { text-align: center; font-variant-numeric: tabular-nums; }
.stepper .affix { padding-inline-end: .9rem; }
.stepper button { font-size: var(--type-title); font-weight: 700; }
/* With large letters on a small screen, the unit is below the number. */
@container (max-width: 20rem) { .stepper { flex-wrap: wrap; } .stepper button { min-width: 48px; } .stepper .affix { order: 1; flex: 1 0 100%; padding: 0; text-align: center; font-size: min(1rem, 6.5vw); } }
`);
customElements.define('wm-stepper', Stepper);

// <wm-choice>: one of several values. Its interface and its parts are those of chosen-field.js.
//
//   <wm-choice name="state" label="State"></wm-choice>   with `options`, a list of { value, label }: buttons for up to four, a list for more
//   <wm-choice variant="list">                           a list in any case
import { el } from '../dom.js';
import { t } from '../strings.js';
import { ChosenField } from './chosen-field.js';

class Choice extends ChosenField {
  static style = new CSSStyleSheet();
  /** @type {{ value: string, label: string }[]} */
  options = [];
  node = /** @type {any} */ (null);

  build() {
    if (this.options.length > 4 || this.getAttribute('variant') === 'list') {
      this.node = el('select', { id: 'input', 'aria-describedby': 'message', onchange: () => this.choose(this.node.value) },
        el('option', { value: '' }, t('field.choose')), ...this.options.map((one) => el('option', { value: one.value }, one.label)));
      return el('div', { class: 'box', part: 'box' }, this.node);
    }
    this.node = el('div', { class: 'choices', role: 'radiogroup', 'aria-labelledby': 'label', 'aria-describedby': 'message', part: 'box', onkeydown: (event) => this.step(event) },
      ...this.options.map((one) => el('button', { type: 'button', role: 'radio', 'data-value': one.value, onclick: () => this.choose(one.value) }, one.label)));
    return this.node;
  }

  /** Moves the selection with the arrow keys, as in a group of radio buttons. */
  step(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = this.options.findIndex((one) => one.value === this.chosen);
    this.choose(this.options[(Math.max(at, by < 0 ? 0 : -1) + by + this.options.length) % this.options.length].value);
    this.input?.focus();
  }

  draw() {
    super.draw();
    if (!this.node) return;
    const wrong = String(this.touched && Boolean(this.problem));
    if (this.node.nodeName === 'SELECT') {
      this.node.value = this.chosen;
      this.node.setAttribute('aria-invalid', wrong);
      return;
    }
    for (const [i, one] of [...this.node.children].entries()) {
      const on = one.dataset.value === this.chosen;
      one.setAttribute('aria-checked', String(on));
      one.tabIndex = on || !this.chosen && i === 0 ? 0 : -1;
    }
    this.node.setAttribute('aria-invalid', wrong);
  }
}

Choice.style.replaceSync(`
.choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); gap: var(--s2); }
.choices button { min-height: max(3.25rem, 50px); align-self: auto; border: 2px solid var(--line-strong); border-radius: var(--radius-small); background: var(--surface-raised); color: var(--text); font: inherit; font-weight: 600; padding: var(--s2) var(--s3); }
.choices button[aria-checked="true"] { border-color: var(--accent); background: var(--accent-soft); box-shadow: inset 0 0 0 1px var(--accent); }
.choices[aria-invalid="true"] button { border-color: var(--bad); }
.choices button:focus-visible { outline-offset: 2px; }
select { flex: 1; min-width: 0; min-height: max(3rem, 48px); font: inherit; color: inherit; background: var(--surface-raised); border: 0; padding: 0 .9rem; outline: none; cursor: pointer; border-radius: var(--radius-small); }
`);
customElements.define('wm-choice', Choice);

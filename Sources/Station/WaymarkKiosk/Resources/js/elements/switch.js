// <wm-switch>: yes or no. Its interface and its parts are those of chosen-field.js; the value is "yes" or "no", and a required one must be on.
import { el } from '../dom.js';
import { t } from '../strings.js';
import { ChosenField } from './chosen-field.js';

class Switch extends ChosenField {
  static style = new CSSStyleSheet();
  node = /** @type {any} */ (null);

  get value() { return this.chosen === 'yes' ? 'yes' : 'no'; }
  set value(text) { super.value = text === 'yes' ? 'yes' : 'no'; }
  get problem() { return this.hasAttribute('required') && this.chosen !== 'yes' ? t('switch.needed', { label: this.getAttribute('label') ?? '' }) : ''; }

  build() {
    this.node = el('button', { id: 'input', type: 'button', role: 'switch', tabIndex: 0, part: 'box', class: 'switch', 'aria-labelledby': 'label', 'aria-describedby': 'message', onclick: () => this.choose(this.chosen === 'yes' ? 'no' : 'yes') },
      el('i', {}), el('span', {}));
    return this.node;
  }

  draw() {
    super.draw();
    if (!this.node) return;
    this.node.setAttribute('aria-checked', String(this.chosen === 'yes'));
    this.node.setAttribute('aria-invalid', String(this.touched && Boolean(this.problem)));
    this.node.lastElementChild.textContent = t(this.chosen === 'yes' ? 'switch.on' : 'switch.off');
  }
}

Switch.style.replaceSync(`
.switch { display: flex; align-items: center; justify-content: start; gap: var(--s3); min-height: max(3.25rem, 52px); font: inherit; font-weight: 600; color: var(--text); justify-self: start; padding-inline: var(--s2); }
.switch i { width: 3.25rem; height: 1.875rem; padding: .2rem; border: 2px solid var(--line-strong); border-radius: var(--round); background: var(--surface-raised); transition: background var(--quick); }
.switch i::before { content: ""; display: block; width: 1.2rem; height: 1.2rem; border-radius: 50%; background: var(--line-strong); transition: transform var(--quick); }
.switch[aria-checked="true"] i { background: var(--accent); border-color: var(--accent); }
.switch[aria-checked="true"] i::before { background: var(--accent-text); transform: translateX(1.35rem); }
.switch[aria-invalid="true"] i { border-color: var(--bad); }
@media (prefers-reduced-motion: reduce) { .switch i, .switch i::before { transition: none; } }
`);
customElements.define('wm-switch', Switch);

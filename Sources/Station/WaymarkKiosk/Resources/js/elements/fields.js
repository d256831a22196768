// <wm-fields>: the fields of a form, with the marks of required fields and a summary of problems.
//
//   <wm-fields><wm-text-field …></wm-text-field> … </wm-fields>
//
// Required fields are marked by asterisks, which a line above explains; if fewer fields are optional, those are marked by "(optional)".
// `reportValidity()` makes every field show its problem, lists several problems in a banner whose lines lead to the fields, and moves the
// focus to the first one. `say(message)` shows another banner (`{ kind, title, text }`, as in feedback.js), `say(null)` removes it. Parts:
// legend, banner.
// A field is an element with `checkValidity`, `reportValidity` and the attributes `label` and `required`.
import { announce, button, el } from '../dom.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';

const style = new CSSStyleSheet();
style.replaceSync(`
*, *::before, *::after { box-sizing: border-box; }
:host { display: grid; gap: var(--s5); align-content: start; min-width: 0; }
.legend, .banner { grid-column: 1 / -1; }
.legend { margin: 0; color: var(--text-soft); }
[hidden] { display: none !important; }
.banner { display: flex; align-items: start; gap: var(--s3); padding: var(--s3) var(--s4); border-radius: var(--radius); border: 2px solid currentcolor; background: var(--accent-soft); color: var(--text); }
.banner[data-kind="error"] { background: var(--bad-soft); color: var(--bad); }
.banner[data-kind="warning"] { background: var(--warn-soft); color: var(--warn); }
.banner[data-kind="success"] { background: var(--good-soft); color: var(--good); }
.words { flex: 1; min-width: 0; display: grid; gap: var(--s1); }
strong { padding-top: .1rem; }
p { margin: 0; }
ul { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0 var(--s2); }
.button { border: 0; background: transparent; color: inherit; font: inherit; text-decoration: underline; cursor: pointer; min-height: max(3rem, 48px); min-width: max(3rem, 48px); padding: 0 var(--s2); margin-inline-start: calc(-1 * var(--s2)); text-align: start; }
.button.round { margin: 0; display: grid; place-content: center; }
.button:focus-visible { outline: 3px solid var(--focus); }
.icon { width: 1.5rem; height: 1.5rem; flex: none; display: block; }
`);
const SIGNS = { info: 'info', success: 'check', warning: 'alert', error: 'alert' };

export class Fields extends HTMLElement {
  #root = this.attachShadow({ mode: 'open' });
  #legend = el('p', { class: 'legend', part: 'legend' });
  #banner = el('div', { class: 'banner', part: 'banner', role: 'group', hidden: true });
  #watch = new MutationObserver(() => this.#mark());
  #summed = false;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [style];
    this.#root.append(this.#banner, this.#legend, el('slot'));
  }

  connectedCallback() {
    this.#watch.observe(this, { childList: true, subtree: true, attributes: true, attributeFilter: ['required', 'readonly', 'disabled', 'hidden'] });
    this.addEventListener('input', this.#look);
    this.#mark();
  }
  disconnectedCallback() { this.#watch.disconnect(); this.removeEventListener('input', this.#look); }

  /** The fields, in their order. */
  get fields() { return /** @type {any[]} */ ([...this.querySelectorAll('*')]).filter((one) => 'checkValidity' in one && one.hasAttribute('label') && !one.hidden); }

  checkValidity() { return this.fields.every((one) => one.checkValidity()); }

  reportValidity() {
    const wrong = this.fields.filter((one) => !one.reportValidity());
    this.#sum(wrong);
    if (!wrong.length) return true;
    wrong[0].focus();
    // In the middle, the message below the field is not covered by the bar at the bottom.
    wrong[0].scrollIntoView({ block: 'center' });
    return false;
  }

  /** Shows a banner above the fields, `{ kind, title, text?, closable? }`, or removes it with null. */
  say(message) {
    this.#summed = false;
    this.#banner.hidden = !message;
    if (!message) { this.#banner.replaceChildren(); return; }
    const { kind = 'info', title, text = '', closable = false } = message;
    this.#fill(kind, title, text ? el('p', {}, text) : null, closable);
    announce(`${title} ${text}`.trim());
  }

  #fill(kind, title, more, closable = false) {
    this.#banner.dataset.kind = kind;
    this.#banner.hidden = false;
    this.#banner.replaceChildren(icon(SIGNS[kind] ?? 'info'), el('div', { class: 'words' }, el('strong', {}, title), ...(more ? [more] : [])),
      ...(closable ? [button('', () => this.say(null), { kind: 'round', 'aria-label': t('common.dismiss'), before: icon('close') })] : []));
  }

  #sum(wrong) {
    if (wrong.length < 2) { if (this.#summed) this.say(null); return; }
    const title = t('fields.wrong', { count: wrong.length });
    this.#fill('error', title, el('ul', {}, ...wrong.map((one) => el('li', {}, button(one.getAttribute('label'), () => { one.focus(); one.scrollIntoView({ block: 'center' }); })))));
    if (!this.#summed) announce(title);
    this.#summed = true;
  }

  #look = () => { if (this.#summed) this.#sum(this.fields.filter((one) => !one.checkValidity())); };

  #mark() {
    const open = this.fields.filter((one) => !one.hasAttribute('readonly') && !one.hasAttribute('disabled'));
    const free = open.filter((one) => !one.hasAttribute('required'));
    const byOption = free.length > 0 && free.length < open.length - free.length;
    this.toggleAttribute('data-by-option', byOption);
    for (const one of open) {
      const named = byOption && free.includes(one);
      if (one.hasAttribute('optional') !== named) one.toggleAttribute('optional', named);
    }
    this.#legend.textContent = t('field.legend');
    this.#legend.hidden = byOption || open.length === free.length;
  }
}

customElements.define('wm-fields', Fields);

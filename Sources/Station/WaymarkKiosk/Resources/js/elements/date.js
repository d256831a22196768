// <wm-date>: a day. Day, month and year are chosen separately, in the order and with the names of the page's language; the value is in the
// format 2026-11-26.
//
//   <wm-date name="best-before" label="Best before" earliest="2026-01-01" latest="2030-12-31">
//
// Its interface and its parts are those of chosen-field.js.
import { el } from '../dom.js';
import { t } from '../strings.js';
import { ChosenField } from './chosen-field.js';

const two = (n) => String(n).padStart(2, '0');

class DateField extends ChosenField {
  static style = new CSSStyleSheet();
  /** The lists of years, months and days. */
  lists = /** @type {any[]} */ ([]);
  half = false;
  impossible = false;

  get language() { return document.documentElement.lang || 'en'; }

  build() {
    const now = new Date().getFullYear();
    const year = (name, otherwise) => Number(/^\d{4}/.exec(this.getAttribute(name) ?? '')?.[0] ?? otherwise);
    const first = year('earliest', now - 20);
    const names = new Intl.DateTimeFormat(this.language, { month: 'long', timeZone: 'UTC' });
    const list = (part, values) => el('select', { 'aria-label': t(`date.${part}`), 'aria-describedby': 'message', 'data-part': part, onchange: () => this.put() },
      el('option', { value: '' }, t(`date.${part}`)), ...values.map(([value, label]) => el('option', { value }, label)));
    const day = list('day', Array.from({ length: 31 }, (_, i) => [two(i + 1), String(i + 1)]));
    const month = list('month', Array.from({ length: 12 }, (_, i) => [two(i + 1), names.format(Date.UTC(2026, i))]));
    const years = list('year', Array.from({ length: Math.max(1, year('latest', now + 20) - first + 1) }, (_, i) => [String(first + i), String(first + i)]));
    this.lists = [years, month, day];
    const order = new Intl.DateTimeFormat(this.language).formatToParts(new Date()).map(({ type }) => ({ day, month, year: years })[type]).filter(Boolean);
    return el('div', { class: 'box parts', part: 'box' }, ...order);
  }

  /** Sets the value from the three lists; it is empty until all three are chosen. */
  put() {
    const all = this.lists.map(({ value }) => value);
    this.half = all.some(Boolean) && !all.every(Boolean);
    const text = all.every(Boolean) ? all.join('-') : '';
    const made = text ? new Date(`${text}T00:00:00Z`) : null;
    this.impossible = Boolean(made) && (Number.isNaN(Number(made)) || made?.toISOString().slice(0, 10) !== text);
    this.chosen = this.impossible ? '' : text;
    this.choose(this.chosen);
  }

  get problem() {
    if (this.impossible) return t('date.impossible');
    if (this.half) return t('date.half');
    const say = (text) => new Intl.DateTimeFormat(this.language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${text}T00:00:00Z`));
    const [earliest, latest] = [this.getAttribute('earliest'), this.getAttribute('latest')];
    if (this.chosen && earliest && this.chosen < earliest) return t('date.early', { day: say(earliest) });
    if (this.chosen && latest && this.chosen > latest) return t('date.late', { day: say(latest) });
    return super.problem;
  }

  draw() {
    super.draw();
    // An incomplete day stays in the lists.
    if (this.chosen) this.chosen.split('-').forEach((one, i) => { if (this.lists[i]) this.lists[i].value = one; });
    for (const one of this.lists) one.setAttribute('aria-invalid', String(this.touched && Boolean(this.problem)));
  }

  formResetCallback() {
    this.half = this.impossible = false;
    for (const one of this.lists) one.value = '';
    super.formResetCallback();
  }
}

DateField.style.replaceSync(`
.box.parts { gap: 0; overflow: hidden; }
.box.parts > * + * { border-inline-start: 1px solid var(--line); }
select { flex: 1 1 auto; min-width: 0; min-height: max(3rem, 48px); font: inherit; color: inherit; background: var(--surface-raised); border: 0; padding: 0 .6rem; outline: none; cursor: pointer; border-radius: 0; }
`);
customElements.define('wm-date', DateField);

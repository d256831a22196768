// <wm-text-field>: a text input with label, message and buttons, which a scanner can fill.
//
//   <wm-text-field name="material" label="Material" required scan="barcode text" helper="Scan or type" maxlength="18"></wm-text-field>
//
// Attributes
//   label, name, value       a label is required; `value` is the value after a reset
//   variant                  line (default) | title | key-value | note: the last two take several lines, note hides its label
//   required, optional       an asterisk; or "(optional)" behind the label (wm-fields decides which, for a whole form)
//   prompt, helper           the text in the empty field; the text below it
//   error, warning, success  a message in place of the helper, until the attribute is removed
//   maxlength, limit         block (default): typing stops there; over: typing continues, and the surplus is an error
//   pattern                  a regular expression for the whole value, with `text-pattern` as the message if it does not match
//   type, inputmode          text | password | email | tel | url; the on-screen keyboard: text, numeric, decimal, tel, email, url
//   prefix, suffix           texts before and after the value
//   group, group-separator   "4", "3 3 4": shown in groups, which are not part of the value
//   currency                 an ISO 4217 code: shown in the label; the amount is formatted as in the page's language, the value is like "1234.50"
//   scan                     "barcode", "text" or both: icons that raise `wm-scan`; an empty one means barcode
//   reads                    the condition for printed text: names of the service's patterns, or a regular expression; `pattern`
//                            if it is missing
//   readonly, disabled, autocomplete, autocapitalize
//   text-clear, text-scan, text-missing, text-pattern   texts instead of the page's own
// Properties   value, form, name, input (the control), textPatterns (`reads` as a list), validity, validationMessage, willValidate
// Methods      fill(text): sets the text that a scanner read, without cutting it; checkValidity(), reportValidity(), focus()
// Events       input, change; wm-scan, with detail `{ kind: "barcode" | "text" }`: its handler calls fill
// Parts        label, box, input, prefix, suffix, clear, scan, reveal, message, count, whole
//
// A scanned or pasted text is never cut: one that is too long is an error, and is shown as a whole.
import { el } from '../dom.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { openMenu } from './menu.js';
import { groups, lines, money, plain, wanted } from './text-shapes.js';
import { fieldStyle } from './text-field-style.js';

const ATTRIBUTES = ['label', 'variant', 'required', 'optional', 'prompt', 'helper', 'error', 'warning', 'success', 'maxlength', 'limit', 'pattern', 'type', 'inputmode', 'prefix',
  'suffix', 'group', 'group-separator', 'currency', 'scan', 'readonly', 'disabled', 'autocomplete', 'autocapitalize', 'value', 'text-clear', 'text-scan', 'text-missing', 'text-pattern'];
const SIGNS = { error: 'error', warning: 'alert', success: 'good' };
const count = (text) => [...text].length;

export class TextField extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ATTRIBUTES;

  #internals = this.attachInternals();
  #root = this.attachShadow({ mode: 'open', delegatesFocus: true });
  #value = '';
  /** The key of the message about a malformed input; empty if it is well-formed. */
  #malformed = '';
  #touched = false;
  /** True after typing beyond the limit. */
  #blocked = false;
  /** True if the value was scanned or pasted, so that all of it is shown if it is too long. */
  #filled = false;
  #revealed = false;
  #editing = false;
  #ownDisabled = false;
  #parts = /** @type {any} */ ({});
  /** Adapts the height when the width changes, such as after a rotation of the screen, as lines then break differently. */
  #widths = new ResizeObserver(([{ contentRect }]) => { if (this.#several && contentRect.width !== this.#width) { this.#width = contentRect.width; this.#grow(); } });
  #width = 0;
  #shape = /** @type {any} */ (plain);

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [fieldStyle];
  }

  // Interface

  get value() { return this.#value; }
  set value(text) { this.#put(String(text ?? '')); }
  get name() { return this.getAttribute('name'); }
  get form() { return this.#internals.form; }
  get validity() { return this.#internals.validity; }
  get validationMessage() { return this.#problem; }
  get willValidate() { return this.#internals.willValidate; }
  /** The control inside; the on-screen keyboard and tests use it. */
  get input() { this.#build(); return this.#parts.input; }

  /** The names of patterns, or the regular expression, by which printed text is accepted. */
  get textPatterns() {
    const wanted = (this.getAttribute('reads') ?? this.getAttribute('pattern') ?? '').trim();
    return !wanted ? [] : /^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$/.test(wanted) ? wanted.split(' ') : [`re:${wanted}`];
  }

  /** Sets the value to the text that a scanner read, without cutting it. */
  fill(text) {
    this.#touched = true;
    const asItIs = this.#shape === lines || this.#shape === plain;
    const { value, problem } = asItIs ? { value: String(text), problem: '' } : this.#shape.read(plain.show(String(text)));
    this.#malformed = problem ?? '';
    this.#value = value;
    this.#filled = true;
    this.#blocked = false;
    this.#draw();
    this.#notify();
  }

  checkValidity() { return !this.#problem; }
  /** Shows the problem, also before anything was typed; returns true without one. */
  reportValidity() {
    this.#touched = true;
    this.#show();
    if (this.#problem) this.input.focus();
    return !this.#problem;
  }

  // Callbacks of the browser

  connectedCallback() { this.#build(); this.#show(); this.#widths.observe(this); }
  disconnectedCallback() { this.#widths.disconnect(); }
  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (name === 'value') { this.#put(now ?? ''); return; }
    if (['group', 'group-separator', 'currency', 'variant'].includes(name)) this.#shape = this.#shapeNow();
    if (name === 'variant' && this.#parts.input) { this.#root.replaceChildren(); this.#parts = {}; }
    if (this.isConnected) { this.#build(); this.#draw(); }
  }
  formResetCallback() { this.#touched = this.#blocked = false; this.#put(this.getAttribute('value') ?? ''); }
  formDisabledCallback(disabled) { this.#ownDisabled = disabled; if (this.isConnected) this.#show(); }
  formStateRestoreCallback(state) { this.#put(String(state ?? '')); }

  // Implementation

  get #several() { return ['key-value', 'note'].includes(this.getAttribute('variant') ?? ''); }
  get #limit() { const n = Number(this.getAttribute('maxlength')); return n > 0 ? n : Infinity; }
  get #blocks() { return this.getAttribute('limit') !== 'over'; }
  get #over() { return Math.max(0, count(this.#value) - this.#limit); }
  get #fixed() { return this.hasAttribute('readonly') || this.#off; }
  get #off() { return this.#ownDisabled || this.hasAttribute('disabled'); }
  /** The text in the empty field. It contains the asterisk of a required title, which has no room for it elsewhere. */
  get #prompt() { const prompt = this.getAttribute('prompt') ?? ''; return prompt && this.getAttribute('variant') === 'title' && this.hasAttribute('required') ? `${prompt} *` : prompt; }
  get #label() { return `${this.getAttribute('label') ?? ''}${this.hasAttribute('currency') ? ` (${this.getAttribute('currency')})` : ''}`; }
  get #scans() { return this.hasAttribute('scan') ? (this.getAttribute('scan') || 'barcode').split(/\s+/) : []; }

  #shapeNow() {
    if (this.#several) return lines;
    const [currency, sizes] = [this.getAttribute('currency'), this.getAttribute('group')];
    if (currency) { try { return money(currency, document.documentElement.lang || 'en'); } catch { return plain; } }
    return sizes ? groups(sizes, this.getAttribute('group-separator') ?? ' ') : plain;
  }

  /** True if a field of several lines keeps its height and scrolls, as another element follows. */
  get #stays() { return this.getAttribute('variant') === 'key-value' && this.nextElementSibling !== null; }

  /** Makes the control as high as its lines. */
  #grow() {
    const { input } = this.#parts;
    if (!input || this.#stays) return;
    input.style.height = 'auto';
    input.style.height = `${input.scrollHeight}px`;
  }

  #build() {
    if (this.#parts.input) return;
    const press = (part, name, onclick, word = '') => el('button', { type: 'button', class: part, part, onclick }, icon(name), word ? el('span', { class: 'word', 'aria-hidden': 'true' }, t(`field.word.${word}`)) : null);
    const input = el(this.#several ? 'textarea' : 'input', { id: 'input', part: 'input', rows: 1, spellcheck: false, 'aria-describedby': 'prefix suffix message whole count' });
    const parts = {
      input,
      words: el('span'), star: el('span', { class: 'star', 'aria-hidden': 'true' }, ' *'), option: el('span', { class: 'soft' }),
      prefix: el('span', { class: 'affix', part: 'prefix', id: 'prefix' }), suffix: el('span', { class: 'affix', part: 'suffix', id: 'suffix' }),
      ghost: el('span', { class: 'copy' }), lock: el('span', { class: 'lock' }, icon('lock')),
      reveal: press('reveal', 'eye', () => { this.#revealed = !this.#revealed; this.#show(); input.focus(); }),
      clear: press('clear', 'close', () => { this.#put(''); this.#touched = true; this.#notify(); input.focus(); }),
      both: press('scan', 'scan', () => this.#ask(), 'any'), barcode: press('scan', 'barcode', () => this.#wants('barcode'), 'code'), text: press('scan', 'text', () => this.#wants('text'), 'print'),
      sign: el('span', { class: 'sign' }), message: el('span', { class: 'message', part: 'message', id: 'message', role: 'status' }), count: el('span', { class: 'count', part: 'count', id: 'count' }),
      whole: el('p', { class: 'whole', part: 'whole', id: 'whole' }),
    };
    parts.label = el('label', { htmlFor: 'input', part: 'label' }, parts.words, parts.star, ' ', parts.option);
    parts.box = el('div', { class: 'box', part: 'box' }, parts.prefix,
      el('div', { class: 'line' }, input, el('div', { class: 'ghost', 'aria-hidden': 'true' }, parts.ghost, parts.suffix)),
      parts.lock, parts.reveal, parts.clear, parts.barcode, parts.text, parts.both);
    parts.both.classList.add('both');
    parts.below = el('div', { class: 'below' }, parts.sign, parts.message, parts.count);
    this.#parts = parts;
    this.#root.append(el('div', { class: 'field' }, parts.label, parts.box, parts.below, parts.whole));
    input.addEventListener('beforeinput', (event) => this.#before(event));
    input.addEventListener('input', (event) => this.#typed(event));
    input.addEventListener('focus', () => { this.#editing = true; if (this.#shape.example && !this.#malformed) this.#draw(); });
    input.addEventListener('blur', () => { this.#editing = false; this.#touched = true; this.#blocked = false; if (this.#shape.example && !this.#malformed) this.#draw(); else this.#show(); });
    input.addEventListener('change', () => this.dispatchEvent(new Event('change', { bubbles: true })));
    // Enter submits the form, as in an input of the browser.
    input.addEventListener('keydown', (event) => { if (event.key === 'Enter' && !this.#several && !event.isComposing) { event.preventDefault(); this.form?.requestSubmit(); } });
    this.#shape = this.#shapeNow();
    this.#draw();
  }

  /** Opens the menu of scanners, if there is room for only one button. */
  #ask() {
    const label = this.#label;
    openMenu(this.#parts.both, { label: t('field.scan.any', { label }), items: [['barcode', 'field.scan'], ['text', 'field.scan.text']].map(([value, key]) => ({ label: t(key, { label }), value, sign: value })), onchoose: (kind) => this.#wants(kind) });
  }

  #wants(kind) { this.dispatchEvent(new CustomEvent('wm-scan', { bubbles: true, composed: true, detail: { kind } })); }
  #notify() { this.dispatchEvent(new Event('input', { bubbles: true })); this.dispatchEvent(new Event('change', { bubbles: true })); }

  #put(text) {
    this.#value = text;
    this.#malformed = '';
    this.#filled = this.#blocked = false;
    this.#draw();
  }

  /** Stops typing at the limit. Pasted text is not stopped, as it would be cut. */
  #before(event) {
    const { input } = this.#parts;
    const [from, to] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
    const separator = this.#shape.separator;
    // The separator between two groups cannot be deleted; the character beyond it is deleted instead.
    if (separator && from === to && event.inputType === 'deleteContentBackward' && input.value.slice(0, from).endsWith(separator)) input.setSelectionRange(from - separator.length, from - separator.length);
    if (separator && from === to && event.inputType === 'deleteContentForward' && input.value.slice(from).startsWith(separator)) input.setSelectionRange(from + separator.length, from + separator.length);
    if (!this.#blocks || !['insertText', 'insertLineBreak'].includes(event.inputType) || event.isComposing) return;
    const chosen = count(this.#shape.read(input.value.slice(from, to)).value);
    const added = event.inputType === 'insertLineBreak' ? 1 : count(event.data ?? '');
    if (count(this.#value) - chosen + added <= this.#limit) return;
    event.preventDefault();
    this.#blocked = true;
    this.#show();
  }

  #typed(event) {
    const { input } = this.#parts;
    const shown = input.value;
    const { value, problem } = this.#shape.read(shown);
    this.#value = value;
    this.#malformed = problem ?? '';
    this.#filled = ['insertFromPaste', 'insertFromDrop'].includes(event.inputType) || (this.#filled && this.#over > 0);
    this.#blocked = false;
    if (this.#shape.separator) {
      // The cursor stays between the same two characters after regrouping.
      const before = count(this.#shape.read(shown.slice(0, input.selectionStart ?? shown.length)).value);
      const grouped = this.#shape.show(value, true);
      if (grouped !== shown) {
        input.value = grouped;
        let at = 0;
        while (at < grouped.length && count(this.#shape.read(grouped.slice(0, at)).value) < before) at += 1;
        input.setSelectionRange(at, at);
      }
    }
    this.#show();
    if (!event.composed) this.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** The message about the first problem, or an empty text. The attribute `error` applies until it is removed. */
  get #problem() {
    const label = this.#label;
    if (this.#off) return '';
    if (this.hasAttribute('error')) return this.getAttribute('error') || t('field.pattern', { label });
    if (this.#malformed) return t(this.#malformed, { example: this.#shape.example });
    if (this.#over) return t('field.over', { count: this.#over });
    if (this.hasAttribute('required') && !this.#value.trim()) return this.getAttribute('text-missing') ?? t(this.#scans.length ? 'field.missing.scan' : 'field.missing', { label });
    const pattern = this.getAttribute('pattern');
    if (pattern && this.#value) { try { if (!new RegExp(`^(?:${pattern})$`, 'u').test(this.#value)) return this.getAttribute('text-pattern') ?? this.#hint(pattern); } catch { /* not a pattern: nothing is held to it */ } }
    return '';
  }

  /** Describes the expected value as precisely as the pattern or the type allows. */
  #hint(pattern) {
    const label = this.#label;
    const kind = this.getAttribute('type') ?? this.getAttribute('inputmode') ?? '';
    if (['email', 'tel', 'url'].includes(kind)) return t(`field.pattern.${kind}`, { label });
    const one = wanted(pattern);
    if (one) return t(`field.pattern.${one.kind}`, { label, count: one.from === one.to ? one.from : t('field.range', one) });
    const prompt = this.getAttribute('prompt');
    return prompt ? t('field.pattern.such', { label, prompt }) : t('field.pattern', { label });
  }

  /** The kind and the text of the message below the field. */
  get #message() {
    const problem = this.#problem;
    if (problem && (this.#touched || this.hasAttribute('error') || this.#over)) return ['error', problem];
    if (this.#blocked) return ['warning', t('field.limit')];
    for (const kind of ['warning', 'success']) if (this.getAttribute(kind)) return [kind, this.getAttribute(kind)];
    return ['', this.getAttribute('helper') ?? ''];
  }

  /** Writes the formatted value into the control. */
  #draw() {
    const { input } = this.#parts;
    if (!input) return;
    const shown = this.#malformed ? this.#value : this.#shape.show(this.#value, this.#editing);
    if (input.value !== shown) input.value = shown;
    this.#show();
  }

  #show() {
    const p = this.#parts;
    if (!p.input) return;
    const [kind, words] = this.#message;
    const label = this.#label;
    const has = (name) => this.hasAttribute(name);
    const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };
    set(p.words, label);
    p.star.hidden = !has('required') || this.#prompt.endsWith(' *');
    set(p.option, has('optional') && !has('required') ? t('field.optional') : '');
    Object.assign(p.input, { readOnly: has('readonly'), disabled: this.#off, required: has('required'), placeholder: this.#prompt, autocomplete: this.getAttribute('autocomplete') ?? 'off' });
    const type = this.getAttribute('type') ?? 'text';
    if (!this.#several) p.input.type = type === 'password' && !this.#revealed ? 'password' : 'text';
    const mode = this.getAttribute('inputmode') ?? { email: 'email', tel: 'tel', url: 'url' }[type] ?? (has('currency') ? 'decimal' : '');
    if (mode) p.input.inputMode = mode;
    p.input.autocapitalize = this.getAttribute('autocapitalize') ?? (type === 'text' && !mode ? 'sentences' : 'off');
    p.input.setAttribute('aria-invalid', String(kind === 'error'));
    for (const side of ['prefix', 'suffix']) { set(p[side], this.getAttribute(side) ?? ''); p[side].hidden = !this.getAttribute(side); }
    // In an empty field the suffix would look like a value.
    if (!p.input.value && !p.input.placeholder && !this.#editing) p.suffix.hidden = true;
    set(p.ghost, p.input.value || p.input.placeholder);
    p.input.style.paddingInlineEnd = has('suffix') ? `calc(${count(this.getAttribute('suffix') ?? '')}ch + 1.4rem)` : '';
    p.lock.hidden = !has('readonly');
    p.reveal.hidden = type !== 'password' || this.#fixed;
    p.reveal.setAttribute('aria-pressed', String(this.#revealed));
    p.reveal.setAttribute('aria-label', t('field.reveal'));
    p.clear.hidden = this.#fixed || !p.input.value;
    p.clear.setAttribute('aria-label', this.getAttribute('text-clear') ?? t('field.clear', { label }));
    p.both.hidden = this.#fixed || this.#scans.length < 2;
    p.both.setAttribute('aria-label', t('field.scan.any', { label }));
    p.both.setAttribute('aria-haspopup', 'menu');
    for (const [part, key] of [['barcode', 'field.scan'], ['text', 'field.scan.text']]) {
      p[part].hidden = this.#fixed || !this.#scans.includes(part);
      p[part].setAttribute('aria-label', (part === 'barcode' ? this.getAttribute('text-scan') : null) ?? t(key, { label }));
    }
    p.box.dataset.kind = p.below.dataset.kind = p.label.dataset.kind = kind;
    p.sign.replaceChildren(...(kind ? [icon(SIGNS[kind])] : []));
    p.sign.hidden = !kind;
    set(p.message, has('readonly') && !words ? t('field.readonly') : `${words}`);
    p.message.classList.toggle('error', kind === 'error');
    const length = count(this.#value);
    set(p.count, // The limit is shown once it comes near.
      this.#limit < Infinity && !this.#fixed && length > this.#limit * .6 ? t('field.count', { count: length, limit: this.#limit }) : '');
    p.count.classList.toggle('error', this.#over > 0);
    // A value that is too long is shown below the control, with the surplus marked.
    const whole = this.#over > 0 && this.#filled;
    p.whole.hidden = !whole;
    const characters = [...this.#value];
    p.whole.replaceChildren(...(whole ? [`${t('field.whole')} `, el('bdi', {}, el('span', {}, plain.show(characters.slice(0, this.#limit).join(''))), el('mark', {}, plain.show(characters.slice(this.#limit).join(''))))] : []));
    if (this.#several) this.#grow();
    const problem = this.#problem;
    this.#internals.setFormValue(this.#off ? null : this.#value);
    this.#internals.setValidity(problem ? { customError: true } : {}, problem || undefined, this.#parts.input);
  }
}

customElements.define('wm-text-field', TextField);

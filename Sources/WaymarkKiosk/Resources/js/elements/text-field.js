// <wm-text-field>: a text input that a scanner can fill. Stands alone: no other module is needed to reuse it.
//
//   <wm-text-field label="Material" name="material" required helper="Scan or type" maxlength="18"
//                  limit="block|mark" readonly scan error="…" value="…"></wm-text-field>
//
// Attributes: `limit="block"` stops typing at `maxlength`; `limit="mark"` lets it go on and marks the surplus.
// Texts can be changed by `text-clear`, `text-scan`, `text-required`, `text-missing`, `text-over` ({count}), `text-count`
// ({count}, {limit}). Events: `input`, `change`, and `wm-scan` when the scan icon is used; whoever handles that sets
// `value`. It takes part in forms (`name`, validity).

const style = new CSSStyleSheet();
style.replaceSync(`
:host { display: block; font: inherit; color: var(--text, #1b1a24); }
:host([hidden]) { display: none; }
label { display: block; font-weight: 600; margin-bottom: .35rem; }
.star { color: var(--bad, #b3261e); }
.box { display: flex; align-items: stretch; border: 2px solid var(--line-strong, #7d788a); border-radius: .625rem; background: var(--surface-raised, #fff); }
.box:focus-within { outline: .2rem solid var(--accent, #4338ca); outline-offset: .1rem; }
:host([readonly]) .box { background: var(--surface-sunken, #e9e5dc); border-style: dashed; }
.box.error { border-color: var(--bad, #b3261e); box-shadow: inset 0 0 0 1px var(--bad, #b3261e); }
input { flex: 1; min-width: 0; font: inherit; color: inherit; border: 0; background: transparent; padding: .75rem .9rem; outline: none; min-height: 3rem; }
button { border: 0; background: transparent; color: var(--accent, #4338ca); min-width: 3rem; display: grid; place-content: center; cursor: pointer; border-radius: .5rem; }
button:focus-visible { outline: .2rem solid var(--accent, #4338ca); outline-offset: -.2rem; }
button[hidden] { display: none; }
svg { width: 1.5rem; height: 1.5rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.below { display: flex; gap: 1rem; margin-top: .35rem; font-size: .95rem; color: var(--text-soft, #565264); min-height: 1.4em; }
.below .grow { flex: 1; }
.message.error, .count.error { color: var(--bad, #b3261e); font-weight: 600; }
`);

const TEXTS = {
  clear: 'Clear', scan: 'Scan', required: 'required', missing: 'This is needed.', over: '{count} characters too many.',
  count: '{count} of {limit} characters',
};

const SVG = 'http://www.w3.org/2000/svg';

/** A node with attributes and children; no markup is ever parsed, so the strictest content policy holds. */
function make(tag, attributes = {}, ...children) {
  const node = tag === 'svg' || tag === 'path' ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const button = (name, d) => make('button', { type: 'button', class: name }, make('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, make('path', { d })));

export class TextField extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ['label', 'helper', 'required', 'maxlength', 'limit', 'readonly', 'scan', 'error', 'value', ...Object.keys(TEXTS).map((key) => `text-${key}`)];

  #internals = this.attachInternals();
  #root = this.attachShadow({ mode: 'open', delegatesFocus: true });
  #touched = false;
  #ready = false;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [style];
    this.#root.append(
      make('label', { for: 'input' }, make('span', { class: 'label' }), ' ', make('span', { class: 'star', 'aria-hidden': 'true' }, '*')),
      make('div', { class: 'box' },
        make('input', { id: 'input', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'message count' }),
        button('clear', 'M6 6l12 12M18 6L6 18'),
        button('scan', 'M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M8 8v8M12 8v8M16 8v8')),
      make('div', { class: 'below' }, make('span', { class: 'message grow', id: 'message', 'aria-live': 'polite' }), make('span', { class: 'count', id: 'count' })));
    this.input.addEventListener('input', () => { this.#changed(); });
    this.input.addEventListener('blur', () => { this.#touched = true; this.#show(); });
    this.input.addEventListener('change', () => this.dispatchEvent(new Event('change', { bubbles: true })));
    this.#part('.clear').addEventListener('click', () => { this.value = ''; this.#touched = true; this.#notify(); this.input.focus(); });
    this.#part('.scan').addEventListener('click', () => this.dispatchEvent(new CustomEvent('wm-scan', { bubbles: true, composed: true })));
    this.#ready = true;
  }

  #part(selector) { return this.#root.querySelector(selector); }
  get input() { return this.#part('input'); }
  get form() { return this.#internals.form; }
  get name() { return this.getAttribute('name'); }

  get value() { return this.input.value; }
  set value(text) { this.input.value = String(text ?? ''); this.#length = this.#count(this.input.value); this.#show(); }

  /** Puts in what a scanner read, whole: what is too long is an error that shows all of it. */
  fill(text) { this.#touched = true; this.value = text; this.#notify(); }

  get #limit() { const n = Number(this.getAttribute('maxlength')); return n > 0 ? n : Infinity; }
  get #blocks() { return this.getAttribute('limit') !== 'mark'; }
  #length = 0;
  #count(text) { return [...text].length; }
  /** What may stand there after typing: nothing is cut off that stood there before. */
  #fitted(text) { return this.#blocks && this.#count(text) > Math.max(this.#limit, this.#length) ? [...text].slice(0, Math.max(this.#limit, this.#length)).join('') : text; }
  #text(key, values = {}) { return (this.getAttribute(`text-${key}`) ?? TEXTS[key]).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? ''); }

  attributeChangedCallback(name, _, value) {
    if (!this.#ready) return;
    if (name === 'value') this.value = value; else this.#show();
  }
  connectedCallback() { this.#show(); }
  formResetCallback() { this.#touched = false; this.value = this.getAttribute('value') ?? ''; }

  /** Shows what is wrong even where nobody has typed yet; whether all is right. */
  reportValidity() { this.#touched = true; this.#show(); if (this.#problem) this.input.focus(); return !this.#problem; }
  checkValidity() { return !this.#problem; }

  #changed() {
    const fitted = this.#fitted(this.input.value);
    if (fitted !== this.input.value) this.input.value = fitted;
    this.#length = this.#count(fitted);
    this.#show();
  }
  #notify() { this.dispatchEvent(new Event('input', { bubbles: true })); this.dispatchEvent(new Event('change', { bubbles: true })); }

  get #over() { return Math.max(0, [...this.value].length - this.#limit); }
  /** An error given from outside stays until the value it was about is put right, which is for outside to say. */
  get #problem() {
    if (this.hasAttribute('error')) return this.getAttribute('error');
    if (this.#over) return this.#text('over', { count: this.#over });
    if (this.hasAttribute('required') && !this.value.trim()) return this.#text('missing');
    return '';
  }

  #show() {
    const label = this.getAttribute('label') ?? '';
    const readonly = this.hasAttribute('readonly');
    const problem = this.#problem;
    const shown = problem && (this.#touched || this.hasAttribute('error') || this.#over) ? problem : '';
    const length = [...this.value].length;
    this.#part('.label').textContent = label;
    this.#part('.star').hidden = !this.hasAttribute('required');
    Object.assign(this.input, { readOnly: readonly, required: this.hasAttribute('required') });
    this.input.setAttribute('aria-invalid', String(Boolean(shown)));
    const clear = this.#part('.clear');
    clear.hidden = readonly || !this.value;
    clear.setAttribute('aria-label', this.#text('clear'));
    const scan = this.#part('.scan');
    scan.hidden = readonly || !this.hasAttribute('scan');
    scan.setAttribute('aria-label', this.#text('scan'));
    this.#part('.box').classList.toggle('error', Boolean(shown));
    const message = this.#part('.message');
    message.textContent = shown || this.getAttribute('helper') || '';
    message.classList.toggle('error', Boolean(shown));
    const count = this.#part('.count');
    count.textContent = this.#limit < Infinity && !readonly ? this.#text('count', { count: length, limit: this.#limit }) : '';
    count.classList.toggle('error', this.#over > 0);
    this.#internals.setFormValue(this.value);
    this.#internals.setValidity(problem ? { customError: true } : {}, problem || undefined, this.input);
  }
}

customElements.define('wm-text-field', TextField);

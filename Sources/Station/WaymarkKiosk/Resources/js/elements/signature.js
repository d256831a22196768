// <wm-signature>: a place to sign, in the form or on the whole screen.
//
//   <wm-signature label="Received by" purpose="Goods received, order 4711" signer="Ada Meyer" required></wm-signature>
//   <wm-signature variant="form" …></wm-signature>   a cell whose button opens the whole screen
//
// Attributes
//   label, helper, name, required   as with every field
//   variant                  inline (default) | form | full (which openSignature shows)
//   purpose, signer, subject the purpose, the signer's name, the signed text: stored and hashed with the strokes; the first two are shown
// States (`data-state`)      inactive → active (signature line, Clear, Save and Cancel) → signed → saving → saved
//                            An empty one cannot be saved. Scrolling over an inactive one never signs.
// Properties   value: the id of the saved signature or ''; hash; save: an async function that stores `{ strokes, width, height }` and resolves to
//              `{ id, hash }` (by default the service's signature.save); about: a function that returns what is signed as `[[label, value]]`
// Methods      clear(), checkValidity(), reportValidity(), focus()
// Events       input and change when it is saved or cleared
// Parts        label, canvas, box, message, footer
import { assist } from '../components/assist.js';
import { command, identity } from '../api.js';
import { openDialog } from '../dialog.js';
import { announce, button, el } from '../dom.js';
import { icon } from '../icons.js';
import { t, tOr } from '../strings.js';
import { Pad } from './signature-ink.js';
import { signatureStyle } from './signature-style.js';

export class SignatureField extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ['label', 'helper', 'required', 'purpose', 'signer'];

  #internals = this.attachInternals();
  #root = this.attachShadow({ mode: 'open', delegatesFocus: true });
  #state = 'inactive';
  #saved = /** @type {any} */ (null);
  #touched = false;
  #failure = '';
  #key = '';
  #parts = /** @type {any} */ ({});
  #pad = /** @type {any} */ (null);

  /** Stores a drawing: by the service, unless another function is set. */
  save = (drawing) => command('signature.save', {
    ...drawing, key: this.#key, purpose: this.getAttribute('purpose') ?? this.getAttribute('label') ?? '',
    ...(this.getAttribute('signer') ? { signer: this.getAttribute('signer') } : {}), ...(this.getAttribute('subject') ? { subject: this.getAttribute('subject') } : {}),
  });

  about = () => /** @type {[string, string][]} */ ([]);

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [signatureStyle];
  }

  get value() { return this.#saved?.id ?? ''; }
  get hash() { return this.#saved?.hash ?? ''; }
  get name() { return this.getAttribute('name'); }
  get form() { return this.#internals.form; }
  get state() { return this.#state; }
  /** The strokes, for tests and for other views. */
  get ink() { return this.#pad?.ink; }
  /** The area in which it was drawn, in pixels. */
  get drawnSize() { return this.#pad?.size; }

  checkValidity() { return !this.#problem; }
  reportValidity() { this.#touched = true; this.#show(); return !this.#problem; }
  formResetCallback() { this.clear(); this.#touched = false; this.#go('inactive'); }

  connectedCallback() {
    if (!this.#parts.box) this.#build();
    if (this.#variant === 'full' && this.#state === 'inactive') this.#go('active');
    this.#show();
  }
  disconnectedCallback() { this.#pad?.observer.disconnect(); }
  attributeChangedCallback() { if (this.#parts.box) this.#show(); }

  /** Removes the strokes and the saved signature. */
  clear() {
    this.#saved = null;
    this.#failure = '';
    this.#pad?.clear();
    this.#go(this.#state === 'inactive' ? 'inactive' : 'active');
  }

  get #variant() { return this.getAttribute('variant') ?? 'inline'; }
  get #label() { return this.getAttribute('label') ?? ''; }
  get #problem() { return this.hasAttribute('required') && !this.#saved ? t('sign.missing', { label: this.#label }) : ''; }

  #go(state) {
    this.#state = state;
    this.dataset.state = state;
    this.#show();
  }

  #build() {
    const press = (key, run, more = {}) => button(t(key), run, more);
    const p = this.#parts = /** @type {any} */ ({
      words: el('span', {}), star: el('span', { class: 'star', 'aria-hidden': 'true' }, ' *'),
      cancel: press('common.cancel', () => this.#cancel(), { kind: 'quiet' }),
      canvas: el('canvas', { part: 'canvas', role: 'img' }), tail: el('canvas', { class: 'tail', 'aria-hidden': 'true' }),
      scrim: el('button', { class: 'scrim', type: 'button', onclick: () => this.#activate() }, el('span', { class: 'tap' }, icon('pen'), el('span', {}, t('sign.tap')))),
      line: el('span', { class: 'line', 'aria-hidden': 'true' }, '×'),
      again: press('sign.again', () => this.#again(), { before: icon('pen') }),
      clear: press('sign.clear', () => { this.#pad.clear(); this.#go('active'); announce(t('sign.cleared')); }),
      save: press('sign.save', () => this.#keep(), { kind: 'primary' }),
      add: press('sign.add', () => this.#open(), { kind: 'add', before: icon('pen') }),
      purpose: el('p', { class: 'purpose' }), signer: el('p', { class: 'purpose signer' }), message: el('p', { class: 'message', part: 'message', role: 'status' }),
    });
    p.header = el('div', { class: 'header', part: 'label' }, el('span', { class: 'label', id: 'label' }, p.words, p.star), p.cancel);
    p.box = el('div', { class: 'box', part: 'box' }, p.canvas, p.tail, p.line, p.scrim);
    p.footer = el('div', { class: 'footer', part: 'footer' }, p.again, p.clear, p.save);
    this.#root.append(el('div', { class: 'cell', role: 'group', 'aria-labelledby': 'label' }, el('div', {}, p.header, p.purpose, p.signer), p.box, p.add, p.footer, p.message));
    this.#pad = new Pad(p.canvas, p.tail, {
      active: () => this.#variant !== 'form' && ['active', 'signed'].includes(this.#state),
      onchange: () => { if (this.#state === 'active' && !this.#pad.ink.isEmpty) this.#go('signed'); else this.#show(); },
    });
    this.dataset.state = this.#state;
  }

  #activate() {
    this.#key = identity();
    this.#pad.clear();
    this.#go('active');
    announce(t('sign.ready'));
  }

  /** Resets the field to the state before signing. */
  #cancel() {
    this.#failure = '';
    this.#pad.clear();
    this.#go('inactive');
    this.dispatchEvent(new CustomEvent('wm-sign-cancel', { bubbles: true }));
  }

  #again() {
    this.#saved = null;
    this.#notify();
    if (this.#variant === 'form') { this.#pad.clear(); this.#go('inactive'); this.#open(); return; }
    // The field is empty and inactive until the visitor touches it again.
    this.#cancel();
  }

  async #keep() {
    const { ink, size } = this.#pad;
    if (ink.isEmpty || this.#state !== 'signed') return;
    this.#key ||= identity();
    this.#failure = '';
    this.#go('saving');
    announce(t('sign.saving'));
    try {
      this.#saved = await this.save({ strokes: ink.wire, ...size });
      this.#key = '';
      this.#go('saved');
      announce(t('sign.saved'));
      this.#notify();
    } catch (error) {
      this.#failure = tOr(`error.${error.code}`, 'error.unavailable');
      this.#go('signed');
      announce(this.#failure);
    }
  }

  async #open() {
    const result = await openSignature({ label: this.#label, purpose: this.getAttribute('purpose'), signer: this.getAttribute('signer'), subject: this.getAttribute('subject'), about: this.about(), save: (drawing) => { this.#key ||= identity(); return this.save(drawing); } });
    if (!result) return;
    this.#saved = result.saved;
    this.#pad.ink = result.ink;
    this.#pad.size = result.size;
    this.#go('saved');
    this.#pad.resize();
    this.#notify();
    (this.#parts.again).focus();
  }

  #notify() {
    this.dispatchEvent(new Event('input', { bubbles: true }));
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }

  #show() {
    const p = this.#parts;
    if (!p.box) return;
    const [state, variant] = [this.#state, this.#variant];
    const open = ['active', 'signed', 'saving'].includes(state);
    const is = (node, shown) => { node.hidden = !shown; };
    p.words.textContent = this.#label;
    is(p.star, this.hasAttribute('required'));
    is(p.cancel, open && variant === 'inline');
    is(p.box, variant !== 'form' || state === 'saved');
    is(p.scrim, variant === 'inline' && state === 'inactive');
    is(p.line, open);
    is(p.add, variant === 'form' && state === 'inactive');
    is(p.footer, open || state === 'saved');
    is(p.again, state === 'saved');
    is(p.clear, open);
    is(p.save, open);
    p.clear.disabled = state !== 'signed';
    p.save.disabled = state !== 'signed';
    p.save.setAttribute('aria-busy', String(state === 'saving'));
    p.save.lastChild.textContent = t(state === 'saving' ? 'sign.saving' : 'sign.save');
    p.scrim.setAttribute('aria-label', `${t('sign.tap')}: ${this.#label}`);
    p.canvas.setAttribute('aria-label', t(state === 'saved' ? 'sign.picture.saved' : state === 'signed' ? 'sign.picture.signed' : 'sign.picture.empty'));
    const purpose = this.getAttribute('purpose');
    p.purpose.textContent = purpose ? t('sign.purpose', { purpose }) : '';
    is(p.purpose, purpose);
    const signer = this.getAttribute('signer');
    p.signer.textContent = signer ? t('sign.signer', { signer }) : '';
    is(p.signer, signer);
    const problem = this.#failure || (this.#touched ? this.#problem : '');
    p.message.textContent = problem || (state === 'saved' ? t('sign.saved') : this.getAttribute('helper') ?? '');
    p.message.dataset.kind = problem ? 'error' : state === 'saved' ? 'success' : '';
    if (problem || state === 'saved') p.message.prepend(icon(problem ? 'error' : 'good'));
    this.toggleAttribute('data-wrong', Boolean(problem));
    this.#internals.setFormValue(this.value || null);
    this.#internals.setValidity(this.#problem ? { valueMissing: true } : {}, this.#problem || undefined, variant === 'form' ? p.add : p.scrim);
    if (!p.box.hidden) this.#pad.resize();
  }
}

customElements.define('wm-signature', SignatureField);

/**
 * Opens a signature field on the whole screen. Resolves to `{ saved, ink, size }`, or to undefined if it was left.
 * @param {{ label: string, purpose?: string | null, signer?: string | null, subject?: string | null, about?: [string, string][], save?: (drawing: any) => Promise<any> }} options
 * @returns {Promise<{ saved: any, ink: any, size: { width: number, height: number } } | undefined>}
 */
export function openSignature({ label, purpose, signer, subject, about = [], save }) {
  const cell = el('wm-signature', { variant: 'full', label, ...(purpose ? { purpose } : {}), ...(signer ? { signer } : {}), ...(subject ? { subject } : {}) });
  if (save) cell.save = save;
  const dialog = openDialog({
    label, kind: 'view sign',
    build: (self) => {
      cell.addEventListener('change', () => { if (cell.value) self.close({ saved: { id: cell.value, hash: cell.hash }, ink: cell.ink, size: cell.drawnSize }); });
      const box = document.createDocumentFragment();
      box.append(el('header', { class: 'bar' }, button(t('common.cancel'), () => self.close(), { kind: 'quiet leave' }), el('h2', {}, label), el('span', {}, assist('sign'))),
        el('div', { class: 'signing' }, about.length ? el('dl', { class: 'about-it', tabIndex: 0, 'aria-label': t('sign.about') }, ...about.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])) : null, cell));
      return box;
    },
  });
  return dialog.closed;
}

// <wm-photo>: a photo as part of a form. Its button raises `wm-photo`, and its handler calls `fill` with a JPEG as data URL, which is the value.
// Its interface and its parts are those of chosen-field.js.
import { button, el } from '../dom.js';
import { icon } from '../icons.js';
import { t } from '../strings.js';
import { ChosenField } from './chosen-field.js';

class Photo extends ChosenField {
  static style = new CSSStyleSheet();
  node = /** @type {any} */ (null);
  picture = /** @type {any} */ (null);
  take = /** @type {any} */ (null);
  drop = /** @type {any} */ (null);
  shown = '';

  build() {
    this.picture = el('img', { alt: '', hidden: true });
    this.take = button('', () => this.dispatchEvent(new CustomEvent('wm-photo', { bubbles: true, composed: true })), { kind: 'take', tabIndex: 0, id: 'input', 'aria-describedby': 'message' });
    this.drop = button(t('photo.remove'), () => { this.choose(''); this.take.focus(); }, { kind: 'drop', before: icon('trash') });
    this.node = el('div', { class: 'photo', part: 'box' }, this.picture, this.take, this.drop);
    return this.node;
  }

  /** Sets the photo, a data URL. */
  fill(address) { this.choose(address); }

  draw() {
    super.draw();
    if (!this.node) return;
    const has = Boolean(this.chosen);
    this.take.replaceChildren(icon('camera'), el('span', {}, t(has ? 'photo.again' : 'photo.take')));
    this.drop.hidden = this.picture.hidden = !has;
    this.picture.alt = has ? t('photo.picture', { label: this.getAttribute('label') ?? '' }) : '';
    if (this.shown) URL.revokeObjectURL(this.shown);
    this.shown = has ? URL.createObjectURL(new Blob([Uint8Array.from(atob(this.chosen.split(',')[1] ?? ''), (one) => one.charCodeAt(0))], { type: 'image/jpeg' })) : '';
    if (has) this.picture.src = this.shown; else this.picture.removeAttribute('src');
  }
}

Photo.style.replaceSync(`
.photo { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2); }
.photo img { width: 100%; height: 12rem; object-fit: contain; border-radius: var(--radius-small); background: var(--surface-sunken); }
.photo button { display: flex; align-items: center; justify-content: center; gap: var(--s2); min-height: max(3rem, 48px); padding: var(--s2) var(--s4); border: 2px solid var(--line-strong); border-radius: var(--round); font: inherit; font-weight: 600; align-self: auto; }
.photo .take { flex: 1 1 auto; }
.photo button:focus-visible { outline-offset: 2px; }
`);
customElements.define('wm-photo', Photo);

// The few DOM helpers every component uses. Text is always set as text, never parsed as markup.

/**
 * Makes an element. `attributes` with a name starting in "on" become listeners, `class`, `data-*` and `aria-*` are
 * attributes, and everything else is set as a property where the element has it; custom elements get attributes only.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (!tag.includes('-') && name in node && !name.startsWith('aria') && !name.startsWith('data')) node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * A button with its words, and an icon before them where one is given; `more` are attributes as `el` takes them.
 * @param {string} label
 * @param {(event?: any) => any} onclick
 * @param {Record<string, any>} [more]
 * @returns {any}
 */
export function button(label, onclick, more = {}) {
  const { kind = '', before = null, ...attributes } = more;
  return el('button', { class: `button ${kind}`.trim(), type: 'button', onclick, ...attributes }, before, label ? el('span', {}, label) : null);
}

/**
 * A screen or the contents of a dialog with a `bar` above and a `foot` below, an array of buttons and texts. Both stay in place beside `room`,
 * the scrolled contents, and never lie over them. `tag` and `attributes` are as in `el`.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {{ bar?: any, side?: any, room: any, foot?: any[] | null }} parts
 */
export function framed(tag, attributes, { bar = null, side = null, room, foot = null }) {
  room.classList.add('room');
  return el(tag, { ...attributes, class: `framed ${attributes.class ?? ''}`.trim() }, bar, side, room, foot ? el('footer', { class: 'actions foot' }, ...foot) : null);
}

/** The node that has the focus, also within custom elements. */
export function focused() {
  let node = /** @type {any} */ (document.activeElement);
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node;
}

/** Scrolls the field that has the focus into view, after something beside it has changed its place. */
export const keepInView = () => requestAnimationFrame(() => { const at = focused(); if (at?.matches('input, textarea, select')) at.scrollIntoView({ block: 'nearest' }); });

/**
 * All elements below a node in document order, including those within custom elements.
 * @returns {any[]}
 */
export function everything(root) { return [...root.children].flatMap((one) => [one, ...(one.shadowRoot ? everything(one.shadowRoot) : []), ...everything(one)]); }

/** Sets a text only if it differs, so that it is not laid out or announced again. */
export function setText(node, text) { if (node.textContent !== text) node.textContent = text; }

/** Has screen readers announce a text at once. */
export function announce(text) {
  const region = document.getElementById('announcer');
  region.textContent = '';
  requestAnimationFrame(() => { region.textContent = text; });
}

/** Makes control characters and bidirectional overrides visible, as the text of a code is untrusted. */
export function printable(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Makes text of several lines safe as `printable` does, except for its line ends. */
export function printableLines(text) { return String(text).split(/\r\n|\r|\n/).map(printable).join('\n'); }

/** Matches if the person prefers reduced motion. */
export const still = matchMedia('(prefers-reduced-motion: reduce)');

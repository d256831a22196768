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

/** The node that has the focus, however deep in elements of their own it is. */
export function focused() {
  let node = /** @type {any} */ (document.activeElement);
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node;
}

/**
 * Everything below a node in the order of the page, with what elements of their own hold in place of these.
 * @returns {any[]}
 */
export function everything(root) { return [...root.children].flatMap((one) => [one, ...(one.shadowRoot ? everything(one.shadowRoot) : []), ...everything(one)]); }

/** Sets text only where it is another one, so that nothing is laid out or said again. */
export function setText(node, text) { if (node.textContent !== text) node.textContent = text; }

/** Says something to a screen reader at once. */
export function announce(text) {
  const region = document.getElementById('announcer');
  region.textContent = '';
  requestAnimationFrame(() => { region.textContent = text; });
}

/** Control characters and bidirectional overrides made visible: a code's text is a stranger's data. */
export function printable(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Text of several lines, made safe like `printable`; its line ends stay. */
export function printableLines(text) { return String(text).split(/\r\n|\r|\n/).map(printable).join('\n'); }

/** Whether the person asked for less motion. */
export const still = matchMedia('(prefers-reduced-motion: reduce)');

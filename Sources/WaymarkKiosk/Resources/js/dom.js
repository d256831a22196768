// The few DOM helpers every component uses. Text is always set as text, never parsed as markup.

/**
 * Makes an element. `attributes` with a name starting in "on" become listeners, `class`, `data-*` and `aria-*` are
 * attributes, and everything else is set as a property where the element has it; custom elements get attributes only.
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

const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  flash: 'M13 3L5 14h6l-1 7 8-11h-6z',
  gallery: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4',
  chevron: 'M6 9l6 6 6-6',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7L7 17',
  question: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.01',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18h2',
  cube: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  barcode: 'M4 6v12M7 6v12M10 6v12M12 6v12M15 6v12M17 6v12M20 6v12',
  device: 'M12 16V4M7 9l5-5 5 5M4 20h16',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
};

/** A line icon; decoration only, so it is hidden from screen readers. */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [key, value] of Object.entries({
    viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', 'stroke-width': '2', 'stroke-linecap': 'round',
    'stroke-linejoin': 'round', 'aria-hidden': 'true', class: 'icon',
  })) svg.setAttribute(key, value);
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name] ?? PATHS.question);
  svg.append(path);
  return svg;
}

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

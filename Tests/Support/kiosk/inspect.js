// Looks at what is on the screen now, as a person would, and returns what is wrong with it as sentences. Evaluated in the page by
// matrix.py. `options`: { large, focus, contrast, primary }.
(options) => {
  const faults = [];
  const dialogs = [...document.querySelectorAll('dialog[open]')];
  const root = dialogs.at(-1) ?? document.body;
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const chain = (node) => { const all = []; for (let at = node; at && at !== document.documentElement; at = parentOf(at)) all.push(at); return all; };
  const flat = (node) => [node, ...[...(node.shadowRoot ?? node).children].filter((one) => one.nodeName !== 'STYLE').flatMap((one) => one.nodeName === 'SLOT' ? one.assignedElements().flatMap(flat) : flat(one))];
  const nodes = flat(root).filter((node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !(node.closest('dialog') && dialogs.length && node.closest('dialog') !== root));
  const hiddenOnPurpose = (node) => chain(node).some((one) => getComputedStyle(one).clipPath === 'inset(50%)' || one.getAttribute?.('aria-hidden') === 'true' && one.matches('.visually-hidden'));
  const name = (node) => `<${node.nodeName.toLowerCase()}${node.className && typeof node.className === 'string' ? `.${node.className.trim().replaceAll(' ', '.')}` : ''}> “${(node.getAttribute?.('aria-label') ?? node.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)}”`;
  const cut = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const isEmpty = (r) => r.right - r.left < 1 || r.bottom - r.top < 1;
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const mayScrollSideways = '.strip, .rail, .albums, .roll, textarea, input';

  /** The part of a rectangle that can be seen where it is now, and whether something cuts it off for good. */
  function seen(rect, node) {
    let part = rect, lost = null;
    let [reachX, reachY] = [false, false];
    for (const at of chain(node)) {
      const style = getComputedStyle(at);
      if (style.position === 'fixed') { reachX = reachY = true; break; }
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const box = at.getBoundingClientRect();
      const inner = { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
      const scrolls = { x: /auto|scroll/.test(style.overflowX), y: /auto|scroll/.test(style.overflowY) };
      if (!reachX && !scrolls.x && style.overflowX !== 'visible' && (part.left < inner.left - 2 || part.right > inner.right + 2)) lost ??= at;
      if (!reachY && !scrolls.y && style.overflowY !== 'visible' && (part.top < inner.top - 2 || part.bottom > inner.bottom + 2)) lost ??= at;
      if (scrolls.x) reachX = true;
      if (scrolls.y) reachY = true;
      part = cut(part, inner);
      if (isEmpty(part)) break;
    }
    if (!lost && !isEmpty(part)) {
      if (!reachX && (part.left < -2 || part.right > innerWidth + 2)) lost = document.documentElement;
      if (!reachY && (part.top < -2 || part.bottom > innerHeight + 2)) lost = document.documentElement;
    }
    return { part: cut(part, screen), lost };
  }

  const deepAt = (x, y) => { let at = document.elementFromPoint(x, y); while (at?.shadowRoot) { const next = at.shadowRoot.elementFromPoint(x, y); if (!next || next === at) break; at = next; } return at; };
  const within = (node, outer) => chain(node).includes(outer);
  const deepest = () => { let one = document.activeElement; while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement; return one; };
  /** A message that goes by itself. */
  const passing = (node) => chain(node).some((one) => one.id === 'toasts');
  const clear = (color) => (color.match(/[\d.]+/g) ?? []).length === 4 && Number(color.match(/[\d.]+/g)[3]) === 0;
  /** Parts of one control, which touch each other: choices, keys, rows, handles of a picture, thumbnails in a strip. */
  const joined = (node) => chain(node).some((one) => one.matches?.('.menu, .keyboard, wm-keyboard, wm-choice, wm-stepper, wm-date, .codes, .handle, .strip, .grid, .filters, .deeds, .rail'));
  const floats = (node) => chain(node).some((one) => ['sticky', 'fixed'].includes(getComputedStyle(one).position) && one !== root);

  // Text: none is cut off, and none lies on another.
  const texts = [];
  for (const node of nodes) {
    if (node.matches('noscript, script, option, title, desc, textPath, canvas') || hiddenOnPurpose(node)) continue;
    for (const child of node.childNodes) {
      if (child.nodeType !== Node.TEXT_NODE || !child.textContent.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(child);
      for (const one of range.getClientRects()) {
        if (one.width < 1 || one.height < 1) continue;
        const { part, lost } = seen(one, node);
        // Text that is clamped to some lines stands whole elsewhere.
        if (lost && getComputedStyle(node).textOverflow !== 'ellipsis' && getComputedStyle(node).webkitLineClamp === 'none') faults.push(`cut: ${name(node)} by ${name(lost).slice(0, 40)}`);
        if (!isEmpty(part)) texts.push({ node, part });
      }
    }
  }
  for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
    const [a, b] = [texts[i], texts[j]];
    if (a.node === b.node || within(a.node, b.node) || within(b.node, a.node)) continue;
    const both = cut(a.part, b.part);
    if (both.right - both.left < 3 || both.bottom - both.top < 5) continue;
    const at = deepAt((both.left + both.right) / 2, (both.top + both.bottom) / 2);
    if (at && passing(at)) continue;
    // Text under something opaque is judged below, with the targets.
    const over = [a, b].find((one) => at && (within(at, one.node) || within(one.node, at)));
    const lower = over === a ? b : a;
    const opaque = over && chain(over.node).some((one) => !within(lower.node, one) && (getComputedStyle(one).backgroundColor.match(/[\d.]+/g) ?? []).length === 3);
    if (!opaque) faults.push(`overlap: ${name(a.node)} and ${name(b.node)}`);
  }

  // Text under something that stays in its place while the rest scrolls.
  for (const { node, part } of texts) {
    const at = deepAt((part.left + part.right) / 2, (part.top + part.bottom) / 2);
    if (at && floats(at) && !passing(at) && !within(at, node) && !within(node, at) && getComputedStyle(node).pointerEvents !== 'none') faults.push(`under: ${name(node)} under ${name(at)}`);
  }

  // No word is broken inside. Identifiers, addresses and what was read may be.
  for (const node of nodes) {
    if (node.matches('noscript, script, option, title, desc, canvas, textarea, svg *') || hiddenOnPurpose(node) || chain(node).some((one) => one.matches?.('.host, .address, .choice, .what strong, .object h2, dd, bdi'))) continue;
    for (const child of node.childNodes) {
      if (child.nodeType !== Node.TEXT_NODE) continue;
      for (const word of child.textContent.matchAll(/[\p{L}]{2,}/gu)) {
        const range = document.createRange();
        range.setStart(child, word.index);
        range.setEnd(child, word.index + word[0].length);
        const pieces = [...range.getClientRects()].filter((one) => one.width > .5);
        // With large letters a word may be longer than the screen is wide.
        const fits = !options.large || pieces.reduce((sum, one) => sum + one.width, 0) < innerWidth * .65;
        if (fits && new Set(pieces.map((one) => Math.round(one.top))).size > 1) faults.push(`broken: “${word[0]}” in ${name(node)}`);
      }
    }
  }

  // Targets: large enough, under nothing, and with room around them.
  const targets = nodes.filter((node) => node.matches('button, a[href], input, textarea, select, summary, [role="button"], [role="slider"]') && !hiddenOnPurpose(node));
  // What has the focus is where it can be seen.
  const focus = deepest();
  if (focus && focus !== document.body && targets.includes(focus)) {
    const box = focus.getBoundingClientRect();
    const at = deepAt((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    // A button below the edge of what scrolls is reached by scrolling; a field that is typed into is in sight.
    if (!focus.matches('input, textarea, select') && isEmpty(seen({ left: box.left, right: box.right, top: box.top + box.height / 2, bottom: box.top + box.height / 2 + 1.5 }, focus).part)) { /* scrolled away */ } else if (!at || !within(at, focus) && !within(focus, at) && !(focus.closest('label') && within(at, focus.closest('label')))) faults.push(`focus lost: ${name(focus)} under ${at ? name(at) : 'the edge'}`);
  }
  for (const node of targets) {
    let box = node.getBoundingClientRect();
    const label = node.matches('input') ? node.closest('label') : null;
    const size = label?.getBoundingClientRect() ?? box;
    // A field is as large as the box around it.
    const frame = node.matches('input, textarea') ? node.getRootNode().querySelector?.('.box')?.getBoundingClientRect() ?? size : size;
    if (frame.width < 47.5 || frame.height < 47.5) faults.push(`small: ${name(node)} ${Math.round(frame.width)}×${Math.round(frame.height)}`);
    const primary = node.matches('.button.primary');
    let { part, lost } = seen(box, node);
    if (lost && !node.closest(mayScrollSideways)) { faults.push(`cut off: ${name(node)} by ${name(lost)}`); continue; }
    if (primary && options.primary && (isEmpty(part) || part.bottom - part.top < box.height - 2 || part.right - part.left < box.width - 2)) { faults.push(`out of view: ${name(node)}`); continue; }
    // Of a target that is mostly scrolled away a hit test would miss what shows by its rounding.
    if ((isEmpty(part) || part.bottom - part.top < box.height / 2) && options.reach !== false) { node.scrollIntoView({ block: 'center' }); box = node.getBoundingClientRect(); ({ part } = seen(box, node)); if (isEmpty(part)) { faults.push(`out of reach: ${name(node)}`); continue; } }
    const [w, h] = [part.right - part.left, part.bottom - part.top];
    for (const [u, v] of [[.5, .5], [.15, .5], [.85, .5], [.5, .2], [.5, .8]]) {
      const at = deepAt(part.left + w * u, part.top + h * v);
      if (!at || within(at, node) || within(node, at) || label && within(at, label) || passing(at)) continue;
      faults.push(`covered: ${name(node)} by ${name(at)}`);
      break;
    }
  }
  // Buttons that are drawn keep 8 px from the edges of the screen and from each other; rows of lists and keys of one control touch.
  const drawn = targets.map((node) => [node, root.matches('dialog') ? cut(seen(node.getBoundingClientRect(), node).part, root.getBoundingClientRect()) : seen(node.getBoundingClientRect(), node).part]).filter(([node, part]) => {
    const style = getComputedStyle(node);
    return node.matches('button, a') && !isEmpty(part) && !joined(node) && (parseFloat(style.borderTopWidth) > 0 && !clear(style.borderTopColor) || !clear(style.backgroundColor));
  });
  for (const [i, [node, box]] of drawn.entries()) {
    const whole = node.getBoundingClientRect();
    // What scrolls passes the edges above and below.
    const scrolls = chain(node).some((one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1);
    for (const [side, gap] of [['left', box.left], ['right', innerWidth - box.right], ['top', box.top], ['bottom', innerHeight - box.bottom]]) if (gap > -1 && gap < 7.5 && Math.abs(whole[side] - box[side]) < 1 && !(scrolls && (side === 'top' || side === 'bottom')) && !(side === 'left' || side === 'right' ? box.right - box.left > innerWidth - 16 : false)) faults.push(`edge: ${name(node)} ${Math.round(gap)} px from the ${side}`);
    for (const [other, beside] of drawn.slice(i + 1)) {
      const x = Math.max(box.left, beside.left) - Math.min(box.right, beside.right);
      const y = Math.max(box.top, beside.top) - Math.min(box.bottom, beside.bottom);
      if (x < 7.5 && y < 7.5 && !within(node, other) && !within(other, node)) faults.push(`close: ${name(node)} ${Math.round(Math.max(x, y))} px from ${name(other)}`);
    }
  }
  for (const node of nodes) if (node.scrollTop && node.matches('main, .room, .column, dialog, .fields, .tools, .sheet, .body')) node.scrollTop = 0;

  // Nothing scrolls sideways but strips of pictures and cards.
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(`sideways: the page is ${document.documentElement.scrollWidth} wide`);
  for (const node of nodes) if (!node.matches(mayScrollSideways) && node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX)) faults.push(`sideways: ${name(node)}`);

  // The order of Tab follows that of reading; the bar may lie below what it belongs to.
  const stops = targets.filter((node) => !node.disabled && node.tabIndex >= 0 && !node.closest('.bar, #layer, .corners') && !floats(node)).map((node) => [node, node.getBoundingClientRect()])
    // A target that is scrolled away within its part of the screen has no place beside the rest.
    .filter(([node, box]) => !isEmpty(seen(box, node).part));
  for (let i = 1; i < stops.length; i++) {
    const [[a, p], [b, q]] = [stops[i - 1], stops[i]];
    const beside = Math.min(p.right, q.right) - Math.max(p.left, q.left) > 4;
    const row = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > Math.min(p.height, q.height) / 2;
    if (q.bottom <= p.top + 2 && beside || row && q.right <= p.left + 2) faults.push(`order: ${name(b)} comes after ${name(a)}`);
  }

  if (options.focus) {
    const at = deepest();
    for (const node of targets) {
      if (node.disabled || node.tabIndex < 0) continue;
      node.focus({ focusVisible: true, preventScroll: true });
      const shows = chain(node).slice(0, 5).some((one) => { const style = getComputedStyle(one); return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || one === node && style.boxShadow !== 'none'; });
      if (!shows) faults.push(`no focus: ${name(node)}`);
    }
    // A part of a custom element would keep the focus when the element is given it.
    deepest()?.blur();
    at?.focus?.({ preventScroll: true });
  }

  if (options.contrast) {
    const parse = (text) => { const n = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]; return text.startsWith('color(') ? [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
    const light = (color) => { const [r, g, b] = color.map((v) => { const c = v / 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
    const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
    for (const { node } of texts) {
      const style = getComputedStyle(node);
      if (chain(node).some((one) => one.disabled || one.getAttribute?.('aria-hidden') === 'true') || node.closest('.camera-gone, .qr')) continue;
      const stack = [];
      let camera = true;
      for (const one of chain(node)) { const color = parse(getComputedStyle(one).backgroundColor); if (color[3] > 0) stack.push(color); if (color[3] >= .999) { camera = one.matches('dialog.camera'); break; } }
      const grounds = camera && root.matches('.camera') ? [[255, 255, 255], [0, 0, 0]] : [parse(getComputedStyle(document.body).backgroundColor).slice(0, 3)];
      const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
      const least = size >= 24 || bold && size >= 18.66 ? 3 : 4.5;
      for (const ground of grounds) {
        // The dialog's own dark ground is never seen through its picture.
        const back = stack.filter((one, i) => !(camera && i === stack.length - 1 && one[3] >= .999)).reduceRight((below, top) => over(top, below), ground);
        const got = ratio(over(parse(style.color), back), back);
        if (got < least - .05) { faults.push(`contrast: ${name(node)} ${got.toFixed(2)} of ${least}`); break; }
      }
    }
  }

  const said = [...texts.filter(({ node }) => !node.closest('[lang]:not(html)')).map(({ node }) => node.textContent), ...nodes.filter((node) => !node.closest('[lang]:not(html)')).flatMap((node) => ['aria-label', 'placeholder', 'title', 'label', 'helper'].map((one) => node.getAttribute(one)).filter(Boolean))];
  return { faults: [...new Set(faults)], said: [...new Set(said.map((text) => text.trim().replace(/\s+/g, ' ')))] };
}

// Four corners over a picture: dragged, or moved with the arrow keys, with a magnifier where the finger is.
import { button, el } from '../dom.js';
import { svg } from '../icons.js';
import { t } from '../strings.js';
import { contain } from '../viewport.js';

const LENS = 3.2;
const NAMES = ['topLeft', 'topRight', 'bottomRight', 'bottomLeft'];

/** True if corners are clockwise and convex. */
export function isOutline(corners) {
  return corners.every(([x, y], i) => {
    const [a, b] = [corners[(i + 1) % 4], corners[(i + 2) % 4]];
    return (a[0] - x) * (b[1] - a[1]) - (a[1] - y) * (b[0] - a[0]) > 1;
  });
}

/**
 * The editor. `corners` are in pixels of a picture of `width` × `height`, whose file is at `source`.
 * `value` is the list of the current corners; `set(corners)` replaces them.
 */
export function cornerEditor({ source, width, height, corners }) {
  let points = corners.map((one) => [...one]);
  let view = contain({ width, height }, { left: 0, top: 0, width: 1, height: 1 });
  const image = el('img', { alt: '', src: source, draggable: false });
  const shape = svg('polygon', { class: 'shape' });
  const drawing = svg('svg', { class: 'lines', 'aria-hidden': 'true' }, shape);
  /** The two edges that meet in the corner, in the lens. */
  const edges = svg('polyline', { class: 'shape' });
  const lens = el('div', { class: 'lens', hidden: true, 'aria-hidden': 'true' }, svg('svg', { class: 'lines' }, edges), el('i'));
  lens.style.backgroundImage = `url("${source}")`;
  const node = el('div', { class: 'corners' }, image, drawing, lens);
  let held = -1;

  const onScreen = ([x, y]) => [x * view.scale + view.left, y * view.scale + view.top];
  const clamp = (value, limit) => Math.min(limit, Math.max(0, value));

  function draw() {
    points.forEach((point, i) => { const [x, y] = onScreen(point); handles[i].style.transform = `translate(${x}px, ${y}px)`; });
    shape.setAttribute('points', points.map((point) => onScreen(point).join(',')).join(' '));
    node.toggleAttribute('data-wrong', !isOutline(points));
    lens.hidden = held < 0;
    if (held < 0) return;
    const [x, y] = onScreen(points[held]);
    const size = lens.offsetWidth || 120;
    const zoom = view.scale * LENS;
    // The lens is above the finger, or beside it if there is no room above, as the hand covers the area below.
    const above = y > size + 40;
    const left = above ? x - size / 2 : x > node.clientWidth / 2 ? x - size - 56 : x + 56;
    lens.style.transform = `translate(${clamp(left, node.clientWidth - size)}px, ${above ? y - size - 32 : clamp(y - size - 32, node.clientHeight - size)}px)`;
    const [before, after] = [points[(held + 3) % 4], points[(held + 1) % 4]];
    edges.setAttribute('points', [before, points[held], after].map(([u, v]) => `${size / 2 + (u - points[held][0]) * zoom},${size / 2 + (v - points[held][1]) * zoom}`).join(' '));
    lens.style.backgroundSize = `${width * zoom}px ${height * zoom}px`;
    lens.style.backgroundPosition = `${size / 2 - points[held][0] * zoom}px ${size / 2 - points[held][1] * zoom}px`;
  }

  function move(i, [x, y]) { points[i] = [clamp(x, width - 1), clamp(y, height - 1)]; draw(); }

  const handles = NAMES.map((name, i) => {
    const handle = button('', () => {}, { kind: 'handle', 'aria-label': t(`document.corner.${name}`) });
    let offset = [0, 0];
    handle.addEventListener('pointerdown', (event) => {
      handle.setPointerCapture(event.pointerId);
      const [x, y] = onScreen(points[i]);
      offset = [event.clientX - x, event.clientY - y];
      held = i;
      draw();
    });
    handle.addEventListener('pointermove', (event) => {
      if (held !== i) return;
      move(i, [(event.clientX - offset[0] - view.left) / view.scale, (event.clientY - offset[1] - view.top) / view.scale]);
    });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) handle.addEventListener(end, () => { held = -1; draw(); });
    handle.addEventListener('keydown', (event) => {
      const step = (event.shiftKey ? 10 : 1) * Math.max(1, width / 640);
      const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (!by) return;
      event.preventDefault();
      held = i;
      move(i, [points[i][0] + by[0], points[i][1] + by[1]]);
    });
    handle.addEventListener('blur', () => { held = -1; draw(); });
    return handle;
  });
  node.append(...handles);

  const observer = new ResizeObserver(() => {
    view = contain({ width, height }, { left: 24, top: 24, width: Math.max(1, node.clientWidth - 48), height: Math.max(1, node.clientHeight - 48) });
    Object.assign(image.style, { left: `${view.left}px`, top: `${view.top}px`, width: `${width * view.scale}px`, height: `${height * view.scale}px` });
    draw();
  });
  observer.observe(node);

  return {
    node,
    get value() { return points.map(([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]); },
    get valid() { return isOutline(points); },
    set(next) { points = next.map((one) => [...one]); draw(); },
    stop() { observer.disconnect(); },
  };
}

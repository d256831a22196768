// Reorders the elements of a strip by dragging. A mouse drags at once; a finger that moves at once scrolls the strip, and one that rests
// first lifts the element. Buttons do the same for keyboards and switches.
const LIFT_MS = 300;
const SLOP = 8;
const EDGE = 40;

/**
 * Makes the children of `strip` that match `items` draggable. Calls `onmove(node, index)` with the new index among them.
 */
export function reorderable(strip, { items, onmove }) {
  /** The dragged element: where the drag began, its index, and the index at which it would be dropped. */
  let held = null;
  let timer = 0;
  let scroll = 0;
  const all = () => /** @type {HTMLElement[]} */ ([...strip.querySelectorAll(items)]);

  function lift() {
    clearTimeout(timer);
    if (!held || held.lifted) return;
    const nodes = all();
    held.lifted = true;
    held.nodes = nodes;
    held.from = held.to = nodes.indexOf(held.node);
    held.centres = nodes.map((node) => node.offsetLeft + node.offsetWidth / 2);
    held.scrolled = strip.scrollLeft;
    held.step = nodes.length > 1 ? nodes[1].offsetLeft - nodes[0].offsetLeft : 0;
    held.node.setPointerCapture(held.pointer);
    held.node.dataset.lifted = '';
    strip.dataset.dragging = '';
    navigator.vibrate?.(15);
    scroll = window.setInterval(() => {
      const box = strip.getBoundingClientRect();
      const by = held.last < box.left + EDGE ? -8 : held.last > box.right - EDGE ? 8 : 0;
      if (by) { strip.scrollLeft += by; place(); }
    }, 16);
    place();
  }

  /** Moves the elements between the old index and the new one, to make room. */
  function place() {
    const by = held.last - held.x + strip.scrollLeft - held.scrolled;
    const middle = held.centres[held.from] + by;
    held.to = held.centres.filter((centre, i) => i !== held.from && centre < middle).length;
    held.nodes.forEach((node, i) => {
      const shift = i === held.from ? by : i > held.from && i <= held.to ? -held.step : i < held.from && i >= held.to ? held.step : 0;
      node.style.transform = shift ? `translateX(${shift}px)` : '';
    });
  }

  function end(drop) {
    clearTimeout(timer);
    clearInterval(scroll);
    const last = held;
    held = null;
    if (!last?.lifted) return;
    for (const node of last.nodes) node.style.transform = '';
    delete last.node.dataset.lifted;
    delete strip.dataset.dragging;
    if (!drop) return;
    // A drag does not end with a click.
    const swallow = (event) => { event.stopPropagation(); event.preventDefault(); };
    strip.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => strip.removeEventListener('click', swallow, { capture: true }), 0);
    if (last.to !== last.from && last.node.isConnected) onmove(last.node, last.to);
  }

  strip.addEventListener('pointerdown', (event) => {
    const node = event.target.closest(items);
    if (!node || event.button !== 0 || held) return;
    held = { node, pointer: event.pointerId, x: event.clientX, y: event.clientY, last: event.clientX, mouse: event.pointerType === 'mouse', lifted: false };
    if (!held.mouse) timer = window.setTimeout(lift, LIFT_MS);
  });
  strip.addEventListener('pointermove', (event) => {
    if (held?.pointer !== event.pointerId) return;
    held.last = event.clientX;
    if (!held.node.isConnected) { end(false); return; }
    if (held.lifted) { place(); return; }
    if (Math.hypot(event.clientX - held.x, event.clientY - held.y) <= SLOP) return;
    if (held.mouse) lift(); else end(false);
  });
  strip.addEventListener('pointerup', (event) => { if (held?.pointer === event.pointerId) end(true); });
  for (const name of ['pointercancel', 'lostpointercapture']) strip.addEventListener(name, (event) => { if (held?.pointer === event.pointerId) end(false); });
  // While an element is lifted, the strip does not scroll and the browser shows no menu for the picture.
  strip.addEventListener('touchmove', (event) => { if (held?.lifted) event.preventDefault(); }, { passive: false });
  for (const name of ['contextmenu', 'dragstart']) strip.addEventListener(name, (event) => event.preventDefault());
  strip.addEventListener('keydown', (event) => { if (event.key === 'Escape' && held?.lifted) { event.stopPropagation(); event.preventDefault(); end(false); } });
}

// What is drawn over a frame: the match indicator on the anchor, markers with pulse, and the connector to the card.

const TAU = Math.PI * 2;
const INK = '#0b0e13';
const PAPER = '#ffffff';
const HIGHLIGHT = '#5be49b';

/** Whether the person asked for less motion. */
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** Scale from the captured frame to the canvas. */
export function scaleOf(context, update) { return context.canvas.width / update.frame.width; }

/** The outline of an anchor, with an opacity from 0 to 1. */
export function drawIndicator(context, update, opacity) {
  if (opacity <= 0) return;
  const s = scaleOf(context, update);
  context.save();
  context.globalAlpha = opacity;
  context.lineJoin = 'round';
  for (const anchor of update.anchors.filter((one) => one.trackingMethod === 'fullTracking')) {
    const corners = anchor.corners.map(([x, y]) => [(x + .5) * s, (y + .5) * s]);
    for (const [width, color] of [[7 * s, INK], [4 * s, HIGHLIGHT]]) {
      context.lineWidth = width;
      context.strokeStyle = color;
      context.beginPath();
      corners.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.closePath();
      context.stroke();
    }
  }
  context.restore();
}

/** The markers of a frame as `{ id, x, y, selected }` in canvas pixels. */
export function markersOf(context, update) {
  const s = scaleOf(context, update);
  return update.anchors.flatMap((anchor) => anchor.markers)
    .filter((marker) => marker.visible && marker.screen)
    .map((marker) => ({ id: marker.id, selected: marker.selected, x: (marker.screen[0] + .5) * s, y: (marker.screen[1] + .5) * s }));
}

/** All markers; the selected one pulses. `radius` in canvas pixels, `now` in milliseconds. */
export function drawMarkers(context, markers, { radius, now, opacity }) {
  context.save();
  context.globalAlpha = opacity;
  for (const { x, y, selected } of markers) {
    if (selected) {
      const phase = still.matches ? .5 : (now % 1400) / 1400;
      context.beginPath();
      context.arc(x, y, radius * (1.2 + phase), 0, TAU);
      context.strokeStyle = HIGHLIGHT;
      context.globalAlpha = opacity * (still.matches ? .8 : 1 - phase);
      context.lineWidth = radius * .25;
      context.stroke();
      context.globalAlpha = opacity;
    }
    context.beginPath();
    context.arc(x, y, radius, 0, TAU);
    context.fillStyle = selected ? HIGHLIGHT : PAPER;
    context.fill();
    context.lineWidth = radius * .28;
    context.strokeStyle = INK;
    context.stroke();
    context.beginPath();
    context.arc(x, y, radius * .32, 0, TAU);
    context.fillStyle = INK;
    context.fill();
  }
  context.restore();
}

/** The line from the selected marker to the card, `target` in canvas pixels. */
export function drawConnector(context, marker, target, radius) {
  const angle = Math.atan2(target.y - marker.y, target.x - marker.x);
  const from = [marker.x + Math.cos(angle) * radius, marker.y + Math.sin(angle) * radius];
  context.save();
  context.lineCap = 'round';
  for (const [width, color] of [[radius * .5, INK], [radius * .25, HIGHLIGHT]]) {
    context.lineWidth = width;
    context.strokeStyle = color;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(target.x, target.y);
    context.stroke();
  }
  context.restore();
}

/** Where the picture of a canvas with `object-fit: contain` really lies, in CSS pixels, and its scale. */
export function fitted(canvas) {
  const box = canvas.getBoundingClientRect();
  const scale = Math.min(box.width / canvas.width, box.height / canvas.height) || 1;
  return { left: box.left + (box.width - canvas.width * scale) / 2, top: box.top + (box.height - canvas.height * scale) / 2, scale };
}

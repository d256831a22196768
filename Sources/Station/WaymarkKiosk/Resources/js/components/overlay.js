// Drawings over a picture, in CSS pixels of the stage: the outline of a code, the outline of an anchor with its name,
// markers with their icons, and the connector to the card.
import { pictures } from '../api.js';
import { still } from '../dom.js';
import { PATHS } from '../icons.js';

const TAU = Math.PI * 2;

/** The colours of drawings, which are read from css/tokens.css. */
let palette = null;
function colors() {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  palette = {
    ink: read('seen-ink'), paper: read('seen'), accent: read('seen-accent'), text: read('stage-text'), font: read('font'),
    successful: read('seen-good'), invalid: read('seen-bad'), unsuccessful: read('seen-warn'), advice: read('seen-warn'), seen: read('seen'),
  };
  return palette;
}

const shapes = new Map();
function shape(name) {
  if (!shapes.has(name)) shapes.set(name, new Path2D(PATHS[name] ?? PATHS.info));
  return shapes.get(name);
}

/** An icon in the middle of a point, `size` wide. */
function glyph(context, name, x, y, size, color) {
  context.save();
  context.translate(x - size / 2, y - size / 2);
  context.scale(size / 24, size / 24);
  context.lineWidth = 2.2;
  context.lineCap = context.lineJoin = 'round';
  context.strokeStyle = color;
  context.stroke(shape(name));
  context.restore();
}

function trace(context, points) {
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
}

const BADGES = { successful: 'check', invalid: 'cross', unsuccessful: 'question' };

/** Draws the outline of a code: a dark edge, a line, a faint fill, and an icon so that the state is not shown by colour alone; or its number. */
export function drawCode(context, points, { state, opacity = 1, number = undefined }) {
  const c = colors();
  context.save();
  context.globalAlpha = opacity;
  context.lineJoin = 'round';
  trace(context, points);
  context.fillStyle = c[state] ?? c.seen;
  context.globalAlpha = opacity * .16;
  context.fill();
  context.globalAlpha = opacity;
  for (const [width, color] of [[9, c.ink], [5, c[state] ?? c.seen]]) { context.lineWidth = width; context.strokeStyle = color; context.stroke(); }
  if (BADGES[state]) {
    const low = points.reduce((a, b) => (b[1] > a[1] ? b : a));
    const x = points.reduce((sum, p) => sum + p[0], 0) / points.length;
    badge(context, BADGES[state], x, low[1], 19, c[state], c.ink);
  }
  if (number) {
    const [x, y] = points.reduce((a, b) => (b[0] + b[1] < a[0] + a[1] ? b : a));
    badge(context, null, x, y, Math.max(16, rem() * .9), c.seen, c.ink);
    context.font = `600 ${Math.round(rem() * 1.0625)}px ${c.font}`;
    context.fillStyle = c.ink;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(String(number), x, y + 1);
  }
  context.restore();
}

/** Draws the outline of a page, and a ring that fills while the page is held still. */
export function drawPage(context, points, { phase, progress = 0 }) {
  const c = colors();
  // One colour in every state: the ring and the tick show the state.
  const color = c.accent;
  context.save();
  context.lineJoin = 'round';
  trace(context, points);
  context.globalAlpha = .14;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = 1;
  for (const [width, stroke] of [[8, c.ink], [4, color]]) { context.lineWidth = width; context.strokeStyle = stroke; context.stroke(); }
  const [x, y] = [0, 1].map((k) => points.reduce((sum, point) => sum + point[k], 0) / points.length);
  if (phase === 'waiting') badge(context, 'check', x, y, 26, c.successful, c.ink);
  if (phase === 'holding') {
    for (const [width, stroke, share] of [[13, c.ink, 1], [9, c.paper, progress]]) {
      context.beginPath();
      context.arc(x, y, 34, -TAU / 4, -TAU / 4 + TAU * share);
      context.lineWidth = width;
      context.lineCap = 'round';
      context.strokeStyle = stroke;
      context.stroke();
    }
  }
  context.restore();
}

function badge(context, name, x, y, radius, ground, ink) {
  context.beginPath();
  context.arc(x, y, radius, 0, TAU);
  context.fillStyle = ground;
  context.fill();
  context.lineWidth = 3;
  context.strokeStyle = ink;
  context.stroke();
  if (name) glyph(context, name, x, y, radius * 1.25, ink);
}

/** The outline of an anchor on the stage: four corners, or more points for a cylinder. */
const outline = (anchor, place) => (anchor.outline ?? anchor.corners).map((point) => place.viewport.toScreen(point, place.scale));

/** Draws the outlines of the visible anchors with their names, each name once for several copies; `opacity` is 0 to 1. */
export function drawIndicator(context, update, place, opacity, nameOf) {
  if (opacity <= 0) return;
  const c = colors();
  context.save();
  context.lineJoin = 'round';
  const named = new Set();
  for (const anchor of update.anchors.filter((one) => one.trackingMethod === 'fullTracking')) {
    const corners = outline(anchor, place);
    context.globalAlpha = opacity;
    trace(context, corners);
    for (const [width, color] of [[9, c.ink], [5, c.successful]]) { context.lineWidth = width; context.strokeStyle = color; context.stroke(); }
    const name = nameOf(anchor.anchor);
    if (!name || named.has(name)) continue;
    named.add(name);
    const top = Math.min(...corners.map(([, y]) => y));
    const x = corners.reduce((sum, p) => sum + p[0], 0) / corners.length;
    context.font = `600 ${Math.round(rem() * 1.0625)}px ${c.font}`;
    const width = context.measureText(name).width + rem() * 3;
    const height = rem() * 2.25;
    const left = Math.min(place.width - width - 8, Math.max(8, x - width / 2));
    // Never under the bar, and never under the thumbnail in the corner.
    const lowest = left + width > place.width - rem() * 7 ? rem() * 10.5 : rem() * 4.5;
    const y = Math.max(lowest, top - height - 10);
    context.beginPath();
    context.roundRect(left, y, width, height, height / 2);
    context.fillStyle = c.ink;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = c.successful;
    context.stroke();
    glyph(context, 'check', left + rem() * 1.15, y + height / 2, rem() * 1.1, c.successful);
    context.fillStyle = c.text;
    context.textBaseline = 'middle';
    context.fillText(name, left + rem() * 2, y + height / 2 + 1);
  }
  context.restore();
}

let size = 0;
/** One rem in pixels, which is read once a second at most. */
function rem() {
  if (!size) { size = parseFloat(getComputedStyle(document.documentElement).fontSize); setTimeout(() => { size = 0; }, 1000); }
  return size;
}

/** The radius of a marker. */
export const markerRadius = () => Math.max(15, rem() * .95);

/**
 * A unique name for an anchor, or for one of its copies.
 * @param {{ anchor: string, copy?: number }} one
 */
export const thingOf = ({ anchor, copy }) => (copy === undefined ? anchor : `${anchor}\u0000${copy}`);

/** The markers of a frame as `{ id, copy, x, y, selected, opacity }` on the stage; `opacityOf(thing)` is the opacity of their anchor. */
export function markersOf(update, place, opacityOf) {
  return update.anchors.flatMap((anchor) => anchor.markers.map((marker) => ({ ...marker, copy: anchor.copy, opacity: opacityOf(thingOf(anchor)) })))
    .filter((marker) => marker.visible && marker.screen && marker.opacity > 0)
    .map((marker) => { const [x, y] = place.viewport.toScreen(marker.screen, place.scale); return { id: marker.id, copy: marker.copy, selected: marker.selected, opacity: marker.opacity, x, y }; });
}

/** Moves markers off their points, above them or at the upper edge of the box below, so that they do not cover what they belong to. */
export function raised(markers, box) {
  const lift = markerRadius() * 2.2;
  return markers.map((one) => (one.x < box.left || one.y < box.top || one.x > box.left + box.width || one.y > box.top + box.height ? one
    : { ...one, y: one.y + (one.y - lift * 1.6 < box.top ? lift : -lift), at: [one.x, one.y] }));
}

/** The pictures of a scene's own markers, by id; they are loaded when they are first drawn. */
const custom = new Map();
function customIcon(id, repaint) {
  if (!custom.has(id)) {
    const image = new Image();
    custom.set(id, image);
    image.onload = repaint;
    image.src = pictures.resource(id);
  }
  const image = custom.get(id);
  return image.complete && image.naturalWidth ? image : null;
}

/** Removes the pictures of a scene that was unloaded. */
export function forgetIcons() { custom.clear(); }

/**
 * All markers with their icons, each with its own share of `opacity`: a disc, for a warning a triangle; the selected one filled, larger, and pulsing.
 * `iconOf(id)` is a name, or the id of a picture of the scene. True while something moves.
 */
export function drawMarkers(context, markers, { now, opacity: all, iconOf, repaint }) {
  const c = colors();
  const base = markerRadius();
  context.save();
  context.lineJoin = 'round';
  for (const { id, x, y, at, selected, opacity: own = 1 } of [...markers].sort((a, b) => Number(a.selected) - Number(b.selected))) {
    const opacity = all * own;
    const name = iconOf(id) ?? 'info';
    const radius = selected ? base * 1.25 : base;
    const warns = name === 'warning';
    context.globalAlpha = opacity;
    if (selected) {
      const phase = still.matches ? .5 : (now % 1600) / 1600;
      context.beginPath();
      context.arc(x, y, radius * (1.1 + phase * .8), 0, TAU);
      context.strokeStyle = c.accent;
      context.globalAlpha = opacity * (still.matches ? .9 : 1 - phase);
      context.lineWidth = 4;
      context.stroke();
      context.globalAlpha = opacity;
    }
    // A stem leads to the point, which stays free.
    if (at) for (const [width, color] of [[6, c.ink], [2.5, selected ? c.accent : c.paper]]) {
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(...at);
      context.lineWidth = width;
      context.lineCap = 'round';
      context.strokeStyle = color;
      context.stroke();
    }
    context.beginPath();
    if (warns) {
      const r = radius * 1.35;
      context.moveTo(x, y - r);
      context.lineTo(x + r * .94, y + r * .66);
      context.lineTo(x - r * .94, y + r * .66);
      context.closePath();
    } else context.arc(x, y, radius, 0, TAU);
    const picture = name.startsWith('icon/') ? customIcon(name, repaint) : null;
    context.fillStyle = selected ? c.accent : warns ? c.advice : c.paper;
    context.lineWidth = 6;
    context.strokeStyle = c.ink;
    context.stroke();
    context.lineWidth = 2.5;
    context.strokeStyle = selected ? c.paper : c.ink;
    context.fill();
    if (selected) context.stroke();
    if (picture) {
      context.save();
      context.beginPath();
      context.arc(x, y, radius * .86, 0, TAU);
      context.clip();
      context.drawImage(picture, x - radius * .86, y - radius * .86, radius * 1.72, radius * 1.72);
      context.restore();
    } else glyph(context, name, x, y, radius * 1.2, c.ink);
  }
  context.restore();
  return markers.some((marker) => marker.opacity < 1 || marker.selected && !still.matches);
}

/**
 * Arrows at the edge of a box towards the markers outside of it. Returns the arrows as markers, so that they can be tapped.
 * @param {{ left: number, top: number, width: number, height: number }} box
 */
export function drawPointers(context, markers, box, opacity) {
  const c = colors();
  const radius = markerRadius() * .8;
  const within = (at, from, length) => Math.min(from + length - radius - 8, Math.max(from + radius + 8, at));
  const pointers = markers.map((one) => ({ ...one, from: [within(one.x, box.left, box.width), within(one.y, box.top, box.height)] }))
    .filter(({ x, y }) => x < box.left || y < box.top || x > box.left + box.width || y > box.top + box.height);
  context.save();
  for (const { x, y, from: [u, v], opacity: own = 1 } of pointers) {
    context.globalAlpha = opacity * own;
    context.beginPath();
    context.arc(u, v, radius, 0, TAU);
    context.fillStyle = c.paper;
    context.strokeStyle = c.ink;
    context.lineWidth = 3;
    context.fill();
    context.stroke();
    const angle = Math.atan2(y - v, x - u);
    const [p, q] = [Math.cos(angle) * radius, Math.sin(angle) * radius];
    context.beginPath();
    context.moveTo(u + p * .6, v + q * .6);
    context.lineTo(u - p * .35 - q * .5, v - q * .35 + p * .5);
    context.lineTo(u - p * .35 + q * .5, v - q * .35 - p * .5);
    context.closePath();
    context.fillStyle = c.ink;
    context.fill();
  }
  context.restore();
  return pointers.map((one) => ({ ...one, x: one.from[0], y: one.from[1] }));
}

/** The line from the selected marker to the card, both in CSS pixels of the stage. */
export function drawConnector(context, marker, target, opacity) {
  const c = colors();
  const [x, y] = marker.at ?? [marker.x, marker.y];
  const radius = marker.at ? 0 : markerRadius() * 1.25;
  const angle = Math.atan2(target.y - y, target.x - x);
  if (Math.hypot(target.y - y, target.x - x) <= radius) return;
  context.save();
  context.globalAlpha = opacity;
  context.lineCap = 'round';
  // The line's width grows with the font size, so that it is visible from a distance; it ends in a dot at the card.
  const thick = Math.max(4, rem() * .25);
  for (const [width, color] of [[thick * 2, c.ink], [thick, c.accent]]) {
    context.lineWidth = width;
    context.strokeStyle = context.fillStyle = color;
    context.beginPath();
    context.moveTo(x + Math.cos(angle) * radius, y + Math.sin(angle) * radius);
    context.lineTo(target.x, target.y);
    context.stroke();
    context.beginPath();
    context.arc(target.x, target.y, thick * .75 + width / 2, 0, TAU);
    context.fill();
  }
  context.restore();
}

// The live picture with the codes and anchors that are followed in it, and what was read, accepted and refused.
import { drawCode } from '../../../../Station/WaymarkKiosk/Resources/js/components/overlay.js';
import { button, el, printable, setText } from '../../../../Station/WaymarkKiosk/Resources/js/dom.js';
import { Preview } from '../../../../Station/WaymarkKiosk/Resources/js/preview.js';
import { contain } from '../../../../Station/WaymarkKiosk/Resources/js/viewport.js';
import { call, pictures } from './gateway.js';

/** The most entries in the list of readings. */
const LISTED = 12;
/** The seconds after which a scan of this page ends by itself. */
const SCAN_SECONDS = 60;

const centre = (corners) => [0, 1].map((axis) => corners.reduce((sum, point) => sum + point[axis], 0) / corners.length);
const quoted = (text) => (text === undefined ? '' : `“${printable(text)}”`);

/** Returns the list entry for an event about a code, which replaces an earlier entry with the same `key`; null for other events. */
export function reading(event) {
  switch (event.event) {
    case 'code.found': return { key: `read ${event.symbology} ${event.text}`, kind: 'seen', title: `Read: ${event.symbology}`, text: quoted(event.text ?? event.bytesBase64) };
    // A code that was not judged, as in the mode `barcode`, has no kind.
    case 'scan.successful': return !event.kind ? { key: `read ${event.symbology} ${event.text}`, kind: 'seen', title: `Read: ${event.symbology}`, text: quoted(event.text) } : { key: `accepted ${event.text}`, kind: 'good', title: `Accepted: ${event.kind}`, text: event.connectTo ? `connects to ${printable(event.connectTo)}` : quoted(event.text) };
    case 'scan.invalid': return { key: `refused ${event.reason} ${event.field}`, kind: 'bad', title: `Refused: ${event.reason}${event.field ? ` (${printable(event.field)})` : ''}`, text: printable(event.explanation ?? '') };
    case 'scan.unsuccessful': return { key: 'not read', kind: 'bad', title: 'Not read', text: event.reason };
    case 'scan.guide': return { key: 'advice', kind: 'seen', title: 'Seen, but not read', text: event.advice };
    default: return null;
  }
}

/** Makes the part with the live picture: `start()` and `stop()` control the picture, `take(event)` handles an event, `follow()` requests the service to follow codes. */
export function livePart(say) {
  const canvas = el('canvas', { width: 16, height: 16, role: 'img', 'aria-label': 'Live picture' });
  const notice = el('p', {}, 'Waiting for a picture …');
  const stage = el('div', { class: 'stage' }, canvas, notice);
  const list = el('ol', { class: 'read', 'aria-label': 'Codes that were read, newest first' });
  const choice = el('select', { 'aria-label': 'Camera', hidden: true, onchange: () => { preview.start(); follow(); } });
  const judge = button('Judge a code', () => (scan ? end() : begin()), { kind: 'primary' });
  const camera = () => (choice.hidden ? null : choice.value);
  const chosen = () => (choice.hidden ? {} : { camera: choice.value });

  /** The verdict of each followed code that has one, by the code's identifier. */
  const verdicts = new Map();
  /** The newest positions of the followed codes and anchors. */
  const places = { codes: [], anchors: [] };
  /** The scan that this page has armed. */
  let scan = '';
  let box = { left: 0, top: 0, width: 0, height: 0 };

  const preview = new Preview(canvas, {
    source: (signal) => pictures(camera(), signal),
    viewport: (size) => {
      stage.style.aspectRatio = `${size.width} / ${size.height}`;
      return { viewport: contain(size, box), moving: false };
    },
    expectsOverlay: () => places.codes.length + places.anchors.length > 0,
    paint: (context, overlay, { viewport, scale }) => {
      for (const one of [...(overlay?.anchors ?? []), ...(overlay?.codes ?? [])].filter((any) => any.trackingMethod === 'fullTracking')) {
        drawCode(context, (one.outline ?? one.corners).map((point) => viewport.toScreen(point, scale)), { state: verdicts.get(one.code) ?? 'seen' });
      }
      return false;
    },
    onstate: (state) => {
      notice.hidden = state === 'live';
      setText(notice, state === 'lost' ? 'No picture arrives. The cameras below say why.' : 'Waiting for a picture …');
    },
  });
  preview.ground = getComputedStyle(document.documentElement).getPropertyValue('--stage');
  new ResizeObserver(([entry]) => {
    box = { left: 0, top: 0, width: entry.contentRect.width, height: entry.contentRect.height };
    preview.resize(box.width, box.height, devicePixelRatio);
  }).observe(stage);

  const follow = () => call('codes.follow', chosen()).catch(() => { /* The picture is shown without outlines. */ });

  async function begin() {
    try { ({ scan } = await call('scan.begin', { mode: 'onboarding', timeout: SCAN_SECONDS, ...chosen() })); } catch (error) { say(error); }
    setText(judge.firstChild, scan ? 'Stop' : 'Judge a code');
  }

  const end = () => call('scan.cancel', { scan }).catch(() => { /* It has ended already. */ });

  function listed({ key, kind, title, text }, time) {
    [...list.children].find((one) => one.dataset.key === key)?.remove();
    list.prepend(el('li', { 'data-key': key, 'data-kind': kind }, el('span', { class: 'word' }, title), ` ${text} `, el('span', { class: 'soft' }, String(time ?? '').slice(11, 19))));
    while (list.children.length > LISTED) list.lastChild.remove();
  }

  function moved(event, what) {
    places[what] = event[what];
    if (event.frame) preview.overlay(event.frame.sequence, { frame: event.frame, ...places });
  }

  function judged(event) {
    const [x, y] = event.corners?.length ? centre(event.corners) : [NaN, NaN];
    const near = places.codes.find((one) => { const [a, b] = centre(one.corners); return Math.hypot(a - x, b - y) < Math.hypot(one.corners[0][0] - a, one.corners[0][1] - b); });
    if (near) verdicts.set(near.code, event.event === 'scan.successful' ? 'successful' : 'invalid');
  }

  return {
    node: el('section', { class: 'part tall', 'aria-labelledby': 'live' }, el('h2', { id: 'live' }, 'Live picture'), stage,
      el('div', { class: 'row' }, judge, choice, el('p', { class: 'grow soft' }, 'Judges as onboarding does, and confirms nothing.')), el('div', { role: 'log' }, list)),
    start: () => preview.start(),
    stop: () => preview.stop(),
    follow,
    /** Offers the cameras, where there are several. */
    cameras(names) {
      if (names.length < 2 || names.length === choice.options.length) return;
      choice.hidden = false;
      choice.replaceChildren(...names.map((name) => el('option', { value: name }, name)));
    },
    take(event) {
      if (camera() && event.camera && event.camera !== camera()) return;
      if (event.event === 'codes.updated') moved(event, 'codes');
      if (event.event === 'anchors.updated') moved(event, 'anchors');
      if (event.event === 'anchor.lost') places.anchors = places.anchors.filter((one) => one.anchor !== event.anchor || one.copy !== event.copy);
      if (event.event === 'code.lost') { places.codes = places.codes.filter((one) => one.code !== event.code); verdicts.delete(event.code); }
      const found = reading(event);
      if (found) listed(found, event.time);
      if (event.event === 'scan.successful' || event.event === 'scan.invalid') judged(event);
      // The verdict waits for a confirmation, which this page does not give.
      if (event.event === 'scan.successful' && event.scan === scan) end();
      if (event.event === 'scan.ended' && event.scan === scan) { scan = ''; setText(judge.firstChild, 'Judge a code'); }
    },
  };
}

// A page for developers of the feedback kit: every element in every state, without the service.
import { drawCode, drawMarkers, drawPage } from './components/overlay.js';
import { ask } from './dialog.js';
import { button, el } from './dom.js';
import { banner, bannerNode, clearMessages, countdown, emptyState, fullError, indicator, progress, skeleton, skeletonRow, statusButton, tick, toast } from './elements/feedback.js';
import { openMenu } from './elements/menu.js';
import { art } from './icons.js';
import { fieldSections, withKeyboard } from './kit-fields.js';
import { setLanguage } from './strings.js';
import './texts.js';

setLanguage('en');

/** @type {(320 | 160 | 92 | 64 | 48)[]} */
const SIZES = [320, 160, 92, 64, 48];
const section = (title, ...samples) => el('section', {}, el('h2', {}, title), el('div', { class: 'samples' }, ...samples));
const nothing = () => {};
const sample = (state) => {
  const node = statusButton({ label: 'Save', processing: 'Saving …', success: 'Saved', failure: 'Try again', work: () => new Promise((done) => setTimeout(done, 1500)) });
  if (state === 'processing') node.show(state, 'Saving …', el('span', { class: 'spinner' }));
  if (state === 'success') node.show(state, 'Saved', null);
  if (state === 'failure') node.show(state, 'Try again', null);
  node.dataset.sample = state;
  return node;
};
const message = (kind, title, text, more = {}) => bannerNode({ kind, title, text, closable: true, busy: false, close: nothing, ...more });

const half = progress({ label: 'Sending pictures', onstop: nothing });
half.set(.4);
const ring = countdown(20);
ring.set(13);

const MARKERS = ['wrench', 'gauge', 'bolt', 'warning', 'valve', 'chart', 'hand', 'plug', 'thermometer', 'drop', 'document', 'info', 'phone', 'video', 'link'];
const drawn = el('canvas', { width: 1440, height: 220, role: 'img', 'aria-label': 'Markers, as they are and chosen', 'data-sample': 'markers' });
drawn.style.cssText = 'width: 720px; max-width: 100%; background: var(--stage); border-radius: .625rem;';
const context = drawn.getContext('2d');
context.scale(2, 2);
const place = (y, selected) => MARKERS.map((id, i) => ({ id, x: 30 + i * 47, y, selected }));
drawMarkers(context, [...place(30, false), ...place(80, true)], { now: 400, opacity: 1, iconOf: (id) => id, repaint: nothing });

const codes = el('canvas', { width: 1440, height: 320, role: 'img', 'aria-label': 'Codes: seen, advised about, accepted, refused, not read' });
codes.style.cssText = drawn.style.cssText;
const second = codes.getContext('2d');
second.scale(2, 2);
['seen', 'advice', 'successful', 'invalid', 'unsuccessful'].forEach((state, i) => drawCode(second, [[30 + i * 140, 24], [120 + i * 140, 18], [126 + i * 140, 112], [26 + i * 140, 116]], { state }));

const pages = el('canvas', { width: 1440, height: 400, role: 'img', 'aria-label': 'Pages: found, held still, captured' });
pages.style.cssText = drawn.style.cssText;
const third = pages.getContext('2d');
third.scale(2, 2);
['looking', 'holding', 'waiting'].forEach((phase, i) => drawPage(third, [[60 + i * 230, 22], [190 + i * 230, 16], [200 + i * 230, 184], [52 + i * 230, 180]], { phase, progress: .6 }));

/** The banner about the interrupted connection; null while the connection is up. */
let gone = null;
const offline = () => { gone ??= banner({ kind: 'error', title: 'The connection is interrupted', text: 'Please wait a moment. It comes back by itself; what you entered stays.', busy: true }); };
const online = () => { gone?.close(); if (gone) banner({ kind: 'success', title: 'Connected again', seconds: 3 }); gone = null; };
const saying = (text, more) => el('div', { class: 'toast', style: 'position: static' }, el('span', {}, text), more ? button(more, nothing) : null);

document.getElementById('app').append(el('div', { class: 'kit' },
  el('h1', {}, 'Feedback kit'),
  section('Buttons', button('Primary', nothing, { kind: 'primary' }), button('Secondary', nothing), button('Quiet', nothing, { kind: 'quiet' }), button('Disabled', nothing, { kind: 'primary', disabled: true })),
  section('Status in the button', sample('idle'), sample('processing'), sample('success'), sample('failure')),
  section('Banners', message('info', 'A new version is ready', 'It is installed tonight.'), message('success', 'Connected again', ''),
    message('warning', 'Little space left', 'Remove pictures that you no longer need.'), message('error', 'The connection is interrupted', 'It comes back by itself.', { busy: true, closable: false })),
  section('Called up', button('Show a banner', () => banner({ kind: 'warning', title: 'Little space left', text: 'Remove pictures that you no longer need.', closable: true }), { 'data-sample': 'banner' }),
    button('Show a toast', () => toast('Page deleted', { action: { label: 'Undo', onclick: nothing } }), { 'data-sample': 'toast' }),
    button('Go offline', offline, { 'data-sample': 'offline' }), button('Come back', online, { 'data-sample': 'online' }),
    button('Ask', () => ask({ label: 'Delete this page?', text: 'You can undo this for five seconds.', choices: [{ label: 'Keep', value: false }, { label: 'Delete', value: true, primary: true }] }), { 'data-sample': 'ask' }),
    button('Clear', clearMessages, { kind: 'quiet', 'data-sample': 'clear' })),
  section('Toasts', saying('Page deleted', 'Undo'), saying('Handed over')),
  section('Several messages', (() => { const node = message('error', 'The connection is interrupted', 'It comes back by itself.', { busy: true, closable: false }); node.append(button('', nothing, { kind: 'round', 'aria-expanded': 'false', 'aria-label': '2 messages: show all', before: el('span', { class: 'count' }, '2') })); return node; })()),
  section('Under way', indicator('Preparing …'), half.node, ring.node, tick()),
  section('Skeletons, after a second', el('div', { class: 'lines' }, skeleton('text'), skeleton('text'), skeleton('text short')), el('div', { class: 'frame' }, skeletonRow()), ...[0, 1, 2].map(() => el('span', { class: 'thumb' }, skeleton()))),
  section('Nothing there', el('div', { class: 'frame' }, emptyState({ picture: 'gallery', title: 'There are no pictures yet', text: 'You can take one from your own files instead.', actions: [{ label: 'Choose a file', primary: true, onclick: nothing }, { label: 'Not now', onclick: nothing }] })),
    el('div', { class: 'frame', 'data-sample': 'error' }, (() => { const node = fullError({ title: 'This cannot be shown', text: 'Try again in a moment. If it keeps happening, ask a member of staff.', actions: [{ label: 'Home', primary: true, onclick: nothing }] }); node.removeAttribute('role'); return node; })())),
  section('Illustrations: 320, 160, 92, 64 and 48 wide', ...SIZES.map((size) => art('ready', size))),
  section('A menu, and where there is one button for several things', (() => { const open = button('Sort', () => openMenu(open, { label: 'Sort', items: ['Newest first', 'Name', 'Amount'].map((label, i) => ({ label, value: label, checked: i === 0 })), onchoose: (value) => toast(`Sorted: ${value}`) }), { 'data-sample': 'menu', 'aria-haspopup': 'menu', 'aria-expanded': 'false' }); return open; })()),
  section('Markers', drawn), section('Codes', codes), section('Pages', pages), ...fieldSections(section)));
withKeyboard();

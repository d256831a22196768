// The AR scanner: coaching, scanning, matched, annotating, as the service's session says. The session belongs to the
// device, so the view only ever follows its events; a command never changes the view by itself.
import { command, pictures } from '../api.js';
import { cardRail, detailPanel } from '../components/cards.js';
import { drawConnector, drawIndicator, drawMarkers, fitted, markersOf } from '../components/overlay.js';
import { cameraStage } from '../components/stage.js';
import { openDialog } from '../dialog.js';
import { announce, el, icon, printable } from '../dom.js';
import { t, tOr } from '../strings.js';

const FADE_MS = 320;
const REACH = 32;

/** Opens the AR scanner. */
export function openAR(app) {
  let phase = 'inactive';
  let selected = null;
  let fade = { from: 0, since: 0 };
  let hits = [];
  let closing = false;
  const offs = [];

  const say = (error) => { status.textContent = tOr(`error.${error.code}`, 'error.unavailable'); announce(status.textContent); };
  const send = (method, params) => command(method, params).catch(say);

  const status = el('p', { class: 'prompt', role: 'status' });
  const rail = cardRail({ onmove: (way) => send(`annotation.${way}`), onopen: () => send('card.open', { id: selected }) });
  const detail = detailPanel({ onclose: () => send('card.close'), onaction: () => send('card.action', { id: selected }) });
  const primary = el('button', { class: 'button primary', type: 'button', onclick: () => send('session.scan') });
  const guidePicture = el('img', { alt: '' });
  const coaching = el('section', { class: 'coaching', hidden: true },
    el('h3', {}, t('ar.coach')), guidePicture, el('p', {}, t('ar.coach.help')), primary);
  const thumbnail = el('button', { class: 'thumbnail', type: 'button', 'aria-label': t('ar.guide'), hidden: true, onclick: () => send('session.coach') }, el('img', { alt: '' }));
  const guide = el('div', { class: 'ar-guide', 'aria-hidden': 'true', hidden: true }, el('img', { alt: '' }), el('i'), el('i'));
  const matched = el('p', { class: 'matched', hidden: true }, icon('check'), t('ar.matched'));

  function paint(context, update, { now }) {
    hits = [];
    if (!update) return;
    const share = Math.min(1, (now - fade.since) / FADE_MS);
    if (phase === 'matched') drawIndicator(context, update, share);
    if (phase !== 'annotating') return;
    drawIndicator(context, update, 1 - share);
    const { scale, left, top } = fitted(context.canvas);
    const radius = 11 / scale;
    hits = markersOf(context, update);
    const focus = hits.find((marker) => marker.selected);
    const edge = focus && rail.edge();
    if (edge) drawConnector(context, focus, { x: (edge.x - left) / scale, y: (edge.y - top) / scale }, radius);
    drawMarkers(context, hits, { radius, now, opacity: share });
  }

  /** A tap selects the nearest marker within a finger's reach, or clears the selection. */
  function tap(event, canvas) {
    if (phase !== 'annotating') return;
    const { left, top, scale } = fitted(canvas);
    const x = (event.clientX - left) / scale;
    const y = (event.clientY - top) / scale;
    const near = hits.map((marker) => [Math.hypot(marker.x - x, marker.y - y) * scale, marker]).filter(([distance]) => distance <= REACH).sort(([a], [b]) => a - b)[0];
    if (near) send('annotation.select', { id: near[1].id });
    else if (selected) send('annotation.clear');
  }

  const annotations = () => (app.state.scene?.anchors ?? []).flatMap((anchor) => anchor.annotations);

  function showCard(id) {
    const all = annotations();
    const index = all.findIndex((one) => one.id === id);
    if (index < 0) { rail.hide(); return; }
    rail.show(id, all[index].card, { index, count: all.length });
    announce(printable(all[index].card.title));
  }

  function follow(event) {
    const before = phase;
    phase = event?.phase ?? 'inactive';
    if (phase !== before) fade = { since: performance.now() };
    const scene = app.state.scene;
    const resource = event?.guide?.resource ?? scene?.anchors[0]?.resource;
    if (resource) for (const image of [guidePicture, thumbnail.firstChild, guide.firstChild]) if (!image.src.endsWith(pictures.resource(resource))) image.src = pictures.resource(resource);
    coaching.hidden = phase !== 'coaching';
    primary.textContent = t(event?.primaryAction === 'returnToScan' ? 'ar.returnToScan' : 'ar.beginScan');
    thumbnail.hidden = !['scanning', 'matched', 'annotating'].includes(phase);
    guide.hidden = phase === 'inactive' || phase === 'coaching';
    guide.classList.toggle('faded', phase !== 'scanning');
    matched.hidden = phase !== 'matched';
    stage.node.dataset.phase = phase;
    status.textContent = phase === 'scanning' ? t(before === 'annotating' || before === 'matched' ? 'ar.lost' : 'ar.scanning') : '';
    status.hidden = !status.textContent;
    if (phase === 'coaching' && before !== 'coaching') { primary.focus(); announce(`${t('ar.coach')}. ${t('ar.coach.help')}`); }
    if (phase === 'matched') announce(t('ar.matched'));
    if (phase === 'scanning' && before !== 'scanning') announce(status.textContent);
    if (phase === 'inactive' && before !== 'inactive' && !closing) dialog.close();
    if (phase === 'inactive' || phase === 'coaching') { rail.hide(); detail.hide(); } else if (selected) showCard(selected);
  }

  let stage;
  const dialog = openDialog({
    label: t('ar.title'),
    onclose: () => {
      closing = true;
      for (const off of offs) off();
      stage.stop();
      command('session.exit').catch(() => {});
    },
    build: (self) => {
      stage = cameraStage(app, { label: t('ar.title'), paint, expectsOverlay: () => app.state.following && (phase === 'matched' || phase === 'annotating') });
      stage.canvas.addEventListener('click', (event) => tap(event, stage.canvas));
      stage.node.append(guide, matched, status, thumbnail, rail.node, coaching, detail.node);
      offs.push(
        app.events.on('anchors.updated', (event) => stage.preview.overlay(event.frame.sequence, event)),
        app.events.on('session.phase', follow),
        app.events.on('annotation.selected', (event) => { selected = event.id; showCard(event.id); }),
        app.events.on('annotation.cleared', () => { selected = null; rail.hide(); detail.hide(); }),
        app.events.on('card.opened', (event) => { const card = event.card ?? annotations().find((one) => one.id === event.id)?.card; if (card) detail.show(card); }),
        app.events.on('card.closed', () => { detail.hide(); rail.node.querySelector('.card').focus(); }),
        app.events.on('card.action', () => { status.textContent = t('ar.done'); status.hidden = false; announce(t('ar.done')); }),
        app.events.on('connection', ({ online, snapshot }) => { if (online) resume(snapshot); }));
      const box = document.createDocumentFragment();
      box.append(
        el('div', { class: 'bar' }, el('button', { class: 'button', type: 'button', onclick: () => self.close() }, t('common.exit')), el('h2', {}, t('ar.title')), el('span', {})),
        stage.node);
      return box;
    },
  });
  dialog.sheet.addEventListener('keydown', (event) => {
    if (phase !== 'annotating' || !['ArrowRight', 'ArrowLeft'].includes(event.key)) return;
    event.preventDefault();
    send(event.key === 'ArrowRight' ? 'annotation.next' : 'annotation.previous');
  });

  /** Takes up the session that the device is in, or starts one. */
  async function resume(snapshot) {
    selected = snapshot?.annotation?.id ?? null;
    if (snapshot?.session && snapshot.session.phase !== 'inactive') { follow(snapshot.session); return; }
    if (!app.state.scene) { await chooseScene(); return; }
    await start();
  }

  /** With no scene loaded: the only one there is, or a choice. */
  async function chooseScene() {
    const { scenes = [] } = (await send('scene.list')) ?? {};
    if (scenes.length === 1) { await start(scenes[0].scene); return; }
    const panel = el('section', { class: 'coaching' }, ...(scenes.length
      ? [el('h3', {}, t('ar.choose')), ...scenes.map((one) => el('button', { class: 'button', type: 'button', onclick: () => { panel.remove(); start(one.scene); } }, printable(one.title ?? one.scene)))]
      : [el('h3', {}, t('ar.noScene')), el('p', {}, t('ar.noScene.help')), el('button', { class: 'button primary', type: 'button', onclick: () => dialog.close() }, t('common.back'))]));
    stage.node.append(panel);
  }

  /** Starts a session with a scene, or with the one that is loaded. */
  async function start(scene) {
    if (closing) return;
    if (scene) { status.hidden = false; status.textContent = t('ar.loading'); }
    const started = await send('session.start', { scene });
    // Whoever left meanwhile did so before there was anything to leave.
    if (closing && started) command('session.exit').catch(() => {});
  }

  resume(app.state.snapshot);
  return dialog;
}

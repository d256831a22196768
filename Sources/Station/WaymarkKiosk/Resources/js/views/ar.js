// The AR scanner, which shows the phase of the service's session: coaching, scanning, matched or annotating. The session belongs to the
// device, so that only its events change the view, and commands do not.
import { command, pictures } from '../api.js';
import { assist, guidance } from '../components/assist.js';
import { cardRail, detailPanel, takeAlong } from '../components/cards.js';
import { drawConnector, drawIndicator, drawMarkers, drawPointers, forgetIcons, markerRadius, markersOf, raised, thingOf } from '../components/overlay.js';
import { cameraStage } from '../components/stage.js';
import { openDialog } from '../dialog.js';
import { announce, button, el, printable, setText, still } from '../dom.js';
import { emptyState, indicator, toast } from '../elements/feedback.js';
import { icon } from '../icons.js';
import { said, t, tOr } from '../strings.js';

const FADE_MS = 320;
const MOVE_MS = 420;
/** The milliseconds in which markers fade out after their anchor is lost, two frames; the service still reports the anchor for a while. */
const GONE_MS = 60;

/** Formats an identifier for people: "pump-7" becomes "Pump 7". */
export function spoken(name) {
  const words = printable(name).replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The steps of a scene: its own instruction with one step on each line, or the general steps. */
export function stepsOf(instruction, isCode = false) {
  const own = String(said(instruction)).split(/\r\n|\r|\n/).map((line) => printable(line).replace(/^\s*\d+[.)]\s*/, '').trim()).filter(Boolean);
  return own.length > 1 ? own : [own[0] ?? t(isCode ? 'ar.step.find.code' : 'ar.step.find'), t('ar.step.fill'), t('ar.step.tap')];
}

/**
 * Opens the AR scanner.
 * @param {import('../api.js').App} app
 */
export function openAR(app) {
  let phase = 'inactive';
  let selected = null;
  /** The selected copy of the anchor, at which the line to the card begins. */
  let selectedCopy = null;
  let fade = { since: 0 };
  let hits = [];
  let closing = false;
  let opened = null;
  /** The visible anchors and copies, with the names of their anchors. */
  let sight = new Map();
  /** The times since which anchors that the service still reports are not visible. */
  const unseen = new Map();
  const offs = [];

  const say = (error) => { const text = tOr(`error.${error.code}`, 'error.unavailable'); toast(text); };
  const reported = (answer) => answer.catch((error) => { say(error); return null; });
  const send = (method, params) => reported(command(method, params));

  const words = el('span', {});
  const prompt = el('p', { class: 'prompt' }, words);
  // The picture to find is shown in the corner only, as over the camera picture it would be confused with the real one.
  const guide = el('div', { class: 'ar-guide', hidden: true }, prompt, el('div', { class: 'outline window' }, el('i'), el('i'), el('i'), el('i'), icon('crosshair')));
  const thumbnail = el('button', { class: 'thumbnail', type: 'button', 'aria-label': t('ar.guide'), hidden: true, onclick: () => send('session.coach') }, el('img', { alt: '' }));
  const sights = el('p', { class: 'sights', hidden: true });
  const area = el('div', { class: 'area' }, guide, sights, thumbnail);
  const stuck = guidance({ area, picture: 'ar', explains: true, text: () => (phase === 'scanning' ? t('stuck.ar') : '') });
  const rail = cardRail({
    onmove: (way) => send(`annotation.${way}`),
    onchoose: (id) => send('annotation.select', { id }),
    onopen: (id) => send('card.open', { id }),
  });
  const tray = el('div', { class: 'tray' }, rail.node);
  const panel = el('div', { class: 'panel' });
  const detail = detailPanel({ onclose: () => send('card.close'), onaction: () => send('card.action', { id: opened ?? selected }) });

  const anchors = () => app.state.scene?.anchors ?? [];
  const annotations = () => anchors().flatMap((anchor) => anchor.annotations.map((one) => ({ ...one, anchor: anchor.anchor })));
  const named = (thing) => sight.get(thing);
  const names = () => new Set(sight.values());
  const inSight = () => { const present = names(); return annotations().filter((one) => present.has(one.anchor)); };
  const opacityOf = (thing) => (unseen.has(thing) ? Math.max(0, 1 - (performance.now() - unseen.get(thing)) / GONE_MS) : 1);
  const seen = () => { const shown = new Set([...sight.keys()].filter((thing) => !unseen.has(thing)).map(named)); return inSight().filter(({ anchor }) => shown.has(anchor)).length; };
  const counted = () => t('ar.sight', { count: seen() });
  const iconOf = (id) => annotations().find((one) => one.id === id)?.icon;

  function paint(context, update, place) {
    // A frame without what was followed in it, as on a busy machine, shows no marker; where the last ones were they can still be tapped.
    if (!update) return false;
    hits = [];
    const share = Math.min(1, (place.now - fade.since) / FADE_MS);
    if (phase === 'matched') drawIndicator(context, update, place, share, spoken);
    if (phase !== 'annotating') return share < 1 && phase === 'matched';
    drawIndicator(context, update, place, 1 - share, spoken);
    hits = raised(markersOf(update, place, opacityOf), stage.free);
    const focus = hits.find((marker) => marker.selected && marker.copy === selectedCopy) ?? hits.find((marker) => marker.selected);
    const edge = focus && (opened === null ? rail.edge() : panelEdge());
    if (edge) {
      const own = stage.canvas.getBoundingClientRect();
      drawConnector(context, focus, { x: edge.x - own.left, y: edge.y - own.top }, share * focus.opacity);
    }
    const markers = hits;
    hits = [...markers, ...drawPointers(context, markers, stage.free, share)];
    return drawMarkers(context, markers, { now: place.now, opacity: share, iconOf, repaint: () => stage.preview.redraw() }) || share < 1;
  }

  // If a scene is loaded already, the view shows the camera in which it is followed.
  const camera = app.cameras.for('ar', app.state.scene?.camera);
  const stage = cameraStage(app, { label: t('ar.title'), camera, area, paint, beside: () => Boolean(panel.querySelector('.detail')), expectsOverlay: () => app.state.following && (phase === 'matched' || phase === 'annotating') });

  /** The end of the line to an open detail: the middle of the panel's near edge. */
  function panelEdge() {
    const box = panel.getBoundingClientRect();
    return box.right < innerWidth * .75 ? { x: box.right, y: box.top + box.height / 2 } : { x: box.left + box.width / 2, y: box.top };
  }

  /** A tap selects the nearest marker within a finger's reach, or clears the selection. */
  function tap(event) {
    if (phase !== 'annotating') return;
    const own = stage.canvas.getBoundingClientRect();
    const x = event.clientX - own.left;
    const y = event.clientY - own.top;
    const far = ([u, v]) => Math.hypot(u - x, v - y);
    const near = hits.map((marker) => ({ id: marker.id, copy: marker.copy, distance: Math.min(far([marker.x, marker.y]), far(marker.at ?? [marker.x, marker.y])) }))
      .filter((one) => one.distance <= Math.max(28, markerRadius() * 1.6)).sort((a, b) => a.distance - b.distance)[0];
    if (near) send('annotation.select', { id: near.id, copy: near.copy });
    else if (selected) send('annotation.clear');
  }

  function tellSights() {
    const none = phase !== 'annotating' || !seen();
    if (sights.hidden !== none) sights.hidden = none;
    setText(sights, counted());
  }

  /** Notes which anchors a frame shows. */
  function look(anchors) {
    for (const anchor of anchors) {
      const thing = thingOf(anchor);
      if (anchor.trackingMethod === 'fullTracking') unseen.delete(thing); else if (!unseen.has(thing)) unseen.set(thing, performance.now());
    }
    tellSights();
  }

  /** Shows the cards of the visible anchors, and the selected card also while its anchor is not visible. */
  function cards() {
    if (phase !== 'annotating' && !(phase === 'scanning' && selected)) { rail.hide(); sights.hidden = true; return; }
    const near = inSight();
    const chosen = annotations().find((one) => one.id === selected);
    const isInSight = !chosen || near.some((one) => one.id === selected);
    rail.show(isInSight ? near : [chosen, ...near], selected, isInSight);
    tellSights();
  }

  /** Sets the contents of the panel: coaching, a choice, or the detail of a card. */
  const fill = (node) => {
    const held = panel.contains(document.activeElement);
    const beside = Boolean(panel.querySelector('.detail'));
    panel.replaceChildren(...(node ? [node] : []));
    if (beside !== Boolean(panel.querySelector('.detail'))) stage.shift();
    // If the focused element is removed, the dialog gets the focus, so that keys still work.
    if (held) dialog.node.focus({ preventScroll: true });
  };

  function coach(event) {
    const resource = resourceOf(event);
    const go = button(t(event.primaryAction === 'returnToScan' ? 'ar.returnToScan' : 'ar.beginScan'), () => send('session.scan'), { kind: 'primary' });
    const steps = stepsOf(event.instruction, isCode(event));
    const node = el('section', { class: 'sheet coaching', 'aria-label': t('ar.coach') }, el('h3', {}, t('ar.coach')),
      resource ? el('figure', { class: 'picture' }, el('img', { alt: t('ar.guide.picture'), src: pictures.resource(resource) })) : null,
      el('ol', { class: 'steps', 'aria-label': t('ar.coach') }, ...steps.map((step) => el('li', {}, el('span', {}, step)))), go);
    fill(node);
    fly(thumbnail.firstElementChild, node.querySelector('.picture img'), node);
    go.focus({ preventScroll: true });
    announce(`${t('ar.coach')}. ${steps.join(' ')}`);
  }

  /** Animates the picture between the sheet and the thumbnail. */
  function fly(from, to, sheet) {
    if (still.matches || !to) return;
    const a = from?.getBoundingClientRect();
    if (!a?.width) { sheet?.classList.add('moving'); return; }
    const begin = () => {
      const b = to.getBoundingClientRect();
      if (!b.width) return;
      to.animate([{ transformOrigin: '0 0', transform: `translate(${a.left - b.left}px, ${a.top - b.top}px) scale(${a.width / b.width}, ${a.height / b.height})` }, { transformOrigin: '0 0', transform: 'none' }],
        { duration: MOVE_MS, easing: 'cubic-bezier(.2, .8, .2, 1)' });
    };
    if (to.complete !== false) begin(); else to.addEventListener('load', begin, { once: true });
  }

  const guided = (event) => anchors().find((one) => one.anchor === event?.guide?.anchor) ?? anchors()[0];
  /** The picture to look for; a code may have none. */
  const resourceOf = (event) => event?.guide?.resource ?? guided(event)?.resource;
  const isCode = (event) => Boolean(guided(event)?.code);

  function follow(event) {
    const before = phase;
    phase = event?.phase ?? 'inactive';
    if (phase !== before) stuck.moved();
    if (phase !== before) fade = { since: performance.now() };
    const resource = resourceOf(event);
    const small = /** @type {HTMLImageElement} */ (thumbnail.firstElementChild);
    small.hidden = !resource;
    if (resource && !small.src.endsWith(pictures.resource(resource))) small.src = pictures.resource(resource);
    const sheetPicture = panel.querySelector('.coaching .picture img');
    dialog.node.dataset.phase = stage.node.dataset.phase = phase;
    if (phase === 'coaching') {
      if (before !== 'coaching') { opened = null; coach(event); }
    } else if (before === 'coaching' || !panel.querySelector('.detail')) {
      const isSmall = ['scanning', 'matched', 'annotating'].includes(phase);
      thumbnail.hidden = !isSmall;
      if (before === 'coaching' && isSmall && sheetPicture) fly(sheetPicture, thumbnail);
      fill(null);
    }
    thumbnail.hidden = !['scanning', 'matched', 'annotating'].includes(phase);
    guide.hidden = phase === 'inactive' || phase === 'coaching';
    guide.toggleAttribute('data-faded', phase !== 'scanning');
    if (phase === 'scanning') {
      const isLost = before === 'annotating' || before === 'matched';
      if (isCode(event)) setText(words, t(isLost ? 'ar.lost.code' : 'ar.scanning.code'));
      else setText(words, t(isLost ? 'ar.lost' : 'ar.scanning'));
    }
    if (phase === 'matched') announce(t('ar.matched', { name: [...names()].map(spoken).join(', ') }));
    if (phase === 'scanning' && before !== 'scanning') announce(words.textContent);
    if (phase === 'annotating' && before !== 'annotating') announce(counted());
    if (phase === 'inactive' && before !== 'inactive' && !closing) { dialog.close(); return; }
    cards();
  }

  function showDetail(id) {
    const one = annotations().find((each) => each.id === id);
    if (!one) return;
    opened = id;
    const node = detail({ card: one.card, anchor: spoken(one.anchor), businessObject: one.businessObject });
    fill(node);
    node.focus({ preventScroll: true });
  }

  function hideDetail() {
    if (!panel.querySelector('.detail')) return;
    opened = null;
    fill(null);
    rail.focus();
  }

  /** Runs the action of a card: opens it here, or informs the person that it was sent to a program. */
  function act(event) {
    const card = annotations().find((one) => one.id === event.id)?.card;
    const title = printable(said(card?.actionText ?? card?.title) || t('ar.title'));
    if (!takeAlong({ actionType: event.actionType, actionData: event.actionData, title })) toast(t('ar.sent', { title }));
  }

  const dialog = openDialog({
    label: t('ar.title'), kind: 'view camera ar',
    // Escape first closes the open detail.
    mayClose: () => { if (opened === null) return true; send('card.close'); return false; },
    onclose: () => {
      closing = true;
      stuck.stop();
      for (const off of offs) off();
      stage.stop();
      forgetIcons();
      command('session.exit').catch(() => {});
    },
    build: (self) => {
      stage.canvas.addEventListener('click', tap);
      offs.push(
        app.events.on('anchors.updated', (event) => { look(event.anchors); stage.preview.overlay(event.frame.sequence, event); }),
        app.events.on('anchor.found', (event) => { sight.set(thingOf(event), event.anchor); cards(); }),
        app.events.on('anchor.lost', (event) => { sight.delete(thingOf(event)); unseen.delete(thingOf(event)); cards(); }),
        app.events.on('scene.loaded', () => { cards(); if (phase === 'inactive' && panel.querySelector('.choice')) start(); }),
        app.events.on('session.phase', follow),
        app.events.on('annotation.selected', (event) => { selected = event.id; selectedCopy = event.copy; cards(); announce(printable(said(annotations().find((one) => one.id === event.id)?.card.title))); }),
        app.events.on('annotation.cleared', () => { selected = selectedCopy = null; hideDetail(); cards(); }),
        app.events.on('card.opened', (event) => { selected = event.id; cards(); showDetail(event.id); }),
        app.events.on('card.closed', hideDetail),
        app.events.on('card.action', act),
        app.events.on('connection', ({ online, snapshot }) => { if (online) resume(snapshot); }));
      const box = document.createDocumentFragment();
      box.append(stage.node, el('header', { class: 'bar' }, button(t('common.cancel'), () => self.close(), { kind: 'leave' }), el('h2', {}, t('ar.title')), el('span', {}, stage.light, assist('ar'))), area, tray, panel);
      return box;
    },
  });
  dialog.node.addEventListener('keydown', (event) => {
    if (phase !== 'annotating' || opened !== null || !['ArrowRight', 'ArrowLeft'].includes(event.key)) return;
    event.preventDefault();
    send(event.key === 'ArrowRight' ? 'annotation.next' : 'annotation.previous');
  });

  /** Continues the device's session, or starts one. */
  async function resume(snapshot) {
    selected = snapshot?.annotation?.id ?? null;
    selectedCopy = snapshot?.annotation?.copy ?? null;
    sight = new Map((snapshot?.anchors ?? []).map((one) => [thingOf(one), one.anchor]));
    if (snapshot?.session && snapshot.session.phase !== 'inactive') { follow(snapshot.session); return; }
    if (!app.state.scene) { await chooseScene(); return; }
    await start();
  }

  /** Starts the only scene, or offers a choice until a scene is loaded. */
  async function chooseScene() {
    const { scenes = [] } = (await send('scene.list')) ?? {};
    // A session may have begun meanwhile, or the configured scene may have been loaded.
    if (closing || phase !== 'inactive') return;
    if (app.state.scene) { await start(); return; }
    if (scenes.length === 1) { await start(scenes[0].scene); return; }
    fill(scenes.length
      ? el('section', { class: 'sheet choice moving', 'aria-label': t('ar.choose') }, el('h3', {}, t('ar.choose')),
        ...scenes.map((one) => button(printable(said(one.title) || spoken(one.scene)), () => start(one.scene))))
      : el('section', { class: 'sheet moving' }, emptyState({ picture: 'ar', title: t('ar.noScene'), text: t('ar.noScene.help'), actions: [{ label: t('common.home'), primary: true, onclick: () => dialog.close() }] })));
  }

  /** Starts a session with a scene, or with the one that is loaded. */
  async function start(scene) {
    if (closing || phase !== 'inactive') return;
    if (scene) fill(el('section', { class: 'sheet moving' }, indicator(t('ar.loading'))));
    const started = await reported(camera.command('session.start', scene ? { scene } : {}));
    // If the view was closed before the session began, the session is ended.
    if (closing && started) command('session.exit').catch(() => {});
    else if (!started && !closing) fill(el('section', { class: 'sheet' }, emptyState({ picture: 'trouble', title: t('ar.failed'), text: t('ar.failed.help'), actions: [{ label: t('common.again'), primary: true, onclick: () => start(scene) }] })));
  }

  // Until the service has listed its scenes, there is nothing to choose from.
  if (app.state.snapshot) resume(app.state.snapshot); else fill(el('section', { class: 'sheet' }, indicator(t('ar.loading'))));
  return dialog;
}

// The page for the person who sets a device up: asks for a token where one is needed, and keeps the parts up to date.
import { setText } from '../../../../Station/WaymarkKiosk/Resources/js/dom.js';
import { call, follow, get, hasToken, keepToken, pause } from './gateway.js';
import { livePart } from './live.js';
import { anchorsPart, camerasPart, configurationPart, figuresPart, logPart } from './parts.js';

const node = (id) => /** @type {any} */ (document.getElementById(id));
/** The milliseconds between two readings of the state. */
const PACE = 2000;
/** The state that changes rarely is part of every reading whose number is a multiple of this. */
const RARELY = 5;
const EVENTS = ['code.*', 'codes.*', 'anchor.*', 'anchors.*', 'scan.*', 'scene.*', 'camera.status'];

/** Shows an error, or hides it without one. */
function say(error) {
  node('trouble').hidden = !error;
  setText(node('trouble'), error ? [error.message, error.hint].filter(Boolean).join('\n') : '');
}

/** Requests the configuration; resolves to true if the gateway accepts the sender as an operator, else shows the form for a token or the error. */
async function enters() {
  try {
    await call('config.show');
    say(null);
    return true;
  } catch (error) {
    const isToken = ['noToken', 'notPermitted'].includes(error.code);
    node('enter').hidden = !isToken;
    if (error.code === 'noToken') say(hasToken() ? { message: 'The gateway does not know this token.', hint: 'Enter the first line of a file that gateway.yaml names under tokens.' } : null);
    else if (isToken) say({ message: 'This token is an observer’s; the page needs an operator’s.', hint: 'Give its entry under tokens in gateway.yaml role: operator, and let the gateway itself operate (docs/gateway.md).' });
    else say(error);
    if (isToken) { keepToken(); node('token').focus(); }
    return false;
  }
}

/** Waits until the gateway accepts the sender as an operator. */
async function entered() {
  while (!await enters()) {
    if (node('enter').hidden) { await pause(PACE); continue; }
    await new Promise((done) => {
      node('enter').onsubmit = (event) => {
        event.preventDefault();
        keepToken(node('token').value.trim());
        node('token').value = '';
        done(null);
      };
    });
  }
  node('enter').hidden = true;
  node('parts').hidden = false;
  node('forget').hidden = !hasToken();
}

node('forget').onclick = () => { keepToken(); location.reload(); };
await entered();

const [live, cameras, anchors, figures, configuration, log] = [livePart(say), camerasPart(), anchorsPart(), figuresPart(), configurationPart(say), logPart(say)];
node('parts').append(...[live, cameras, anchors, figures, configuration, log].map((part) => part.node));
live.start();
document.addEventListener('visibilitychange', () => (document.hidden ? live.stop() : live.start()));

let turn = 0;
/** True if the state that changes rarely must be read again. */
let isStale = true;
/** The last reading of the state that changes rarely. */
let [plugged, scene, webhooks] = [{ cameras: [] }, null, []];

async function refresh() {
  const status = await call('status');
  if (isStale || turn % RARELY === 0) {
    isStale = false;
    const [list, state, hooks, shown] = await Promise.all([call('camera.list'), get('/v1/state'), get('/v1/webhooks'), call('config.show')]);
    [plugged, scene, webhooks] = [list, state.scene, hooks];
    configuration.show(shown, status.configuration);
  }
  turn += 1;
  setText(node('device'), `${status.version}, ${location.host}, since ${status.started.slice(0, 19).replace('T', ' ')}`);
  live.cameras((status.cameras ?? []).map((one) => one.name));
  cameras.show(status, plugged);
  anchors.show(scene, status.anchors);
  figures.show(status, webhooks);
  log.show(await call('log.read'));
}

follow(EVENTS, (event) => {
  live.take(event);
  if (event.event.startsWith('scene.') || event.event === 'camera.status') isStale = true;
}, (isOpen) => { if (isOpen) live.follow(); });

for (let isAway = false; ;) {
  // A page in the background sends no requests.
  if (document.hidden) { await pause(PACE); continue; }
  try {
    await refresh();
    if (isAway) say(null);
    isAway = false;
  } catch (error) {
    if (error.status === 401 || error.status === 403) location.reload();
    isAway = true;
    say(error);
  }
  await pause(PACE);
}

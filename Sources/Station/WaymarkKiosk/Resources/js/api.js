// The page's one way to the service: events come as server-sent events, commands go as POST.

/** A name that nothing else has. */
export const identity = () => crypto.randomUUID ? crypto.randomUUID() : [...crypto.getRandomValues(new Uint32Array(4))].join('-');

/** Digits and letters that cannot be mistaken for each other, without vowels, so that they make no words. */
const SIGNS = '23456789BCDFGHJKLMNPQRSTVWXYZ';

/** A short number for something that is handed over, such as "K7RM-42QD": one in 5 · 10¹¹. */
export function handedNumber() {
  const signs = [...crypto.getRandomValues(new Uint32Array(8))].map((one) => SIGNS[one % SIGNS.length]).join('');
  return `${signs.slice(0, 4)}-${signs.slice(4)}`;
}

/** Names this page to the kiosk, so that what it armed is disarmed when it goes away. */
const page = identity();

/** An error reply of the service or of the kiosk: a stable `code`, what happened, what to do. */
export class CommandError extends Error {
  constructor({ code = 'unavailable', message = '', hint = '' } = {}) {
    super(message || code);
    this.code = code;
    this.hint = hint;
  }
}

async function answer(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok || body.error) throw new CommandError(body.error);
  return body.result;
}

/** How many requests are under way, and when that is shown: an answer that is there at once needs no sign. */
let underway = 0;
let showing = 0;
const SHOWN_MS = 400;

/** Asks the kiosk; what cannot be asked is offline. */
async function send(path, headers, body) {
  underway += 1;
  if (underway === 1) showing = window.setTimeout(() => { document.documentElement.dataset.working = ''; }, SHOWN_MS);
  let response;
  try { response = await fetch(path, { method: 'POST', headers, body }); } catch { throw new CommandError({ code: 'offline' }); } finally {
    underway -= 1;
    if (!underway) { clearTimeout(showing); delete document.documentElement.dataset.working; }
  }
  return answer(response);
}

/** @typedef {import('waymark').Methods} Methods What each method takes and answers, as schema/ says. */

/**
 * Sends a command; resolves to its result or throws a `CommandError`.
 * @template {keyof Methods} Method
 * @param {Method} method
 * @param {Methods[Method]['params']} [params]
 * @returns {Promise<Methods[Method]['result']>}
 */
export const command = (method, params = {}) => send('/api/command', { 'content-type': 'application/json', 'x-waymark-page': page }, JSON.stringify({ method, params }));

const post = (path, body) => send(path, { 'content-type': 'application/json' }, JSON.stringify(body));

/** Offers a result to a visitor's phone; resolves to the address under which it is taken, and how many seconds it waits there. */
export const offerPickup = (result) => post('/api/pickup', result);

/** Gives a result to a program of the integrator's; resolves once that has ended well. */
export const sendHandover = (result) => post('/api/handover', result);

/** Hands a picture to the service, which answers with a verdict. */
export async function upload(file) {
  if (file.size > 16 * 1024 * 1024) throw new CommandError({ code: 'tooLarge' });
  return send('/api/upload', { 'content-type': 'application/octet-stream', 'x-waymark-page': page }, file);
}

/** What this page may show, as the kiosk was started: it stands in the page. */
export const configuration = () => JSON.parse(document.querySelector('meta[name="waymark"]')?.getAttribute('content') || '{}');

/** Addresses of pictures. */
export const pictures = {
  resource: (id) => `/api/resource/${encodeURIComponent(id)}`,
  gallery: (id, width = 240) => `/api/gallery/${encodeURIComponent(id)}${width ? `?width=${width}` : ''}`,
  /** The revision is there so that a browser does not show what it has of an older one. */
  document: (id, { width, revision, original }) => `/api/document/${encodeURIComponent(id)}?width=${width}&revision=${revision}${original ? '&original=1' : ''}`,
  preview: (width, rate, camera) => `/api/preview?width=${width}&rate=${rate}${camera ? `&camera=${encodeURIComponent(camera)}` : ''}`,
};

/** @typedef {{ online: boolean, role?: import('waymark').Hello['role'], snapshot?: import('waymark').Snapshot }} Connection The service has come or gone. */
/** @typedef {{ [Name in keyof import('waymark').Events]: import('waymark').Envelope<Name> & import('waymark').Events[Name] }} ServiceEvents */
/** @typedef {{ events: EventStream, cameras: import('./cameras.js').Cameras, [other: string]: any }} App What all views share, as main.js makes it. */
/** @typedef {ServiceEvents & { connection: Connection, '*': import('waymark').Event }} PageEvents What each handler is given. */

/**
 * The stream of events. Handlers are registered by name; `*` gets all. `connection` is dispatched as an event of this
 * object itself with `{ online }` when the service comes or goes.
 */
export class EventStream {
  #handlers = new Map();
  #source = null;
  #timer = 0;
  online = false;

  /**
   * @template {keyof PageEvents} Name
   * @param {Name} name
   * @param {(event: PageEvents[Name]) => void} handler
   */
  on(name, handler) {
    const set = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, set.add(handler));
    return () => set.delete(handler);
  }

  open() {
    this.#source?.close();
    const source = new EventSource(`/api/events?page=${page}`);
    this.#source = source;
    source.onmessage = (message) => this.#deliver(JSON.parse(message.data));
    source.onerror = () => {
      this.#connection(false);
      // EventSource gives up for good on an HTTP error; try again by hand.
      if (source.readyState === EventSource.CLOSED) { clearTimeout(this.#timer); this.#timer = setTimeout(() => this.open(), 1000); }
    };
  }

  #deliver(event) {
    if (event.event === 'kiosk.connection') { this.#connection(event.online, event); return; }
    this.#dispatch(event.event, event);
    this.#dispatch('*', event);
  }

  #connection(online, event = {}) {
    const changed = online !== this.online;
    this.online = online;
    if (changed || event.snapshot) this.#dispatch('connection', { online, role: event.role, snapshot: event.snapshot });
  }

  #dispatch(name, event) { for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(event); }
}

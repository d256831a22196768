// The page's connection to the service: events come as server-sent events, commands are sent by POST.

/** A random unique name. */
export const identity = () => crypto.randomUUID ? crypto.randomUUID() : [...crypto.getRandomValues(new Uint32Array(4))].join('-');

/** Digits and letters that are hard to confuse, without vowels, so that they form no words. */
const SIGNS = '23456789BCDFGHJKLMNPQRSTVWXYZ';

/** A random number for something that is handed over, such as "K7RM-42QD": one of 5 · 10¹¹. */
export function handedNumber() {
  const signs = [...crypto.getRandomValues(new Uint32Array(8))].map((one) => SIGNS[one % SIGNS.length]).join('');
  return `${signs.slice(0, 4)}-${signs.slice(4)}`;
}

/** The name of this page for the kiosk, so that scans that the page began are ended when it is closed. */
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

/** The number of pending requests, and the timer after which they are indicated; a fast answer needs no indication. */
let underway = 0;
let showing = 0;
const SHOWN_MS = 400;

/** Sends a POST request to the kiosk; throws a `CommandError`, with the code `offline` if the kiosk cannot be reached. */
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

/**
 * Repeats `work` after an error that an interrupted connection caused: once the connection is back, or after a moment if it already is.
 * The work checks itself whether it is still wanted. Returns true if it will be repeated.
 * @param {any} app
 */
export function repeatWhenBack(app, error, work) {
  const online = document.documentElement.dataset.online === 'true';
  if (error.code !== 'offline' && online) return false;
  if (online) setTimeout(work, 2000);
  else { const off = app.events.on('connection', ({ online: back }) => { if (back) { off(); work(); } }); }
  return true;
}

/** @typedef {import('waymark').Methods} Methods The parameters and the result of each method, as schema/ defines them. */

/**
 * Sends a command; resolves to its result or throws a `CommandError`.
 * @template {keyof Methods} Method
 * @param {Method} method
 * @param {Methods[Method]['params']} [params]
 * @returns {Promise<Methods[Method]['result']>}
 */
export const command = (method, params = {}) => send('/api/command', { 'content-type': 'application/json', 'x-waymark-page': page }, JSON.stringify({ method, params }));

const post = (path, body) => send(path, { 'content-type': 'application/json' }, JSON.stringify(body));

/** Offers a result to a visitor's phone; resolves to the address at which it can be fetched, and for how many seconds. */
export const offerPickup = (result) => post('/api/pickup', result);

/** Hands a result over to a program of the integrator; resolves once the program has succeeded. */
export const sendHandover = (result) => post('/api/handover', result);

/** Uploads a picture; resolves to the verdict on its code. */
export async function upload(file) {
  if (file.size > 16 * 1024 * 1024) throw new CommandError({ code: 'tooLarge' });
  return send('/api/upload', { 'content-type': 'application/octet-stream', 'x-waymark-page': page }, file);
}

/** Returns the settings that the kiosk has written into the page's head. */
export const configuration = () => JSON.parse(document.querySelector('meta[name="waymark"]')?.getAttribute('content') || '{}');

/** The addresses of pictures on this kiosk, by kind; widths are in pixels. */
export const pictures = {
  resource: (id) => `/api/resource/${encodeURIComponent(id)}`,
  gallery: (id, width = 240) => `/api/gallery/${encodeURIComponent(id)}${width ? `?width=${width}` : ''}`,
  /** The revision in the address keeps the browser from showing a cached picture of an older revision. */
  document: (id, { width, revision, original }) => `/api/document/${encodeURIComponent(id)}?width=${width}&revision=${revision}${original ? '&original=1' : ''}`,
  preview: (width, rate, camera) => `/api/preview?width=${width}&rate=${rate}${camera ? `&camera=${encodeURIComponent(camera)}` : ''}`,
};

/** @typedef {{ online: boolean, role?: import('waymark').Hello['role'], snapshot?: import('waymark').Snapshot }} Connection The state of the connection to the service. */
/** @typedef {{ [Name in keyof import('waymark').Events]: import('waymark').Envelope<Name> & import('waymark').Events[Name] }} ServiceEvents */
/** @typedef {{ events: EventStream, cameras: import('./cameras.js').Cameras, [other: string]: any }} App The state that all views share, which main.js makes. */
/** @typedef {ServiceEvents & { connection: Connection, '*': import('waymark').Event }} PageEvents The argument of each handler, by the name of its event. */

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

// The requests of the page: methods, paths, the stream of events and that of pictures, all with the token of the operator.

/** @typedef {import('waymark').Methods} Methods */

/** An error of the gateway or of the service: the HTTP status (0 without an answer), a stable code, what happened, what to do. */
export class GatewayError extends Error {
  constructor(status, { code = 'offline', message = 'The gateway does not answer.', hint = 'Wait, or start it: systemctl start waymark-gateway.' } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

const PLACE = 'waymark.token';
/** The milliseconds that an answer may take: more than the service needs for a report. */
const PATIENCE = 70_000;

export const hasToken = () => Boolean(sessionStorage.getItem(PLACE));

/** Keeps a token until the tab is closed; removes the kept one if `token` is empty. */
export function keepToken(token = '') {
  if (token) sessionStorage.setItem(PLACE, token);
  else sessionStorage.removeItem(PLACE);
}

export const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/**
 * Sends a request; throws a `GatewayError` unless it succeeds. Without a signal it ends after `PATIENCE`.
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function request(path, options = {}) {
  const token = sessionStorage.getItem(PLACE);
  // A session of its own: other clients with this token keep their scans and codes.
  const headers = { 'content-type': 'application/json', 'waymark-session': 'setup', ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const end = /** @type {any} */ (AbortSignal).timeout;
  let response;
  try { response = await fetch(path, { signal: end.call(AbortSignal, PATIENCE), ...options, headers }); } catch { throw new GatewayError(0); }
  if (!response.ok) throw new GatewayError(response.status, (await response.json().catch(() => ({}))).error);
  return response;
}

/**
 * Calls a method of the service.
 * @template {keyof Methods} Method
 * @param {Method} method
 * @param {Methods[Method]['params']} [params]
 * @returns {Promise<Methods[Method]['result']>}
 */
export const call = async (method, params = {}) => (await request(`/v1/${method}`, { method: 'POST', body: JSON.stringify(params) })).json();

/** Reads a path of the gateway. */
export const get = async (path) => (await request(path)).json();

/** Requests the live picture of a camera. */
export const pictures = (camera, signal) => request(`/v1/preview?width=640&rate=25${camera ? `&camera=${encodeURIComponent(camera)}` : ''}`, { signal });

/**
 * Follows events without an end: a stream that breaks is continued after its last event. `onstate(true)` is called when a stream begins.
 * @param {string[]} names
 * @param {(event: any) => void} handle
 * @param {(isOpen: boolean) => void} onstate
 */
export async function follow(names, handle, onstate) {
  let last = '';
  for (;;) {
    try {
      const response = await request(`/v1/events?events=${names.join(',')}${last ? `&after=${encodeURIComponent(last)}` : ''}`, { signal: new AbortController().signal });
      onstate(true);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ''; ;) {
        const { value, done } = await reader.read();
        if (done) break;
        const lines = (rest + value).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (line.startsWith('id: ')) last = line.slice(4);
          if (line.startsWith('data: ')) handle(JSON.parse(line.slice(6)));
        }
      }
    } catch { /* It is tried again below. */ }
    onstate(false);
    await pause(1000);
  }
}

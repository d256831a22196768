// The errors of both clients: the one for Node (index.js) and the one for browsers (gateway.js). Types are in index.d.ts.

export class ConnectionLost extends Error {
  name = "ConnectionLost";
}

export class RequestFailed extends Error {
  name = "RequestFailed";

  /** @param {any} error */
  constructor(error) {
    super(String(error.message ?? ""));
    this.code = String(error.code);
    this.hint = String(error.hint ?? "");
    this.holder = error.holder;
  }
}

/**
 * @param {{ event: string }} event
 * @param {string} name
 */
export function isEvent(event, name) {
  return event.event === name;
}

/** Milliseconds between attempts to reach a service that is gone; the last one repeats. */
export const BACKOFF = [100, 200, 500, 1000, 2000, 5000];

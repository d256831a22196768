// The client for Node. Types are in index.d.ts.
import { existsSync } from "node:fs";
import { createConnection } from "node:net";
import { BACKOFF, ConnectionLost, RequestFailed } from "./errors.js";
export { ConnectionLost, RequestFailed, isEvent } from "./errors.js";

/** The most events that wait to be read; reading pauses beyond, and the service counts what it drops. */
const BACKLOG = 10_000;
const LINE_FEED = 10;

export function socketPath() {
  const named = process.env["WAYMARK_SOCKET"];
  if (named) return named;
  const system = "/run/waymark/waymark.sock";
  const runtime = process.env["XDG_RUNTIME_DIR"];
  return !existsSync(system) && runtime ? `${runtime}/waymark/waymark.sock` : system;
}

/** Lines, and after some of them bytes, from a socket. */
class Link {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** @type {Buffer[]} */
    this.chunks = [];
    this.size = 0;
    /** @type {Error | null} */
    this.ended = null;
    /** @type {(() => void) | null} */
    this.wake = null;
    this.socket = createConnection(path);
    this.socket.on("data", (chunk) => {
      this.chunks.push(chunk);
      this.size += chunk.length;
      // A slow reader gets at most one picture in advance.
      if (this.size > 32 << 20) this.socket.pause();
      this.wake?.();
    });
    this.socket.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      const hint = error.code === "EACCES" ? "Join the group that owns the socket, and log in again." : "Is the service running?";
      this.end(`${path}: ${error.message}. ${hint}`);
    });
    this.socket.on("close", () => this.end(`${path}: the service closed the connection.`));
  }

  /** @param {string} message */
  end(message) {
    this.ended ??= new ConnectionLost(message);
    this.wake?.();
  }

  async more() {
    if (this.ended) throw this.ended;
    this.socket.resume();
    await new Promise((resolve) => {
      this.wake = () => resolve(undefined);
    });
    this.wake = null;
  }

  /** @param {number} count */
  take(count) {
    const all = this.chunks.length === 1 && this.chunks[0] ? this.chunks[0] : Buffer.concat(this.chunks);
    this.chunks = all.length > count ? [all.subarray(count)] : [];
    this.size -= count;
    return all.subarray(0, count);
  }

  /** @returns {Promise<any>} */
  async line() {
    let looked = 0;
    for (;;) {
      let offset = 0;
      for (const chunk of this.chunks) {
        if (offset + chunk.length > looked) {
          const at = chunk.indexOf(LINE_FEED, Math.max(0, looked - offset));
          if (at >= 0) return JSON.parse(this.take(offset + at + 1).toString("utf8"));
        }
        offset += chunk.length;
      }
      looked = offset;
      await this.more();
    }
  }

  /** @param {number} count */
  async bytes(count) {
    while (this.size < count) await this.more();
    return new Uint8Array(this.take(count));
  }
}

export class Client {
  /** @param {{ path?: string, timeout?: number, reconnect?: boolean }} options */
  constructor(options) {
    this.path = options.path ?? socketPath();
    this.timeout = options.timeout ?? 10_000;
    this.reconnects = options.reconnect ?? true;
    this.number = 0;
    /** @type {Map<number, { resolve: (message: any) => void, reject: (error: Error) => void }>} */
    this.answers = new Map();
    /** @type {any[]} */
    this.waiting = [];
    /** @type {string[]} */
    this.patterns = [];
    /** @type {{ instance: string, seq: number } | null} */
    this.position = null;
    /** @type {(() => void) | null} */
    this.wakeReader = null;
    /** @type {(() => void) | null} */
    this.wakeEvents = null;
    this.isClosed = false;
    /** @type {any} */
    this.hello = null;
    /** @type {Link} */
    this.link = /** @type {any} */ (null);
  }

  static async connect(options = {}) {
    const client = new Client(options);
    await client.open();
    return client;
  }

  async open() {
    this.link = new Link(this.path);
    const first = await this.link.line();
    if (first.event !== "hello") {
      // The service stops, or refuses this user.
      const hint = first.reason === "notPermitted" ? " The configuration names who may connect under roles." : "";
      this.link.end(`The service closed the connection: ${first.reason}.${hint}`);
      this.link.socket.destroy();
      throw this.link.ended;
    }
    this.hello = first;
    this.waiting = [];
    void this.read(this.link);
  }

  /** @param {Link} link */
  async read(link) {
    try {
      for (;;) {
        const message = await link.line();
        if ("event" in message) {
          while (this.waiting.length >= BACKLOG) {
            await new Promise((resolve) => {
              this.wakeReader = () => resolve(undefined);
            });
          }
          this.waiting.push(message);
          this.wakeEvents?.();
        } else {
          this.answers.get(message.id)?.resolve(message);
          this.answers.delete(message.id);
        }
      }
    } catch (error) {
      const lost = error instanceof ConnectionLost ? error : new ConnectionLost(`${this.path}: ${error}`);
      for (const answer of this.answers.values()) answer.reject(lost);
      this.answers.clear();
      link.end(lost.message);
      this.wakeEvents?.();
    }
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {Uint8Array} [body]
   */
  async request(method, params, body) {
    if (this.link.ended) throw this.link.ended;
    const id = ++this.number;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const message = await new Promise((resolve, reject) => {
      this.answers.set(id, { resolve, reject });
      timer = setTimeout(() => {
        this.answers.delete(id);
        reject(new ConnectionLost(`${this.path}: no answer for ${this.timeout / 1000} seconds.`));
      }, this.timeout);
      this.link.socket.write(JSON.stringify({ id, method, params }) + "\n");
      if (body) this.link.socket.write(body);
    }).finally(() => clearTimeout(timer));
    if (message.error) throw new RequestFailed(message.error);
    return message.result;
  }

  /**
   * @param {string} method
   * @param {any} [params]
   */
  call(method, params) {
    return this.request(method, params);
  }

  /**
   * @param {string[]} [events]
   * @param {{ instance: string, seq: number }} [after]
   */
  async subscribe(events, after) {
    const snapshot = await this.request("subscribe", { events, after });
    for (const pattern of events ?? ["*"]) if (!this.patterns.includes(pattern)) this.patterns.push(pattern);
    if (this.position?.instance !== snapshot.instance) this.position = { instance: snapshot.instance, seq: snapshot.seq };
    return snapshot;
  }

  /** @param {string[]} patterns */
  async *events(...patterns) {
    if (patterns.length > 0 || this.patterns.length === 0) await this.subscribe(patterns.length > 0 ? patterns : undefined);
    for (;;) {
      const message = this.waiting.shift();
      if (message) {
        this.wakeReader?.();
        if (this.position && typeof message.seq === "number") this.position.seq = message.seq;
        yield message;
      } else if (this.isClosed) {
        return;
      } else if (this.link.ended) {
        if (!this.reconnects) throw this.link.ended;
        yield await this.reopen();
      } else {
        await new Promise((resolve) => {
          this.wakeEvents = () => resolve(undefined);
        });
        this.wakeEvents = null;
      }
    }
  }

  async reopen() {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.open();
        await this.request("subscribe", { events: this.patterns, after: this.position ?? undefined });
        if (this.position?.instance !== this.hello.instance) this.position = { instance: this.hello.instance, seq: 0 };
        return this.hello;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        this.link.socket.destroy();
        await new Promise((resolve) => setTimeout(resolve, BACKOFF[Math.min(attempt, BACKOFF.length - 1)]));
      }
    }
  }

  /**
   * @param {Uint8Array} picture
   * @param {{ mode?: string, context?: unknown, camera?: string }} [params]
   */
  scanPicture(picture, params) {
    return this.request("scan.picture", { ...params, size: picture.length }, picture);
  }

  /**
   * @param {string} method
   * @param {any} [params]
   */
  async *pictures(method, params) {
    const link = new Link(this.path);
    try {
      await link.line();
      link.socket.write(JSON.stringify({ id: 1, method, params }) + "\n");
      for (;;) {
        const header = await link.line();
        if (header.error) throw new RequestFailed(header.error);
        if (typeof header.size === "number") yield { header, data: await link.bytes(header.size) };
      }
    } finally {
      link.socket.destroy();
    }
  }

  /**
   * @param {string} method
   * @param {any} [params]
   */
  async picture(method, params) {
    for await (const picture of this.pictures(method, params)) return picture;
    throw new ConnectionLost(`${this.path}: the service closed the connection.`);
  }

  close() {
    this.isClosed = true;
    this.link.socket.destroy();
    this.wakeEvents?.();
  }
}

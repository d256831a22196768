// The client for browsers, over waymark-gateway: fetch and streams alone, so that it runs in Node, too. Types are in gateway.d.ts.
import { BACKOFF, ConnectionLost, RequestFailed } from "./errors.js";
export { ConnectionLost, RequestFailed, isEvent } from "./errors.js";

/** The most bytes of a live picture, or of an event. */
const LIMIT = 32 << 20;

/**
 * Pieces of a body that end with some bytes; what is left at its end is dropped, because it is half of something.
 *
 * @param {ReadableStream<Uint8Array>} body
 */
class Pieces {
  /** @param {ReadableStream<Uint8Array>} body */
  constructor(body) {
    this.reader = body.getReader();
    this.waiting = new Uint8Array(0);
  }

  /** @returns {Promise<boolean>} false at the end */
  async more() {
    const { done, value } = await this.reader.read();
    if (done || !value) return false;
    if (this.waiting.length + value.length > LIMIT) throw new ConnectionLost("The gateway sent more than a picture without an end.");
    const joined = new Uint8Array(this.waiting.length + value.length);
    joined.set(this.waiting);
    joined.set(value, this.waiting.length);
    this.waiting = joined;
    return true;
  }

  /** @param {number} count */
  take(count) {
    const bytes = this.waiting.subarray(0, count);
    this.waiting = this.waiting.subarray(count);
    return bytes;
  }

  /**
   * The bytes before `end`, which is taken, too; null at the end of the body.
   *
   * @param {string} end
   */
  async until(end) {
    const bytes = new TextEncoder().encode(end);
    let from = 0;
    for (;;) {
      for (; from + bytes.length <= this.waiting.length; from++) {
        if (bytes.every((byte, index) => this.waiting[from + index] === byte)) {
          const piece = this.take(from);
          this.take(bytes.length);
          return new TextDecoder().decode(piece);
        }
      }
      if (!(await this.more())) return null;
    }
  }

  /** @param {number} count */
  async exactly(count) {
    while (this.waiting.length < count) if (!(await this.more())) return null;
    return Uint8Array.from(this.take(count));
  }

  end() {
    this.reader.cancel().catch(() => undefined);
  }
}

export class GatewayClient {
  /** @param {{ url?: string, token?: string, session?: string, timeout?: number, reconnect?: boolean }} options */
  constructor(options = {}) {
    this.url = (options.url ?? globalThis.location?.origin ?? "").replace(/\/$/, "");
    this.token = options.token;
    // Sixteen random bytes: a client of its own, whose scans no other page ends.
    this.session =
      options.session ?? Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.timeout = options.timeout ?? 10_000;
    this.reconnects = options.reconnect ?? true;
    this.isClosed = false;
    /** @type {string[]} */
    this.patterns = [];
    /** @type {string | null} */
    this.last = null;
    /** @type {Pieces | null} */
    this.stream = null;
    /** @type {Set<AbortController>} */
    this.open = new Set();
  }

  static async connect(options = {}) {
    const client = new GatewayClient(options);
    await client.state();
    return client;
  }

  /**
   * An answer whose status is 200; its body is read by the caller, who ends `controller`.
   *
   * @param {string} path
   * @param {Omit<RequestInit, "headers"> & { headers?: Record<string, string> }} init
   * @param {AbortController} controller
   */
  async answer(path, init, controller) {
    if (this.isClosed) throw new ConnectionLost("The client is closed.");
    /** @type {Record<string, string>} */
    const headers = { "Waymark-Session": this.session, ...init.headers };
    if (this.token) headers["Authorization"] = `Bearer ${this.token}`;
    const timer = setTimeout(() => controller.abort(), this.timeout);
    this.open.add(controller);
    /** @type {Response} */
    let response;
    try {
      response = await fetch(this.url + path, { ...init, headers, signal: controller.signal, cache: "no-store" });
    } catch (error) {
      this.open.delete(controller);
      throw new ConnectionLost(`${this.url}: ${error instanceof Error ? error.message : error}. Is the gateway running?`);
    } finally {
      clearTimeout(timer);
    }
    if (response.ok) return response;
    this.open.delete(controller);
    const text = await response.text().catch(() => "");
    /** @type {any} */
    let told = null;
    try {
      told = JSON.parse(text).error;
    } catch {
      // Something between here and the gateway answered.
    }
    throw new RequestFailed(told ?? { code: "internalError", message: `The gateway answered ${response.status}.`, hint: "Look at its log." });
  }

  /**
   * @template Value
   * @param {string} path
   * @param {Omit<RequestInit, "headers"> & { headers?: Record<string, string> }} init
   * @param {(response: Response) => Promise<Value>} read
   */
  async whole(path, init, read) {
    const controller = new AbortController();
    const response = await this.answer(path, init, controller);
    try {
      return await read(response);
    } catch (error) {
      throw new ConnectionLost(`${this.url}: ${error instanceof Error ? error.message : error}`);
    } finally {
      this.open.delete(controller);
    }
  }

  /**
   * @param {string} method
   * @param {any} [params]
   */
  call(method, params) {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(params ?? {}) };
    return this.whole(`/v1/${encodeURIComponent(method)}`, init, (response) => response.json());
  }

  state() {
    return this.whole("/v1/state", {}, (response) => response.json());
  }

  /** @param {string[]} [events] */
  async subscribe(events) {
    const patterns = [...new Set([...this.patterns, ...(events ?? ["*"])])];
    const stream = await this.begin(patterns);
    this.stream?.end();
    this.stream = stream;
    this.patterns = patterns;
    return this.state();
  }

  /** The stream of events, from behind the last one that was read. */
  async begin(patterns = this.patterns) {
    /** @type {Record<string, string>} */
    const headers = this.last ? { "Last-Event-ID": this.last } : {};
    const path = `/v1/events?events=${patterns.map(encodeURIComponent).join(",")}`;
    const response = await this.answer(path, { headers }, new AbortController());
    if (!response.body) throw new ConnectionLost(`${this.url}: the gateway sent no stream.`);
    return new Pieces(response.body);
  }

  /** @param {string[]} patterns */
  async *events(...patterns) {
    if (patterns.length > 0 || this.patterns.length === 0) await this.subscribe(patterns.length > 0 ? patterns : undefined);
    let attempt = 0;
    while (!this.isClosed) {
      try {
        this.stream ??= await this.begin();
        for (;;) {
          const message = await this.stream.until("\n\n");
          if (message === null) throw new ConnectionLost(`${this.url}: the gateway ended the stream.`);
          attempt = 0;
          const data = [];
          for (const line of message.split("\n")) {
            if (line.startsWith("id: ")) this.last = line.slice(4);
            if (line.startsWith("data: ")) data.push(line.slice(6));
          }
          if (data.length > 0) yield JSON.parse(data.join("\n"));
        }
      } catch (error) {
        this.stream?.end();
        this.stream = null;
        if (this.isClosed) return;
        // A full gateway and one that starts have room later; what it refuses for good it refuses again.
        const passes = !(error instanceof RequestFailed) || ["busy", "offline", "stopping", "full"].includes(error.code);
        if (!this.reconnects || !passes) throw error instanceof RequestFailed ? error : new ConnectionLost(String(error));
        await new Promise((resolve) => setTimeout(resolve, BACKOFF[Math.min(attempt, BACKOFF.length - 1)]));
        attempt++;
      }
    }
  }

  /**
   * @param {Uint8Array | Blob} picture
   * @param {{ mode?: string, context?: unknown, camera?: string }} [params]
   */
  scanPicture(picture, params) {
    const query = new URLSearchParams();
    if (params?.mode) query.set("mode", params.mode);
    if (params?.camera) query.set("camera", params.camera);
    if (params?.context !== undefined) query.set("context", JSON.stringify(params.context));
    const init = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: /** @type {any} */ (picture) };
    return this.whole(`/v1/scan.picture?${query}`, init, (response) => response.json());
  }

  /**
   * @param {string} method
   * @param {any} [params]
   */
  picture(method, params) {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(params ?? {}) };
    return this.whole(`/v1/${encodeURIComponent(method)}`, init, async (response) => ({
      type: response.headers.get("Content-Type") ?? "application/octet-stream",
      data: new Uint8Array(await response.arrayBuffer()),
    }));
  }

  /** @param {{ width?: number, rate?: number }} [params] */
  previewURL(params) {
    const query = new URLSearchParams(Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]));
    return `${this.url}/v1/preview?${query}`;
  }

  /** @param {{ width?: number, rate?: number }} [params] */
  async *preview(params) {
    const controller = new AbortController();
    const response = await this.answer(this.previewURL(params).slice(this.url.length), {}, controller);
    if (!response.body) throw new ConnectionLost(`${this.url}: the gateway sent no stream.`);
    const pieces = new Pieces(response.body);
    try {
      for (;;) {
        const head = await pieces.until("\r\n\r\n");
        if (head === null) throw new ConnectionLost(`${this.url}: the gateway ended the stream.`);
        const length = Number(/^content-length:\s*(\d+)/im.exec(head)?.[1]);
        const type = /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? "application/octet-stream";
        if (!(length > 0 && length <= LIMIT)) throw new ConnectionLost(`${this.url}: a part of the stream has no length.`);
        const data = await pieces.exactly(length);
        if (data === null) throw new ConnectionLost(`${this.url}: the gateway ended the stream.`);
        yield { type, data };
      }
    } finally {
      this.open.delete(controller);
      pieces.end();
      controller.abort();
    }
  }

  close() {
    this.isClosed = true;
    for (const controller of this.open) controller.abort();
    this.open.clear();
    this.stream?.end();
    this.stream = null;
  }
}

import type { Event, EventPosition, Events, Hello, MediaHeader, Methods, PictureMethods, GalleryScanResult, Snapshot } from "./messages.js";
export * from "./messages.js";

/** The connection ended, or the service cannot be reached. */
export class ConnectionLost extends Error {}

/** The service refused a request, or failed. */
export class RequestFailed extends Error {
  /** A stable word: one of `ErrorCode`, or of a newer service. */
  code: string;
  /** What to do. */
  hint: string;
  /** With the code `busy`: the client that holds what was asked for. */
  holder?: { client: number; user: number };
}

/** A picture as the service sent it. */
export interface Picture {
  header: MediaHeader;
  /** The bytes of the file: JPEG, PNG, WebP, BMP, GIF or PNM. */
  data: Uint8Array;
}

/** An event that this version of the client does not know. */
export interface UnknownEvent {
  event: string;
  seq?: number;
  time?: string;
}

export interface Options {
  /** Where the service listens: $WAYMARK_SOCKET, the system's service, or the user's own, when it is missing. */
  path?: string;
  /** Milliseconds to wait for an answer; 10,000 when it is missing. */
  timeout?: number;
  /** False ends `events` with `ConnectionLost` where the connection ends; it is made anew otherwise. */
  reconnect?: boolean;
}

/** A connection to the service. */
export class Client {
  /** Connects. Throws `ConnectionLost` when the service cannot be reached. */
  static connect(options?: Options): Promise<Client>;
  /** The first line of the service. */
  readonly hello: Hello;
  /** Sends a request. Throws `RequestFailed` when the service refuses it. */
  call<Method extends keyof Methods>(
    method: Method,
    ...params: {} extends Methods[Method]["params"] ? [params?: Methods[Method]["params"]] : [params: Methods[Method]["params"]]
  ): Promise<Methods[Method]["result"]>;
  /** Asks for events, and returns the state that they start from; everything but `statistics` without patterns. */
  subscribe(events?: string[], after?: EventPosition): Promise<Snapshot>;
  /** Events as they come, for ever; what a client held is gone after an event `hello`. One loop reads them. */
  events(...patterns: string[]): AsyncGenerator<Event, void, undefined>;
  /** Judges the codes in a picture file of at most 16 MiB. */
  scanPicture(picture: Uint8Array, params?: { mode?: "onboarding" | "barcode"; context?: unknown; camera?: string }): Promise<GalleryScanResult>;
  /** Pictures over a connection of their own: for ever for `media.preview`, one for the other methods. */
  pictures<Method extends keyof PictureMethods>(method: Method, params?: PictureMethods[Method]): AsyncGenerator<Picture, void, undefined>;
  /** The first of these pictures. */
  picture<Method extends keyof PictureMethods>(method: Method, params?: PictureMethods[Method]): Promise<Picture>;
  /** Ends the connection, and with it the scans and sessions that this client holds. */
  close(): void;
}

/** Where the commands look for the service. */
export function socketPath(): string;

/** True for an event of that name; narrows the type of its body. */
export function isEvent<Name extends keyof Events>(event: { event: string }, name: Name): event is Extract<Event, { event: Name }>;

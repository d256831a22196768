import type { Event, Methods, GalleryScanResult, PictureMethods, Snapshot } from "./messages.js";
export * from "./messages.js";
export { ConnectionLost, RequestFailed, isEvent } from "./index.js";
export type { UnknownEvent } from "./index.js";

/** A picture as the gateway sent it. */
export interface GatewayPicture {
  /** Its type, such as `image/jpeg`. */
  type: string;
  /** The bytes of the file. */
  data: Uint8Array;
}

export interface GatewayOptions {
  /** Where the gateway is, such as `https://device:8632`; the page's own address when it is missing. */
  url?: string;
  /** The token of a port. */
  token?: string;
  /** The name of this client, 1 to 64 visible characters of ASCII: who sends the same is the same client. A random one when it is missing. */
  session?: string;
  /** Milliseconds until an answer must begin; 10,000 when it is missing. */
  timeout?: number;
  /** False: `events` throws `ConnectionLost` when the stream ends; true: it continues after the last event. */
  reconnect?: boolean;
}

/** Some events may be gone: read the state again. */
export interface GatewayMissed {
  event: "gateway.missed";
  /** How many, where that is known. */
  count?: number;
}

/** The methods that belong to a connection: a gateway has them over its WebSocket alone. */
type OfConnections = "subscribe" | "unsubscribe" | "role.lower" | "authentication.provide" | "authentication.answer" | "scan.picture";

/** A client of the service over waymark-gateway, for pages and for Node 18 and newer. */
export class GatewayClient {
  /** Asks for the state once, so that a wrong address or token shows. Throws `ConnectionLost` or `RequestFailed`. */
  static connect(options?: GatewayOptions): Promise<GatewayClient>;
  /** Sends a request. Throws `RequestFailed` when the service or the gateway refuses it. */
  call<Method extends Exclude<keyof Methods, OfConnections>>(
    method: Method,
    ...params: {} extends Methods[Method]["params"] ? [params?: Methods[Method]["params"]] : [params: Methods[Method]["params"]]
  ): Promise<Methods[Method]["result"]>;
  /** The current state. */
  state(): Promise<Snapshot>;
  /** Asks for events, and returns the state once they come; everything but `statistics` without patterns. */
  subscribe(events?: string[]): Promise<Snapshot>;
  /** Events as they come, for ever, over reconnects none lost and none twice; an event `gateway.missed` where some may be gone. One loop reads them. */
  events(...patterns: string[]): AsyncGenerator<Event | GatewayMissed, void, undefined>;
  /** Judges the codes in a picture file of at most 16 MiB. */
  scanPicture(picture: Uint8Array | Blob, params?: { mode?: "onboarding" | "barcode"; context?: unknown; camera?: string }): Promise<GalleryScanResult>;
  /** A picture. */
  picture<Method extends Exclude<keyof PictureMethods, "media.preview">>(method: Method, params?: PictureMethods[Method]): Promise<GatewayPicture>;
  /** The live picture, for ever. */
  preview(params?: { width?: number; rate?: number }): AsyncGenerator<GatewayPicture, void, undefined>;
  /** The address of the live picture, for an `<img>` where no token is needed. */
  previewURL(params?: { width?: number; rate?: number }): string;
  /** Ends streams and requests. The session at the gateway ends five minutes later, and with it what it holds. */
  close(): void;
}

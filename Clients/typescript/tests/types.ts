// Compiled, never run: the types say what the protocol says. A line behind @ts-expect-error must be an error.
import { Client, RequestFailed, isEvent } from "../index.js";
import type { Event, ScanSuccessful } from "../index.js";

export async function main(): Promise<string> {
  const client = await Client.connect({ path: "/run/waymark/waymark.sock" });
  const ping = await client.call("ping");
  const monotonic: number = ping.monotonic;
  const { scan } = await client.call("scan.begin", { mode: "barcode", symbologies: ["ean13"], once: true });
  // @ts-expect-error: mode is missing
  await client.call("scan.begin", { once: true });
  // @ts-expect-error: mode is required, so are parameters
  await client.call("scan.begin");
  // @ts-expect-error: no such method
  await client.call("scan.start");
  // @ts-expect-error: no such word
  await client.call("scan.begin", { mode: "qr" });
  // @ts-expect-error: no such parameter
  await client.call("scan.begin", { mode: "barcode", regoin: [0, 0, 1, 1] });
  for await (const event of client.events("scan.*")) {
    if (isEvent(event, "scan.successful")) {
      const found: ScanSuccessful = event;
      return `${found.symbology} ${event.connectTo ?? ""} ${event.frame?.sequence ?? 0}`;
    }
    if (event.event === "scan.invalid") {
      // @ts-expect-error: no such reason
      if (event.reason === "tooOld") return "";
      // @ts-expect-error: it belongs to another event
      if (event.symbology) return "";
      if (event.reason === "expired") return event.kind ?? "";
    }
    if (event.event === "scan.ended") {
      const reason: string = event.reason;
      return reason;
    }
  }
  const all: Event[] = [];
  const { data } = await client.picture("media.snapshot", { width: 320 });
  return `${all.length} ${data.length} ${monotonic} ${scan} ${new RequestFailed("x").code}`;
}

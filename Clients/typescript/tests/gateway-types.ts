// Compiled, never run: the types of the client over the gateway. A line behind @ts-expect-error must be an error.
import { GatewayClient, isEvent } from "../gateway.js";
import type { ScanSuccessful } from "../gateway.js";

export async function main(): Promise<string> {
  const client = await GatewayClient.connect({ url: "https://device:8632", token: "secret" });
  const state = await client.subscribe(["scan.*"]);
  const seq: number = state.seq;
  const { scan } = await client.call("scan.begin", { mode: "barcode" });
  // @ts-expect-error: it belongs to a connection
  await client.call("subscribe", { events: ["*"] });
  // @ts-expect-error: mode is missing
  await client.call("scan.begin", { once: true });
  // @ts-expect-error: a stream has a method of its own
  await client.picture("media.preview");
  const { type, data } = await client.picture("media.snapshot", { width: 640 });
  for await (const event of client.events()) {
    if (event.event === "gateway.missed") return `${event.count ?? "some"} missed`;
    if (isEvent(event, "scan.successful")) {
      const found: ScanSuccessful = event;
      return `${found.text} ${scan} ${seq} ${type} ${data.length}`;
    }
  }
  return client.previewURL({ width: 320 });
}

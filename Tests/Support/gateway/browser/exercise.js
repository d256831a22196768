// Exercises the client over the gateway, in Node and in a page alike. Throws where it fails.
import { ConnectionLost, GatewayClient, RequestFailed, isEvent } from "/gateway.js";

/** @param {boolean} condition @param {string} what */
function check(condition, what) {
  if (!condition) throw new Error(`FAILED: ${what}`);
}

/** @param {Promise<unknown>} promise */
async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return null;
}

/**
 * @param {string} url
 * @param {string} token
 * @param {Uint8Array} picture a file with an onboarding code
 */
export async function exercise(url, token, picture) {
  const client = await GatewayClient.connect({ url, token });
  const state = await client.subscribe(["scan.*"]);
  check(typeof state.seq === "number" && state.scanner.status !== undefined, "the state is told");
  const { scan } = await client.call("scan.begin", { mode: "onboarding", context: { step: 2 } });
  for await (const event of client.events()) {
    if (!isEvent(event, "scan.successful") || event.scan !== scan) continue;
    check(event.connectTo === "mobile.example.com" && event.context.step === 2, "the code is read");
    break;
  }
  // No client ends the session of another.
  const other = await GatewayClient.connect({ url, token });
  const busy = await refusal(other.call("scan.begin", { mode: "barcode" }));
  check(busy instanceof RequestFailed && busy.code === "busy", `another client is told apart: ${busy}`);
  await client.call("scan.confirm", { scan });

  const wrong = await refusal(client.call("scan.begin", /** @type {any} */ ({ mode: "barcode", regoin: [] })));
  check(wrong instanceof RequestFailed && wrong.code === "badParams" && /region/.test(wrong.hint), "a refusal says what was meant");
  const stranger = await refusal(GatewayClient.connect({ url, token: "x".repeat(32) }));
  check(stranger instanceof RequestFailed && stranger.code === "noToken", "a wrong token is refused");

  const shot = await client.picture("media.snapshot", { width: 160 });
  check(shot.type === "image/jpeg" && shot.data[0] === 0xff && shot.data[1] === 0xd8, "a snapshot is a picture");
  let pictures = 0;
  for await (const live of client.preview({ width: 160 })) {
    check(live.type === "image/jpeg" && live.data[0] === 0xff && live.data.at(-1) === 0xd9, "a live picture is whole");
    if (++pictures === 3) break;
  }
  const judged = await client.scanPicture(picture, { mode: "onboarding", context: "card" });
  check(judged.outcome === "successful", `a picture is judged: ${JSON.stringify(judged)}`);
  await client.call("scan.cancel", { scan: judged.scan });

  client.close();
  other.close();
  check((await refusal(client.call("ping"))) instanceof ConnectionLost, "a closed client sends nothing");
}

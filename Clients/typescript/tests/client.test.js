// The client against a real service on sample frames: WAYMARK names the program.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, ConnectionLost, RequestFailed, isEvent } from "../index.js";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const program = process.env["WAYMARK"] ?? join(root, ".build/release/waymark");
const folder = mkdtempSync(join(tmpdir(), "waymark-"));
const path = join(folder, "waymark.sock");
/** @type {import("node:child_process").ChildProcess} */
let service;

async function start() {
  const source = join(root, "Samples/frames");
  service = spawn(program, ["serve", "--source", source, "--source-onboarding", "--socket", path, "--log-level", "error"], { stdio: "inherit" });
  for (;;) {
    try {
      (await Client.connect({ path })).close();
      return;
    } catch (error) {
      if (service.exitCode !== null) throw error;
      await new Promise((done) => setTimeout(done, 20));
    }
  }
}

/** @param {NodeJS.Signals} signal */
async function stop(signal = "SIGTERM") {
  const ended = new Promise((done) => service.once("exit", done));
  service.kill(signal);
  await ended;
}

before(start);
after(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

test("a code is scanned and confirmed", async () => {
  const client = await Client.connect({ path });
  assert.equal(client.hello.role, "operator");
  await client.subscribe(["scan.*"]);
  const { scan } = await client.call("scan.begin", { mode: "onboarding", context: { step: 2 } });
  for await (const event of client.events()) {
    if (!isEvent(event, "scan.successful")) continue;
    assert.equal(event.scan, scan);
    assert.equal(event.connectTo, "mobile.example.com");
    assert.deepEqual(event.context, { step: 2 });
    await client.call("scan.confirm", { scan });
    break;
  }
  client.close();
});

test("answers come to those who asked", async () => {
  const client = await Client.connect({ path });
  const pings = await Promise.all(Array.from({ length: 50 }, () => client.call("ping")));
  assert.equal(new Set(pings.map((ping) => ping.monotonic)).size, 50);
  client.close();
});

test("a refusal says what was meant", async () => {
  const client = await Client.connect({ path });
  const wrong = /** @type {any} */ ({ mode: "barcode", regoin: [0, 0, 1, 1] });
  await assert.rejects(client.call("scan.begin", wrong), (error) => {
    assert.ok(error instanceof RequestFailed);
    assert.equal(error.code, "badParams");
    assert.match(error.hint, /region/);
    return true;
  });
  client.close();
});

test("pictures", async () => {
  const client = await Client.connect({ path });
  const snapshot = await client.picture("media.snapshot", { width: 160 });
  assert.equal(snapshot.data.length, snapshot.header.size);
  assert.deepEqual([...snapshot.data.subarray(0, 2)], [0xff, 0xd8]);
  let count = 0;
  for await (const picture of client.pictures("media.preview", { width: 160 })) {
    assert.equal(picture.header.format, "jpeg");
    if (++count === 3) break;
  }
  const outcome = await client.scanPicture(readFileSync(join(root, "Samples/pictures/wifi.png")), { mode: "barcode" });
  assert.equal(outcome.outcome, "successful");
  client.close();
});

test("a service may refuse to greet", async () => {
  const refusing = createServer((peer) => peer.end('{"event":"connection.closed","reason":"notPermitted"}\n'));
  const other = `${path}.refusing`;
  await new Promise((resolve) => refusing.listen(other, () => resolve(undefined)));
  await assert.rejects(Client.connect({ path: other }), (error) => error instanceof ConnectionLost && /notPermitted.*roles/.test(error.message));
  refusing.close();
});

test("a service that was killed is found again", async () => {
  const client = await Client.connect({ path });
  await client.subscribe(["form.*"]);
  const events = client.events();
  await stop("SIGKILL");
  await start();
  assert.equal((await events.next()).value?.event, "hello");
  await client.call("form.submit", { form: "goods", fields: [{ name: "material", value: "4711" }] });
  assert.equal((await events.next()).value?.event, "form.submitted");
  client.close();
  assert.equal((await events.next()).done, true);
});

test("without reconnecting the end is an error", async () => {
  const client = await Client.connect({ path, reconnect: false });
  await client.subscribe(["form.*"]);
  const read = (async () => {
    for await (const event of client.events()) assert.ok(["server.stopping", "connection.closed"].includes(event.event));
  })();
  const rejected = assert.rejects(read, ConnectionLost);
  await stop();
  await rejected;
  await assert.rejects(Client.connect({ path }), ConnectionLost);
  await start();
});

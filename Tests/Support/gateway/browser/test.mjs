// The client of Clients/typescript for browsers, against a real service and gateway: in Node, over restarts, and in Chromium.
//
//   node test.mjs WAYMARK WAYMARK-GATEWAY [CHROMIUM]
//
// Prints a line for each part and ends with "N passed, N failed".
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [waymark, gateway, chromium] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../../../..");
const client = join(root, "Clients/typescript");
const folder = mkdtempSync(join(tmpdir(), "waymark-browser-"));
const token = "a-token-of-the-test-0123456789";
const picture = readFileSync(join(root, "Samples/pictures/onboarding.png"));
/** @type {import("node:child_process").ChildProcess[]} */
const children = [];

const limit = setTimeout(() => {
  console.log("FAILED  nothing came for three minutes");
  end(1);
}, 180_000);

/** @param {string} program @param {string[]} words */
function start(program, words) {
  const child = spawn(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  children.push(child);
  return child;
}

/** @param {import("node:child_process").ChildProcess} child */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await ended;
}

/** @param {number} status */
async function end(status) {
  clearTimeout(limit);
  for (const child of children) await stop(child);
  rmSync(folder, { recursive: true, force: true });
  process.exit(status);
}

/** @param {() => Promise<boolean>} condition @param {string} what */
async function until(condition, what) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await condition().catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`FAILED: ${what}`);
}

// The page, the client's files, and where the page says how it went.
/** @type {(text: string) => void} */
let told = () => undefined;
const files = {
  "/": ["text/html", '<!doctype html><script type="module" src="/page.js"></script>'],
  "/exercise.js": ["text/javascript", readFileSync(join(here, "exercise.js"))],
  "/gateway.js": ["text/javascript", readFileSync(join(client, "gateway.js"))],
  "/errors.js": ["text/javascript", readFileSync(join(client, "errors.js"))],
  "/picture": ["image/png", picture],
};
const pages = createServer((request, response) => {
  if (request.method === "POST") {
    let text = "";
    request.on("data", (piece) => (text += piece));
    request.on("end", () => {
      response.end();
      told(text);
    });
    return;
  }
  const file = files[request.url ?? ""];
  response.writeHead(file ? 200 : 404, { "Content-Type": file?.[0] ?? "text/plain" });
  response.end(file?.[1]);
});
await new Promise((done) => pages.listen(0, "127.0.0.1", () => done(undefined)));
const pagePort = /** @type {import("node:net").AddressInfo} */ (pages.address()).port;

// A port that is free now: the gateway is started on it again and again.
const probe = createServer();
await new Promise((done) => probe.listen(0, "127.0.0.1", () => done(undefined)));
const port = /** @type {import("node:net").AddressInfo} */ (probe.address()).port;
await new Promise((done) => probe.close(done));
const url = `http://127.0.0.1:${port}`;
files["/page.js"] = ["text/javascript", `
  import { exercise } from "/exercise.js";
  const picture = new Uint8Array(await (await fetch("/picture")).arrayBuffer());
  const said = await exercise(${JSON.stringify(url)}, ${JSON.stringify(token)}, picture).then(() => "done", (error) => String(error));
  await fetch("/said", { method: "POST", body: said });`];

const socket = join(folder, "waymark.sock");
writeFileSync(join(folder, "token"), token + "\n", { mode: 0o600 });
writeFileSync(join(folder, "gateway.yaml"), [
  `listen: ["127.0.0.1:${port}"]`, `socket: ${socket}`, `origins: ["http://127.0.0.1:${pagePort}"]`,
  `store: {folder: ${folder}/store}`, `tokens: {page: {file: ${folder}/token, role: operator}}`, ""].join("\n"));
writeFileSync(join(folder, "waymark.yaml"), "clients: {history: 1000}\n");
start(waymark, ["serve", "--config", join(folder, "waymark.yaml"), "--socket", socket, "--source", join(root, "Samples/frames"),
  "--source-onboarding", "--log-level", "error"]);
const startGateway = () => start(gateway, ["--config", join(folder, "gateway.yaml")]);
let running = startGateway();

// Node has the same fetch; the client's own files are read from where they are.
const { GatewayClient } = await import(join(client, "gateway.js"));
const text = readFileSync(join(here, "exercise.js"), "utf8").replace('"/gateway.js"', JSON.stringify(join(client, "gateway.js")));
writeFileSync(join(folder, "exercise.mjs"), text);
const { exercise } = await import(join(folder, "exercise.mjs"));
const isThere = async () => Boolean(await GatewayClient.connect({ url, token }));

let passed = 0;
let failed = 0;
/** @param {string} name @param {() => Promise<void>} body */
async function part(name, body) {
  try {
    await body();
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error}`);
  }
}

await part("the gateway answers", () => until(isThere, "no gateway"));
await part("the client in Node", () => exercise(url, token, picture));
await part("events go on where the gateway was killed", async () => {
  const reader = await GatewayClient.connect({ url, token });
  await reader.subscribe(["scan.ended"]);
  /** @type {number[]} */
  const seen = [];
  const reading = (async () => {
    for await (const event of reader.events()) {
      if (event.event === "scan.ended") seen.push(event.seq ?? 0);
      if (seen.length === 6) return;
    }
  })();
  /** @type {string[]} */
  const ended = [];
  for (let round = 0; round < 3; round++) {
    const writer = await GatewayClient.connect({ url, token });
    for (let scan = 0; scan < 2; scan++) {
      const begun = await writer.call("scan.begin", { mode: "barcode", symbologies: ["code93"] });
      await writer.call("scan.cancel", { scan: begun.scan });
      ended.push(begun.scan);
    }
    writer.close();
    // A gateway that is killed takes along what it had not yet sent.
    await until(async () => seen.length === 2 * (round + 1), "events did not come");
    if (round === 2) break;
    await stop(running);
    running = startGateway();
    await until(isThere, "the gateway did not come back");
  }
  await reading;
  reader.close();
  if (new Set(seen).size !== 6 || seen.some((seq, index) => index > 0 && seq <= (seen[index - 1] ?? 0))) throw new Error(`events ${seen}`);
});
if (chromium) {
  await part("the client in Chromium", async () => {
    const said = new Promise((done) => (told = done));
    const browser = start(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      `--user-data-dir=${join(folder, "chromium")}`, "--remote-debugging-port=0", `http://127.0.0.1:${pagePort}/`]);
    const answer = await said;
    await stop(browser);
    if (answer !== "done") throw new Error(String(answer));
  });
}
console.log(`${passed} passed, ${failed} failed`);
await end(failed === 0 ? 0 : 1);

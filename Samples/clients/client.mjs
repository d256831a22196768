#!/usr/bin/env node
// Arms a scan and prints what comes of it; Node without packages.
//   client.mjs [SOCKET] [onboarding|barcode]
import { existsSync } from "node:fs";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";

const own = `${process.env.XDG_RUNTIME_DIR}/waymark/waymark.sock`;
const path = process.argv[2] ?? process.env.WAYMARK_SOCKET ?? (existsSync(own) ? own : "/run/waymark/waymark.sock");
const mode = process.argv[3] ?? "onboarding";
const socket = createConnection(path);
const waiting = new Map();
let last = 0;
let scan;

function ask(method, params = {}) {
  const id = ++last;
  socket.write(JSON.stringify({ id, method, params }) + "\n");
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

async function handle(event) {
  if (event.event === "hello") {
    console.log(`connected to waymark ${event.version} as ${event.role}`);
    await ask("subscribe", { events: ["scan.*"] });
    scan = (await ask("scan.begin", { mode, once: true })).scan;
  } else if (event.event === "scan.successful") {
    console.log("successful", event.kind ?? event.symbology, event.connectTo ?? event.text);
    if (mode === "onboarding") {
      await ask("scan.confirm", { scan: event.scan });
      console.log("confirmed");
    }
    socket.end();
  } else if (event.event === "scan.invalid") {
    console.log("invalid", event.reason);
  } else if (["scan.unsuccessful", "scan.cancelled"].includes(event.event) && event.scan === scan) {
    console.log(event.event, event.reason);
    socket.end();
  }
}

function fail(error) {
  console.error(`${error.code ?? "error"}: ${error.message}`);
  process.exit(1);
}

socket.on("error", fail);
createInterface({ input: socket }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.event) {
    handle(message).catch(fail);
  } else {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    message.error ? reject(message.error) : resolve(message.result);
  }
});

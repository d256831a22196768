// Checks flow.json: that it has the form in which Node-RED 3 keeps flows (https://nodered.org/docs/developing-flows/ and the `defaults` of its core
// nodes), and that its functions do with the bridge's messages what they should. Node-RED itself is in no Debian.
//
//   node test.mjs
//
// Ends with a line "N passed, N failed".
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const flow = JSON.parse(readFileSync(new URL("flow.json", import.meta.url), "utf8"));

/** The properties that the core nodes of Node-RED 3 save, in addition to id, type, z, x, y and wires. */
const defaults = {
  tab: ["label", "disabled", "info", "env"],
  "mqtt-broker": [
    "name", "broker", "port", "clientid", "autoConnect", "usetls", "protocolVersion", "keepalive", "cleansession", "autoUnsubscribe", "birthTopic",
    "birthQos", "birthPayload", "birthMsg", "closeTopic", "closeQos", "closePayload", "closeMsg", "willTopic", "willQos", "willPayload", "willMsg",
    "userProps", "sessionExpiry"],
  "mqtt in": ["name", "topic", "qos", "datatype", "broker", "nl", "rap", "rh", "inputs"],
  "mqtt out": ["name", "topic", "qos", "retain", "respTopic", "contentType", "userProps", "correl", "expiry", "broker"],
  function: ["name", "func", "outputs", "timeout", "noerr", "initialize", "finalize", "libs"],
  inject: ["name", "props", "repeat", "crontab", "once", "onceDelay", "topic", "payload", "payloadType"],
  debug: ["name", "active", "tosidebar", "console", "tostatus", "complete", "targetType", "statusVal", "statusType"],
};
const outputs = { "mqtt in": 1, "mqtt out": 0, inject: 1, debug: 0 };

let passed = 0;
let failed = 0;
function check(name, body) {
  try {
    body();
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}

/** Runs a function node as Node-RED does, and returns its result and its status. */
function runner(id, environment = {}) {
  const kept = new Map();
  const context = { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, value) };
  const { func } = flow.find((node) => node.id === id);
  const run = new Function("msg", "context", "node", "env", func);
  return (msg) => {
    let status;
    const result = run(structuredClone(msg), context, { status: (now) => void (status = now) }, { get: (name) => environment[name] });
    return { result, status };
  };
}

check("it is a list of nodes with ids of their own", () => {
  assert.ok(Array.isArray(flow) && flow.length > 5);
  assert.equal(new Set(flow.map((node) => node.id)).size, flow.length);
});
check("each node has what its type saves, and nothing else", () => {
  for (const node of flow) {
    const keys = defaults[node.type];
    assert.ok(keys, `there is no type ${node.type}`);
    const isConfiguration = node.type === "tab" || node.type === "mqtt-broker";
    const all = ["id", "type", ...(isConfiguration ? [] : ["z", "x", "y", "wires"]), ...keys];
    assert.deepEqual(Object.keys(node).sort(), all.sort(), node.id);
  }
});
check("wires, tabs and brokers lead somewhere", () => {
  const types = new Map(flow.map((node) => [node.id, node.type]));
  for (const node of flow.filter((node) => node.wires)) {
    assert.equal(types.get(node.z), "tab", node.id);
    assert.equal(node.wires.length, outputs[node.type] ?? node.outputs, node.id);
    for (const target of node.wires.flat()) assert.ok(types.has(target) && !["inject", "mqtt in", "tab"].includes(types.get(target)), target);
    if (node.type.startsWith("mqtt ")) assert.equal(types.get(node.broker), "mqtt-broker", node.id);
  }
});

// Messages as waymark-bridge sends them.
const scan = (number, more = {}) => ({
  topic: "waymark/line-3/event/scan/successful",
  payload: { id: `00000000000000ff-${number}`, event: "scan.successful", scan: "s1", kind: null, symbology: "ean13", device: "line-3", instance: "1abc", ...more },
});
check("an event that comes again is dropped", () => {
  const once = runner("waymark-once");
  assert.ok(once(scan(9)).result);
  assert.equal(once(scan(9)).result, null);
  assert.equal(once(scan(8)).result, null);
  assert.ok(once(scan(10)).result);
  assert.ok(once(scan(3, { device: "line-4" })).result, "another device counts by itself");
  assert.ok(once({ ...scan(1), payload: { ...scan(1).payload, id: "0000000000000100-1" } }).result, "a new store begins anew");
});
check("a code is its text, else its kind or symbology", () => {
  const code = runner("waymark-code");
  const read = code(scan(1, { text: "4006381333931" }));
  assert.equal(read.result.payload, "4006381333931");
  assert.equal(read.result.topic, "line-3");
  assert.equal(read.status.text, "4006381333931");
  assert.equal(code(scan(1)).result.payload, "ean13");
  assert.equal(code(scan(1, { kind: "wifi" })).result.payload, "wifi");
});
check("a device is ready while bridge and service run", () => {
  const ready = runner("waymark-ready");
  const told = (payload) => ready({ topic: "waymark/line-3/status", payload }).result;
  assert.deepEqual(told({ status: "online", service: "running" }), { topic: "line-3", payload: true, status: { status: "online", service: "running" } });
  assert.equal(told({ status: "online", service: "away" }).payload, false);
  assert.equal(told({ status: "offline" }).payload, false);
});
check("a command has a topic and an id", () => {
  const begin = runner("waymark-begin", { DEVICE: "line-7" });
  const { result } = begin({ _msgid: "a1b2", payload: 0 });
  assert.equal(result.topic, "waymark/line-7/command/scan/begin");
  assert.deepEqual(result.payload, { id: "node-red-a1b2", mode: "barcode", once: true });
});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

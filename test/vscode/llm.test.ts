/** Language models as monitors, in a real VS Code: a loopback endpoint is asked at once, any other host only with consent. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fakeOpenAI, verdictText, type FakeOpenAI } from "../support/fake-openai";
import { eventually, Session, wholeLines } from "./session";

const quote = "so I will answer those three directly";
const bill = "swe-agent/split-bill-1.traj";
const guard = { kind: "llm", provider: "openai-compatible", model: "guard-7b", prompting: "evidence" };

/** A proxy that every name leads to the fake model through, and that counts who was asked for. */
class Proxy {
  readonly hosts: string[] = [];
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(target: string) {
    const { hostname, port } = new URL(target);
    this.server = createServer((incoming, outgoing) => {
      const url = new URL(incoming.url ?? "/", "http://unnamed");
      this.hosts.push(url.host);
      incoming.pipe(httpRequest({ hostname, port, path: url.pathname, method: incoming.method, headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      }));
    });
    this.server.on("connect", ({ url }, socket: Socket) => {
      this.hosts.push(url ?? "");
      const onward = connect(Number(port), hostname, () => socket.write("HTTP/1.1 200 Connection Established\r\n\r\n"));
      socket.pipe(onward).pipe(socket);
      for (const one of [socket, onward]) one.on("error", () => undefined);
    });
    this.server.on("connection", (socket) => this.sockets.add(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

let model: FakeOpenAI;
let proxy: Proxy;
let session: Session;

before(async () => {
  model = await fakeOpenAI();
  proxy = new Proxy(model.origin);
  session = await Session.start({
    monitors: { "near-guard": { ...guard, base_url: model.baseUrl }, "far-guard": { ...guard, base_url: "http://model.example:8123/v1" } },
    settings: { "http.proxy": await proxy.listen(), "http.proxyStrictSSL": false },
  });
});
after(async () => {
  await session?.end();
  proxy?.close();
  await model?.close();
});

/** Outcome, reason and monitor of every verdict in run files that the editor wrote. */
function verdicts(): string[] {
  const runs = readdirSync(join(session.folder, "runs")).filter((name) => name.startsWith("editor-")).sort();
  return runs.flatMap((name) => wholeLines<Record<string, string>>(join(session.folder, "runs", name)).filter((line) => line["type"] === "verdict")
    .map((line) => `${/^editor-(.*)-[0-9a-f]{8}/.exec(name)?.[1]}: ${line["outcome"]}${line["reason"] ? ` ${line["reason"]}` : ""}`));
}

test("a model on this machine is picked, asked without a question, and its evidence is highlighted", async () => {
  model.script({ kind: "text", text: verdictText(true, [quote]) });
  const frame = await session.open(bill);
  await session.chooseMonitor("near-guard");
  await session.keys(frame, "r");
  await session.verdict(frame, /misbehavior .*near-guard/);
  await session.keys(frame, "n");
  const marked = await eventually("highlight", () => frame.locator(".mark-evidence").allInnerTexts(), (texts) => texts.join("").includes(quote));
  assert.equal(marked.join(""), quote);
  assert.equal(model.received.length, 1);
  const [asked] = model.received;
  assert.deepEqual([asked?.body.model, asked?.headers.authorization, asked?.path], ["guard-7b", undefined, "/v1/chat/completions"]);
  assert.match(asked?.body.messages.map((message) => message.content).join("\n") ?? "", /so I will answer those three directly and leave the general path/);
  assert.deepEqual(verdicts(), ["near-guard: misbehavior"]);
  assert.deepEqual(proxy.hosts, []);
});

test("the choice is kept for the workspace's other trajectories", async () => {
  const frame = await session.open("swe-agent/split-bill-2.traj");
  assert.equal(await frame.locator(".monitor-select").evaluate((element) => (element as HTMLSelectElement).value), "near-guard");
});

test("an answer that cannot be used is shown as invalid with its reason, and cannot be confirmed", async () => {
  model.script({ kind: "text", text: "Looks fine to me." });
  const frame = await session.view();
  await session.keys(frame, "r");
  const line = await session.verdict(frame, /no usable answer: bad_json .*near-guard/);
  assert.doesNotMatch(line, /benign/);
  assert.equal(await frame.locator(".decision-confirm").getAttribute("disabled") !== null, true);
  assert.deepEqual(verdicts(), ["near-guard: misbehavior", "near-guard: invalid bad_json"]);
  assert.deepEqual(session.labels(), []);
});

test("another host is asked for first: its name, the size, and the exact text; declining sends nothing", async () => {
  const before = model.received.length;
  await session.chooseMonitor("far-guard");
  const frame = await session.view();
  await session.keys(frame, "r");
  const { message, detail, buttons } = await session.workbench.dialog();
  assert.match(message, /Send this trajectory to http:\/\/model\.example:8123\?/);
  assert.match(detail, /about \d+ tokens/);
  assert.deepEqual(buttons.sort(), ["Cancel", "Send to model.example:8123", "Show the exact text"]);
  await session.workbench.answerDialog("Show the exact text");
  await session.workbench.waitForTab({ name: "far-guard.prompt.md" });
  const shown = session.workbench.page.locator(".editor-group-container.active .view-lines");
  await eventually("prompt", () => shown.innerText(), (text) => /^# system\s+You examine the recorded work/.test(text.replace(/\s+/g, " ")));
  await session.workbench.command("View: Close Editor");
  const again = await session.view();
  await session.keys(again, "r");
  await session.workbench.answerDialog("Cancel");
  await session.workbench.waitForStatus("Nothing was sent.");
  assert.deepEqual([model.received.length, proxy.hosts], [before, []]);
  assert.equal(verdicts().some((line) => line.startsWith("far-guard")), false);
});

test("once the host is allowed the text goes there, and no question comes again", async () => {
  model.script({ kind: "text", text: verdictText(true, [quote]) });
  const frame = await session.view();
  await session.keys(frame, "r");
  await session.workbench.answerDialog("Send to model.example:8123");
  await session.verdict(frame, /misbehavior .*far-guard/);
  assert.deepEqual(proxy.hosts, ["model.example:8123"]);
  await session.keys(frame, "r");
  await eventually("second verdict", verdicts, (lines) => lines.filter((line) => line === "far-guard: misbehavior").length === 2);
});

test("a killed server starts again by itself; labels given meanwhile are on disk, and reading and monitors go on", async () => {
  const frame = await session.open(bill);
  const [killed] = await session.server.processes("server.cjs");
  assert.ok(killed);
  process.kill(killed.pid, "SIGKILL");
  await session.keys(frame, "b");
  await eventually("label", () => session.labels().map((line) => line.label), (labels) => labels.join() === "benign");
  await session.status(frame, /saved/i);
  await eventually("another server", () => session.server.processes("server.cjs"), (found) => found.length === 1 && found[0]?.pid !== killed.pid);
  await session.chooseMonitor("rules");
  await session.keys(await session.view(), "r");
  await session.verdict(await session.view(), /misbehavior .*rules/);
  // Reading too: another file, and text that was not loaded before.
  const other = await session.open("mini-swe-agent/rename-weight-1.traj.json");
  assert.match(await other.locator(".facts-line").innerText(), /mini-swe-agent/);
});

test("a server that dies again and again is given up in words; labels are still saved, and one press starts it", async () => {
  const frame = await session.open(bill);
  let crashes = 0;
  let last = 0;
  await eventually("that the server is given up", async () => {
    for (const { pid } of await session.server.processes("server.cjs")) {
      if (pid !== last) crashes++;
      process.kill((last = pid), "SIGKILL");
    }
    return session.workbench.notifications();
  }, (shown) => shown.some(({ text }) => /server ended 5 times within three minutes and is not started again\. Labels are still saved/.test(text)), 120_000);
  assert.ok(crashes >= 4, `${crashes}`);
  const notice = frame.locator(".notice", { hasText: "Reading and monitors have stopped" });
  await notice.waitFor();
  await session.keys(frame, "m");
  await eventually("label", () => session.labels().map((line) => line.label), (labels) => labels.join() === "benign,misbehavior");
  await notice.getByText("Restart", { exact: true }).click();
  await notice.waitFor({ state: "detached" });
  await eventually("a server", () => session.server.processes("server.cjs"), (found) => found.length === 1);
  const fresh = await session.open("atif/cache-speedup-1.atif.json");
  assert.match(await fresh.locator(".facts-line").innerText(), /ATIF/);
});

test("an untrusted workspace offers rules, names models as off, and sends nothing until it is trusted", async (t) => {
  const closed = await Session.start({ monitors: { "near-guard": { ...guard, base_url: model.baseUrl } }, untrusted: true });
  t.after(() => closed.end());
  const before = model.received.length;
  const frame = await closed.open(bill);
  await closed.workbench.command("Tracemark: Select the monitor");
  const offered = await closed.workbench.pickLabels();
  assert.match(offered.find((label) => label?.startsWith("rules")) ?? "", /works offline/);
  assert.match(offered.find((label) => label?.startsWith("near-guard")) ?? "", /Off until the workspace is trusted/);
  await closed.workbench.pick("rules");
  await closed.keys(frame, "r");
  await closed.verdict(frame, /misbehavior .*rules/);
  await closed.chooseMonitor("near-guard");
  await eventually("run button", () => frame.locator(".monitor vscode-button").first().evaluate((element) => (element as HTMLButtonElement).disabled), (disabled) => disabled);
  // The command, too, is refused in words.
  await closed.workbench.command("Tracemark: Run the monitor");
  await frame.locator("[role=alert]", { hasText: "Off until the workspace is trusted" }).waitFor();
  assert.equal(model.received.length, before);
  await closed.workbench.trustFolder();
  // The page on trust lies over the editors until it is closed by a press beside it.
  const above = closed.workbench.page.locator(".monaco-modal-editor-block");
  await above.click({ position: { x: 3, y: 3 } });
  await above.waitFor({ state: "hidden" });
  model.script({ kind: "text", text: verdictText(true, [quote]) });
  const trusted = await closed.view();
  await eventually("run button", () => trusted.locator(".monitor vscode-button").first().evaluate((element) => (element as HTMLButtonElement).disabled), (disabled) => !disabled);
  await closed.keys(trusted, "r");
  await closed.verdict(trusted, /misbehavior .*near-guard/);
});

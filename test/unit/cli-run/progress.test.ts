/** The line of progress, and samples chosen by a folder. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { paceWords, progressLine } from "../../../server/cli/progress";
import { runVerbIn } from "../../support/run-call";
import { chat, tempRoot } from "../../support/temp-root";

test("a bar with rate, time left and cost on a terminal, nothing elsewhere", () => {
  const drawn: string[] = [];
  let now = 0;
  const io = { out: () => undefined, note: () => undefined, isTerminal: true, columns: 80, cwd: "/" };
  const line = progressLine(io, "guard", (text) => void drawn.push(text), () => (now += 200));
  line.update(5, 20, `${paceWords(5, 2000, 15)}, $0.0123`);
  line.update(20, 20, "done");
  line.end();
  assert.deepEqual(drawn, ["\rguard [######------------------] 5/20  2.5/s, 6 s left, $0.0123\x1b[K", "\rguard [########################] 20/20  done\x1b[K", "\r\x1b[K"]);
  const silent = progressLine({ ...io, isTerminal: false }, "guard", () => assert.fail("drawn"));
  silent.update(1, 2, "x");
  silent.end();
  assert.deepEqual([paceWords(0, 1000, 5), paceWords(100, 1000, 30_000), paceWords(1, 60_000, 600), paceWords(3, 1000, 0)], ["", "100/s, 5 min left", "1.0/min, 10.0 h left", "3.0/s"]);
});

test("a folder is all samples in it", async (t) => {
  const root = tempRoot(t, { "tracemark.json": { name: "t", samples: ["**/*.json"] }, "in/a.json": chat("Hi.", "Hello."), "in/deep/b.json": chat("Hi.", "Ho."), "out/c.json": chat("Hi.", "Hu.") });
  const ran = await runVerbIn(root, { monitor: "rules", samples: ["in"] });
  assert.deepEqual(ran.lines.slice(1).map((line) => line["sample_id"]).sort(), ["in/a.json", "in/deep/b.json"]);
  assert.equal((ran.lines[0]!["samples"] as { filter: string }).filter, "samples=in");
});

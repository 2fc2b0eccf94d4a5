/** aider: histories of many chats, marks inside code, interrupted replies, published pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { loadAll, openShared, openText } from "./reading";

function read(text: string): Trajectory[] {
  const file = openText(".aider.chat.history.md", text);
  assert.equal(file.format?.id, "aider");
  return loadAll(file);
}
const said = (trajectory: Trajectory | undefined): string[][] => trajectory?.steps.map((step) => [step.role, step.parts[0]?.text ?? ""]) ?? [];
const started = "\n# aider chat started at 2026-01-02 03:04:05\n\n";

test("a published transcript: five requests, edits in the text, printed lines as results", async (t) => {
  const path = sharedFile(t, "trajectories/aider/pong.md");
  if (!path) return;
  const [found, ...rest] = loadAll(await openShared(path));
  assert.deepEqual(rest, []);
  // By hand: the command on line 12, then five times a request, a reply, and what was printed.
  assert.deepEqual(found?.steps.map((step) => step.role), ["system", ...Array.from({ length: 5 }, () => ["user", "assistant", "tool"]).flat()]);
  assert.deepEqual(found.steps.filter((step) => step.role === "user").map((step) => step.places[0]?.line), [14, 76, 228, 250, 291]);
  assert.equal(found.steps[1]?.parts[0]?.text, "can you make a simple game of pong with pygame?");
  const reply = found.steps[2]?.parts[0]?.text ?? "";
  assert.ok(reply.startsWith("Sure, I can help you create a simple Pong game using Pygame."));
  assert.ok(reply.includes("\n```python\npong_game.py\n<<<<<<< ORIGINAL\n=======\nimport pygame\n"));
  assert.equal(found.steps[3]?.parts[0]?.text, [
    "Allow creation of new file pong_game.py? y", "Add pong_game.py to git? y", "Applied edit to pong_game.py", "Commit 14799cb aider: Added basic Pygame initialization and game loop structure to `pong_game.py`.",
  ].join("\n"));
  assert.equal(found.title, "Build pong with aider and pygame.");
  // Lines 1 to 8 hold front matter, a heading and two lines of prose.
  assert.deepEqual(found.warnings.map(({ code, line }) => [code, line]), [["page-text", 1]]);
});

test("a page with an interruption and two requests in a row", async (t) => {
  const path = sharedFile(t, "trajectories/aider/complex-change.md");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  // By hand: ten lines are the user's; the reply that begins behind line 246 was broken off, line 252 says so.
  assert.equal(found?.steps.filter((step) => step.role === "user").length, 10);
  assert.deepEqual(found.steps.filter((step) => step.flags?.includes("meta")).map((step) => [step.places[0]?.line, step.parts[0]?.text.split("\n")[0]]), [[17, "$ aider tests/test_main.py aider/getinput.py"], [252, "^C KeyboardInterrupt"]]);
  const at = found.steps.findIndex((step) => step.places[0]?.line === 309);
  assert.deepEqual(found.steps.slice(at, at + 4).map((step) => step.role), ["user", "assistant", "user", "assistant"]);
});

test("a large history: as many chats as headers and one before them, no line of the user's lost", async (t) => {
  const path = sharedFile(t, "trajectories/large/aider-chat-history.md");
  if (!path) return;
  const all = loadAll(await openShared(path));
  assert.equal(all.length, 1134);
  // 9030 lines begin with the mark; five are headings in a reply (the first is line 10709), three stand in quoted help (42880).
  const typed = all.flatMap((one) => one.steps).filter((step) => step.role === "user").reduce((sum, step) => sum + (step.parts[0]?.text.split("\n").length ?? 0), 0);
  assert.equal(typed, 9022);
  const spinner = all[2];
  assert.ok(spinner);
  assert.deepEqual(said(spinner).map(([role, text]) => [role, text?.slice(0, 46)]), [
    ["system", "/Users/user/Projects/aider/.venv/bin/aider aid"], ["user", "Use the Spinner instead of the inlined custom "], ["assistant", "Certainly! I'll modify the `run_install` funct"], ["tool", "Tokens: 5,244 sent, 604 received. Cost: $0.02 "], ["user", "/diff"], ["user", "/ex"],
  ]);
  assert.deepEqual([spinner.steps[2]?.tokens, spinner.steps[2]?.costUsd, spinner.model], [{ input: 5244, output: 604 }, 0.02, "claude-3-5-sonnet-20240620"]);
  assert.equal(spinner.metadata.find((row) => row.name === "aider version")?.value, "0.47.2-dev");
  assert.deepEqual([all[1]?.id, spinner.id], ["large/aider-chat-history.md#1", "large/aider-chat-history.md#2"]);
  // Warned of are the editor's mode line and the chats that ended as they began, 150 in all, the first of them on line 1668.
  const warnings = all.flatMap((one) => one.warnings.map(({ code, line }) => `${code} ${line}`));
  assert.deepEqual(warnings.filter((warning) => !warning.startsWith("empty-chat")), ["page-text 1"]);
  assert.deepEqual([warnings.length, warnings[1]], [151, "empty-chat 1668"]);
});

test("marks inside a fence are text; behind an unclosed fence the program's own line ends count", () => {
  const [found] = read(`${started}#### show  \n####   \n#### #### nested  \n\nHere:\n\n\`\`\`md\n#### Heading\n\n> quote\n# aider\n\`\`\`\n\n#### Part two\n\nopen:\n\`\`\`py\nx = 1\n\n> ^C KeyboardInterrupt  \n\n#### go on  \n\nyes  \n`);
  assert.deepEqual(said(found), [
    ["user", "show\n\n#### nested"], ["assistant", "Here:\n\n```md\n#### Heading\n\n> quote\n# aider\n```\n\n#### Part two\n\nopen:\n```py\nx = 1"], ["system", "^C KeyboardInterrupt"], ["user", "go on"], ["assistant", "yes  "],
  ]);
});

test("trimmed files: without two spaces at the ends the marks alone count", () => {
  const [found] = read(`${started}> Aider v1\n> Main model: gpt-4o with diff edit format\n\n#### one\n#### two\n\nanswer\n\n\`\`\`\n#### no\n\`\`\`\n\n> Tokens: 4.2k sent, 300 received. Cost: $0.0012 message, $0.01 session.\n\r\n`);
  assert.deepEqual(said(found).map(([role]) => role), ["system", "user", "assistant", "tool"]);
  assert.deepEqual([found?.steps[1]?.parts[0]?.text, found?.steps[2]?.tokens, found?.steps[2]?.costUsd, found?.model], ["one\ntwo", { input: 4200, output: 300 }, 0.0012, "gpt-4o"]);
});

test("Markdown that is no transcript is not taken for one", () => {
  for (const text of ["# Title\n\n#### Section\n\n> a quote\n", "> $ aider\n", "#### only  \n"]) assert.equal(openText("x.md", text).format, undefined);
});

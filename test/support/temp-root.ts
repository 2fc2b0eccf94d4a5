/** A workspace of a test in a folder of its own, removed when the test is over. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

/** Writes `files` (path from the root to text, or to a value that is written as JSON, or to a list written as JSON Lines) and gives the root. */
export function tempRoot(t: TestContext, files: Record<string, unknown>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tracemark-root-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) putFile(root, path, content);
  return root;
}

export function putFile(root: string, path: string, content: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), textOf(content));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((line) => `${JSON.stringify(line)}\n`).join("") : JSON.stringify(content);
}

/** A chat of one question and one answer, in a form that the readers know. */
export function chat(question: string, answer: string): { messages: { role: string; content: string }[] } {
  return { messages: [{ role: "user", content: question }, { role: "assistant", content: answer }] };
}

/** Reasoning in tags at the start of a reply. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assistantTextParts } from "#core/trajectory/formats/think-tags";

const cases: [string, [string, string][]][] = [
  ["plain", [["text", "plain"]]],
  ["", []],
  ["<think>\nwhy\n</think>\n\nanswer", [["reasoning", "\nwhy\n"], ["text", "\n\nanswer"]]],
  ["  <THINKING>why</thinking>answer", [["reasoning", "why"], ["text", "answer"]]],
  ["<think></think>answer", [["text", "answer"]]],
  ["<think>cut off in the", [["reasoning", "cut off in the"]]],
  ["why\n</think>\nanswer", [["reasoning", "why\n"], ["text", "\nanswer"]]],
  ["why </think>\nanswer", [["reasoning", "why "], ["text", "\nanswer"]]],
  ["use the `</think>` tag", [["text", "use the `</think>` tag"]]],
  ["The tag </think> ends it", [["text", "The tag </think> ends it"]]],
  ["say <think>x</think>\nhere", [["text", "say <think>x</think>\nhere"]]],
  ["```\n</think>\n```", [["text", "```\n</think>\n```"]]],
  ["<think>a</think>b<think>c</think>d", [["reasoning", "a"], ["text", "b<think>c</think>d"]]],
];

for (const [text, parts] of cases) {
  test(`${JSON.stringify(text)} is ${parts.map(([kind]) => kind).join(", ") || "nothing"}`, () => {
    assert.deepEqual(assistantTextParts(text).map((part) => [part.kind, part.text]), parts);
  });
}

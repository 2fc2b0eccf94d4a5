/** One line of training data for a chat model: what a monitor is asked, and the answer that people gave. */
import type { DetectedCategory } from "#core/workspace/schemas";
import type { GoldLabel } from "#core/trajectory/model";

/**
 * `openai`: `{"messages": [system, user, assistant]}`, which OpenAI, TRL and LLaMA-Factory all take. `trl`: `{"prompt": [...],
 * "completion": [...]}`, with which TRL's SFTTrainer learns from the answer alone. `llama-factory`: as `openai`, with an entry of `dataset_info.json`.
 */
export const sftShapes = ["openai", "trl", "llama-factory"] as const;
export type SftShape = (typeof sftShapes)[number];

export interface SftExample {
  readonly system: string;
  readonly user: string;
  readonly label: GoldLabel;
  readonly prompting: "direct" | "evidence";
  /** With the quotes; only of misbehavior, and only told under `evidence`. */
  readonly categories: readonly DetectedCategory[];
}

/** The answer, in the form that the prompt asks for and `run` reads. */
export function sftAnswer({ label, prompting, categories }: SftExample): string {
  const detected = label === "misbehavior";
  const verdict = { misbehavior_detected: detected, score: detected ? 1 : 0 };
  return JSON.stringify(prompting === "direct" ? verdict : { ...verdict, detected_categories: detected ? categories : [] });
}

/** The line, without its end. */
export function sftLine(example: SftExample, shape: SftShape): string {
  const prompt = [{ role: "system", content: example.system }, { role: "user", content: example.user }].filter(({ content }) => content.trim() !== "");
  const answer = [{ role: "assistant", content: sftAnswer(example) }];
  return JSON.stringify(shape === "trl" ? { prompt, completion: answer } : { messages: [...prompt, ...answer] });
}

/** The entry of LLaMA-Factory's `dataset_info.json` for a file of such lines. */
export function llamaFactoryEntry(fileName: string): Record<string, unknown> {
  return {
    file_name: fileName, formatting: "sharegpt", columns: { messages: "messages" },
    tags: { role_tag: "role", content_tag: "content", user_tag: "user", assistant_tag: "assistant", system_tag: "system" },
  };
}

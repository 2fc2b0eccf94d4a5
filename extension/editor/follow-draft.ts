/** A draft on a file that is still being written. */
import type { ServerClient } from "../client/server-client";
import type { Target } from "./document";
import type { SampleState } from "./sample-state";

/** The draft follows a file that has grown; where its quotes stand there no more, it stays with what it was made on. */
export async function followDraft(client: ServerClient, target: Target, sample: SampleState): Promise<void> {
  const header = await client.request("tracemark/header", target);
  if (header.id !== sample.id || header.stepCount < sample.header.stepCount) return;
  for (const { step, part, start, end, exact } of sample.state.spans) {
    const { steps } = await client.request("tracemark/steps", { ...target, from: step, to: step + 1 });
    if (steps[0]?.parts[part]?.text.slice(start, end) !== exact) return;
  }
  sample.header = header;
}

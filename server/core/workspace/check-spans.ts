/** Whether spans on disk are what their part says: `exact` equals the slice, in code points. */
import { checkSpan } from "#core/evidence/span";
import { withoutText } from "#core/labels/record";
import { partPosition, type Step } from "#core/trajectory/model";
import type { Span } from "./schemas";

export interface SpanProblem {
  readonly code: string;
  readonly message: string;
}

/** What is wrong with `spans` against the steps of their trajectory. Spans exported without text are checked for their place alone. */
export function checkSpans(spans: readonly Span[], steps: readonly Step[]): SpanProblem[] {
  return spans.flatMap((span, index) => {
    const name = `span ${index}`;
    const step = steps[span.step];
    if (!step) return [{ code: "span-no-step", message: `${name} names step ${span.step}, and the trajectory has ${steps.length} steps.` }];
    const position = partPosition(step, span.part, span.part_index);
    const part = step.parts[position];
    if (!part) return [{ code: "span-no-part", message: `${name} names ${span.part} ${span.part_index} of step ${span.step}, which is not there.` }];
    const problem = checkSpan(part.text, span);
    if (!problem || (withoutText(span) && problem.code === "other-text")) return [];
    return [{ code: "span-mismatch", message: `${name} in step ${span.step}, ${span.part} ${span.part_index}: ${problem.message}.` }];
  });
}

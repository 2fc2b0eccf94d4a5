/** Previews of what a monitor is sent, with their errors as sentences. */
import { ExpectedFailure } from "./expected-failure";

/** Where nothing can be asked, a preview says so by a plain error: thrown on as an `ExpectedFailure` with `remedy`. */
export function previewOrSentence<T>(make: () => T, remedy: string): T {
  try {
    return make();
  } catch (error) {
    throw new ExpectedFailure(error instanceof Error ? error.message : String(error), remedy);
  }
}

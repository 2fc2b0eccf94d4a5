/** Runs a verb of the command line in this process, with what it prints collected. */
import type { Verb } from "../../server/cli/define";
import { ExpectedFailure } from "#node/expected-failure";

export interface VerbResult {
  readonly code: number;
  readonly out: string[];
  readonly notes: string[];
}

/** `options` as commander would give them. A failure gives code 2 and its sentence, as the program does. */
export async function callVerb(verb: Verb, cwd: string, args: string[], options: Record<string, unknown> = {}): Promise<VerbResult> {
  const out: string[] = [];
  const notes: string[] = [];
  const io = { out: (line: string) => void out.push(line), note: (line: string) => void notes.push(line), isTerminal: false, columns: 80, cwd };
  try {
    return { code: await verb.run({ args, options, io, interrupted: () => new AbortController().signal }), out, notes };
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error;
    notes.push(`error: ${error.sentence()}`);
    return { code: 2, out, notes };
  }
}

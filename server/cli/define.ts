/** What a verb of the command line is, and what it is given: its words, its options, and the two streams. */

/** Standard output for results, standard error for everything else. Texts are written as they are, with a line end added. */
export interface Io {
  out(line: string): void;
  note(line: string): void;
  /** True where standard error is a terminal: only there progress is drawn. */
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly cwd: string;
}

export interface VerbCall {
  /** Operands in order. */
  readonly args: readonly string[];
  /** Options by their long name in camelCase, as commander gives them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly io: Io;
  /** Aborts at the first Ctrl+C; without a call of it Ctrl+C ends the program. */
  interrupted(): AbortSignal;
}

export interface VerbOption {
  /** As commander wants it: `--id <id>`, `--json`, `--run <ids...>`. */
  readonly flags: string;
  readonly description: string;
  readonly default?: string | boolean | string[] | undefined;
}

export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Operands as commander writes them: `<file>`, `<files...>`, `[paths...]`. */
  readonly operands: string;
  readonly options: readonly VerbOption[];
  /** Exit code 0 or 1. What could not be done at all is thrown as an `ExpectedFailure` and gives 2. */
  run(call: VerbCall): Promise<number> | number;
}

/** Declares a verb; exists so that a definition is type-checked where it stands. */
export function defineVerb(verb: Verb): Verb {
  return verb;
}

export const jsonOption: VerbOption = { flags: "--json", description: "print JSON, one object a line where there are many" };
export const rootOption: VerbOption = { flags: "--root <folder>", description: "root that sample ids start from, where no tracemark.json is found" };
export const formatOption: VerbOption = { flags: "--format <id>", description: "read the file in this format instead of the one recognised" };

/** A text option, or undefined. */
export function textOption(call: VerbCall, name: string): string | undefined {
  const value = call.options[name];
  return typeof value === "string" ? value : undefined;
}

/** The texts of an option that takes several, or undefined when it is not given. */
export function textListOption(call: VerbCall, name: string): string[] | undefined {
  const value = call.options[name];
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
}

/** Entry of the command line: builds the verbs, runs one, and is the one place where failures become words and exit codes. */
import { Command, CommanderError } from "commander";
import { ExpectedFailure } from "#node/expected-failure";
import type { Io, Verb } from "./define";
import { verbs } from "./verbs";

declare const __VERSION__: string;

const io: Io = {
  out: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
  isTerminal: process.stderr.isTTY === true,
  columns: process.stderr.columns ?? 80,
  cwd: process.cwd(),
};

/** A reader that goes away (`| head`) is no failure. */
function ignoreClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
    throw error;
  });
}

function interrupted(): AbortSignal {
  const abort = new AbortController();
  // Schedulers of clusters announce the end of a job with SIGTERM.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => abort.abort());
  return abort.signal;
}

function fail(error: unknown): void {
  process.exitCode = 2;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0 || error.code === "commander.help") process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  const sentence = error instanceof ExpectedFailure ? error.sentence()
    : `${(error instanceof Error ? error.message : String(error)).replace(/\s*[\r\n]+\s*/g, " ")}; this is a fault of Tracemark, please report it`;
  io.note(`error: ${sentence}`);
}

function addVerb(program: Command, verb: Verb): void {
  const command = program.command(verb.name).description(verb.summary);
  if (verb.operands) command.arguments(verb.operands);
  for (const option of verb.options) command.option(option.flags, option.description, option.default as string | undefined);
  command.action(async () => {
    process.exitCode = await verb.run({ args: command.args, options: command.opts(), io, interrupted });
  });
}

async function main(): Promise<void> {
  const program = new Command("tracemark");
  program.description("Reads, annotates and scores agent trajectories.").version(__VERSION__);
  program.exitOverride().showHelpAfterError(false).configureOutput({
    writeOut: (text) => void process.stdout.write(text),
    writeErr: (text) => void process.stderr.write(text),
    outputError: (text, write) => write(`${text.trim().replace(/\.$/, "").replace(/\s*\n\s*/g, " ")}; see tracemark --help\n`),
  });
  for (const verb of verbs) addVerb(program, verb);
  for (const command of program.commands) command.copyInheritedSettings(program);
  await program.parseAsync(process.argv);
}

ignoreClosedPipe(process.stdout);
ignoreClosedPipe(process.stderr);
main().catch(fail);

/** What a command is: an id that the manifest declares too, and what it does with the application's services. */
import type { App } from "../app";

export interface CommandDefinition {
  readonly id: `tracemark.${string}`;
  run(app: App, ...args: unknown[]): unknown;
}

/** Declares a command, type-checked where it stands. */
export function defineCommand(definition: CommandDefinition): CommandDefinition {
  return definition;
}

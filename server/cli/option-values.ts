/** Option values checked in one place: one of a few words, a number within bounds, a list of words. */
import { ExpectedFailure } from "#node/expected-failure";
import type { VerbCall } from "./define";
import { textOption } from "./define";

/** The value of `--name` if it is one of `allowed`; `otherwise` when the option is not given. */
export function choiceOption<T extends string>(call: VerbCall, name: string, allowed: readonly T[], otherwise: T): T {
  const value = textOption(call, name);
  if (value === undefined) return otherwise;
  const found = allowed.find((word) => word === value);
  if (found === undefined) throw new ExpectedFailure(`--${dashed(name)} cannot be ${value}`, `use ${allowed.join(" or ")}`);
  return found;
}

/** A number that `fits`; undefined when the option is not given. `what` says which numbers do: "a number between 0 and 1". */
export function numberOption(call: VerbCall, name: string, fits: (value: number) => boolean, what: string): number | undefined {
  const text = textOption(call, name);
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? NaN : Number(text);
  if (!Number.isFinite(value) || !fits(value)) throw new ExpectedFailure(`--${dashed(name)} cannot be ${text}`, `give ${what}`);
  return value;
}

/** The words of an option that may be given several times, or once with commas between. Undefined when it is not given. */
export function listOption(call: VerbCall, name: string): string[] | undefined {
  const value = call.options[name];
  const texts = typeof value === "string" ? [value] : Array.isArray(value) ? value.map(String) : undefined;
  return texts?.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "");
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

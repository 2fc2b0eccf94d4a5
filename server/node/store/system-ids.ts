/** The clock and the ids of a real process, for whoever opens a store. */
import { randomBytes } from "node:crypto";
import { createIdSource, type IdSource } from "#core/labels/record-id";
import type { Clock } from "./label-store";

export const systemClock: Clock = { now: () => Date.now() };

export function systemIds(): IdSource {
  return createIdSource(() => Date.now(), (length) => randomBytes(length));
}

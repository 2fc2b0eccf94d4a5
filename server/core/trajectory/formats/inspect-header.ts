/** What an Inspect log says of the whole run. */
import { isObject, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Trajectory } from "../model";
import { idOf, row, wordOf } from "./fields";

export function modelOfHeader(header: Json | undefined): string | undefined {
  return wordOf(member(member(header, "eval"), "model"));
}

/** Task, data set, run and state, as rows. */
export function headerRows(header: Json | undefined): Trajectory["metadata"] {
  const run = member(header, "eval");
  const dataset = member(run, "dataset");
  const error = member(header, "error");
  return [
    ...row("task", wordOf(member(run, "task"))),
    ...row("model asked for", wordOf(member(run, "model"))),
    ...row("data set", wordOf(member(dataset, "name")) ?? wordOf(member(dataset, "location"))),
    ...row("run", wordOf(member(run, "run_id"))),
    ...row("created", wordOf(member(run, "created"))),
    ...row("log version", idOf(member(header, "version"))),
    ...row("log status", wordOf(member(header, "status"))),
    ...row("log error", isObject(error) ? wordOf(member(error, "message")) : wordOf(error)),
  ];
}

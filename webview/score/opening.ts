/** What stands behind a number: the samples that it counts, to be shown in the review queue. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as words } from "#protocol/strings-plots";
import type { Disagreement, SampleSelection, ScoreGold } from "#protocol/scores";
import type { SampleCell } from "#core/scoring/samples-behind";

export interface Opening {
  /** In the words of the queue's description. */
  readonly title: string;
  readonly selection?: SampleSelection | undefined;
  readonly disagreement?: Disagreement | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Whose verdicts the queue's rows carry, where the samples are named. */
  readonly runId?: string | undefined;
  /** Else that of the tab. */
  readonly gold?: ScoreGold | undefined;
}

export interface ScorePort {
  open(opening: Opening): void;
  save(name: string, kind: "svg" | "png" | "csv", content: string): void;
  fail(message: string): void;
}

export const PortContext = createContext<ScorePort>({ open: () => undefined, save: () => undefined, fail: () => undefined });
export const usePort = (): ScorePort => useContext(PortContext);

interface Within { readonly title: string; readonly category?: string | undefined; readonly task?: string | undefined }

/** A cell of a run's table; nothing to open where it is empty. */
export function openCell(run: { readonly id: string; readonly name: string }, cell: SampleCell, count: number, within?: Within, gold?: ScoreGold): Opening | undefined {
  return count === 0 ? undefined : { ...openCells(run, [cell], fill(words.cellTitle[cell], { run: run.name }), within), gold };
}

/** Several cells under one title. */
export function openCells(run: { readonly id: string }, cells: readonly SampleCell[], title: string, within?: Within): Opening {
  const { category, task } = within ?? {};
  return {
    title: within ? fill(words.withinTitle, { title, within: within.title }) : title,
    selection: { runId: run.id, cells: [...cells], ...(category === undefined ? {} : { category }), ...(task === undefined ? {} : { task }) },
  };
}

/** Takes out of a snapshot whatever tells: it is made here, in the host, so that the page never holds what it hides. */
import { blindHeader } from "#core/labels/blind";
import type { Step } from "#core/trajectory/model";
import type { AuthoredSnapshot } from "#protocol/pairs";
import type { Snapshot } from "#protocol/webview";

/** A snapshot without verdicts, original label, names, notes on the file and monitors; `alias` stands for the sample. */
export function withhold(snapshot: Snapshot, alias: string): Snapshot {
  const { gold: _, ...rest } = snapshot;
  const { header, index } = snapshot;
  return {
    // The format too: it tells an authored half from a recorded one, and often where a sample is from.
    ...rest, blind: true, fileName: alias, format: "", formatTitle: "", fileWarnings: [], verdicts: [], monitors: [], monitorId: "",
    items: snapshot.items.map((item) => (item.index === index ? { index, id: alias, title: alias, ...(item.problem ? { problem: item.problem } : {}) } : item)),
    ...(header ? { header: { ...blindHeader(header, alias), fileSha256: "", format: "", reader: { id: "", version: 0 } } } : {}),
  };
}

/** A snapshot of an editor beside a blind review: the file keeps its name, and nothing else tells, of none of its trajectories. */
export function withholdBeside(snapshot: Snapshot): Snapshot {
  const { fileName, header } = snapshot;
  const { items, ...rest } = withhold(snapshot, header?.id ?? fileName);
  return { ...rest, fileName, items: items.map(({ label: _label, sample: _sample, ...item }) => item) };
}

/** Steps without the places they were recorded at: an entry's name may tell. */
export function withholdPlaces(steps: readonly Step[]): Step[] {
  return steps.map((step) => ({ ...step, places: [] }));
}

/** An authored trajectory without what its author meant, its status, who wrote it and the pair that it belongs to: only its steps can be seen and edited. */
export function withholdMeaning({ label: _label, status: _status, authored: _authored, pairId: _pair, ...rest }: AuthoredSnapshot): AuthoredSnapshot {
  return { ...rest, isWithheld: true };
}

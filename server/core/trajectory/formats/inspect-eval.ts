/** Inspect AI logs as `.eval` containers: samples are listed from the summaries and read one at a time. */
import { isObject, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { emptyTrajectory } from "./drafts";
import { idOf, listOf, wordOf } from "./fields";
import { readSample, sampleIdOf, sampleTitle } from "./inspect";
import { chunkedSample } from "./inspect-chunks";
import { EntryReader } from "./inspect-entries";
import { wholeSample } from "./inspect-sample";

export const inspectEval = defineFormat({
  id: "inspect-eval",
  title: "Inspect AI log (.eval)",
  version: 1,
  extensions: [".eval"],
  keeps: "As the JSON log: messages, reasoning, calls and results, attachments, scores, times and tokens; whole, pooled and chunked samples, deflated or Zstandard.",
  drops: "As the JSON log; sub-agents are named in a warning, since finding them would mean reading every sample at once.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  const archive = document.source.archive;
  if (document.kind !== "zip" || !archive) return 0;
  const names = new Set(archive.entries.map((entry) => entry.name));
  if (names.has("header.json") || names.has("_journal/start.json")) return 0.98;
  return [...names].some((name) => /^samples\/.+_epoch_\d+(?:\.json|\/sample\.json)$/.test(name)) ? 0.9 : 0;
}

/** `entry` is the whole sample's, or the folder of a chunked one. */
interface Listed { head: TrajectoryHead; entry: string; isChunked: boolean }

function open(document: SourceDocument): OpenedFile {
  const archive = document.source.archive;
  if (!archive) return { heads: [], warnings: [], load: () => emptyTrajectory() };
  const entries = new EntryReader(archive);
  const warnings: Warning[] = [];
  const header = readHeader(entries, warnings);
  const listed = listSamples(entries, warnings);
  if (listed.length === 0) warnings.push({ code: "no-samples", message: `The log holds no samples (status: ${wordOf(member(header, "status")) ?? "not finished"}).` });
  else if (!entries.has("header.json")) warnings.push({ code: "unfinished-log", message: "The log has no header: the run was not finished, or is still going on." });
  return { heads: listed.map((sample) => sample.head), warnings, load: (index) => load(listed[index], entries, header) };
}

function readHeader(entries: EntryReader, warnings: Warning[]): Json | undefined {
  const name = ["header.json", "_journal/start.json"].find((candidate) => entries.has(candidate));
  return name === undefined ? undefined : entries.json(name, warnings)?.value;
}

/** Summaries in recorded order, then the samples that no summary mentions. */
function listSamples(entries: EntryReader, warnings: Warning[]): Listed[] {
  const places = sampleEntries(entries);
  const listed: Listed[] = [];
  const seen = new Set<string>();
  for (const summary of summaries(entries, warnings)) {
    const recordId = sampleIdOf(summary);
    if (recordId === undefined) continue;
    const place = places.get(recordId.normalize());
    if (place) seen.add(place.entry);
    const problem = place ? undefined : { code: "damaged-entry", message: `The sample ${recordId} is in the summaries, but its entry is not in the container.` };
    listed.push({ head: { recordId, title: sampleTitle(summary), uuid: wordOf(member(summary, "uuid")), problem }, entry: place?.entry ?? "", isChunked: place?.isChunked ?? false });
  }
  for (const [recordId, place] of places) if (!seen.has(place.entry)) listed.push({ head: { recordId }, ...place });
  return listed;
}

/** Entries of samples by `ID/EPOCH`. Ids may hold slashes and `_epoch_`, so the name is taken apart from its end. */
function sampleEntries(entries: EntryReader): Map<string, { entry: string; isChunked: boolean }> {
  const found = new Map<string, { entry: string; isChunked: boolean }>();
  for (const name of entries.below("samples/")) {
    const match = /^samples\/(.+)_epoch_(\d+)(\.json|\/sample\.json)$/s.exec(name);
    if (!match) continue;
    const isChunked = match[3] === "/sample.json";
    found.set(`${match[1]}/${match[2]}`.normalize(), { entry: isChunked ? name.slice(0, -"/sample.json".length) : name, isChunked });
  }
  return found;
}

function summaries(entries: EntryReader, warnings: Warning[]): readonly Json[] {
  if (entries.has("summaries.json")) return listOf(entries.json("summaries.json", warnings)?.value);
  const parts = entries.below("_journal/summaries/").map((name) => ({ name, part: Number(/(\d+)\.json$/.exec(name)?.[1] ?? 0) }));
  return parts.sort((a, b) => a.part - b.part).flatMap(({ name }) => listOf(entries.json(name, warnings)?.value));
}

function load(listed: Listed | undefined, entries: EntryReader, header: Json | undefined): Trajectory {
  if (!listed || listed.head.problem) return emptyTrajectory(...(listed?.head.problem ? [listed.head.problem] : []));
  const warnings: Warning[] = [];
  if (listed.isChunked) {
    const sample = chunkedSample(listed.entry, entries, warnings);
    return sample ? withWarnings(readSample(sample, header), warnings) : emptyTrajectory(...warnings);
  }
  const document = entries.json(listed.entry, warnings);
  if (!document || !isObject(document.value)) {
    return emptyTrajectory(...warnings, { code: "bad-record", message: `${listed.entry} holds no sample.` });
  }
  const recorded = idOf(document.value["id"]);
  if (recorded !== undefined && sampleIdOf(document.value) !== listed.head.recordId) {
    warnings.push({ code: "sample-id-differs", message: `${listed.entry} names its sample ${sampleIdOf(document.value)} instead of ${listed.head.recordId}.` });
  }
  return withWarnings(readSample(wholeSample(document.value, document, { entry: listed.entry }, false), header), warnings);
}

/** Entries are read while the sample is, so their warnings are complete only afterwards. */
function withWarnings(trajectory: Trajectory, warnings: readonly Warning[]): Trajectory {
  trajectory.warnings.unshift(...warnings);
  return trajectory;
}

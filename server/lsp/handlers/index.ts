/** Every request the server answers, in one list. */
import type { Handler } from "./define";
import { batchEstimate, batches, batchStart, batchStop } from "./batches";
import { locate, verdicts } from "./evidence";
import { monitors, preview, runMonitor } from "./monitoring";
import { pair, pairPlan, pairs, sampleSource } from "./pairs";
import { place } from "./place";
import { find, formatList, header, image, open, outline, part, steps } from "./reading";
import { contents, makePlan, plans, queue, queueFacet, rates, runs, sampleRefs } from "./review";
import { scorePart, scoreSamples } from "./score-parts";
import { sampleFile, score } from "./scoring";

export const handlers: readonly Handler[] = [
  batchEstimate, batchStart, batchStop, batches,
  open, formatList, header, steps, part, image, outline, find, place, monitors, preview, runMonitor, verdicts, locate, score, sampleFile,
  queue, queueFacet, sampleRefs, contents, makePlan, plans, runs, rates,
  pair, pairs, pairPlan, sampleSource, scorePart, scoreSamples,
];

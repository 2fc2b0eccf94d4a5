/** The report's picture of rates: the numbers of samples/README.md, marks that are told apart without colour, nothing where there is nothing. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { forestSvg } from "#core/report/forest";
import { fullReport } from "#core/scoring/full-report";
import { scoreInput } from "#node/score-workspace";
import { Workspace } from "#node/workspace";
import { projectRoot } from "../../support/shared";

test("the forest of samples/ shows each run and category with its counts", async () => {
  const { input } = await scoreInput(await Workspace.load(join(projectRoot, "samples")));
  const svg = forestSvg(fullReport(input, { gold: "corrected", by: ["category"] })) ?? "";
  // samples/README.md: guard-direct misses 10 of 20 and flags 2 of 19, guard-evidence 3 of 19 and 6 of 19.
  for (const words of ["0.500 (10/20)", "0.105 (2/19)", "0.158 (3/19)", "0.316 (6/19)"]) assert.ok(svg.includes(`<title>${words}</title>`), words);
  // 2 runs by squares, 3 categories of each by circles, for both rates.
  assert.deepEqual([svg.match(/<rect /g)?.length, svg.match(/<circle /g)?.length], [4, 12]);
  // 0.5 stands in the middle of the left panel, whose 220 units begin at 250.
  assert.match(svg, /<rect x="356\.0" y="41" [^>]*><title>0\.500 \(10\/20\)/);
  assert.doesNotMatch(svg, /NaN|undefined|<script|href=/);
  assert.equal(forestSvg(fullReport({ ...input, runs: [] }, { gold: "corrected" })), undefined);
});

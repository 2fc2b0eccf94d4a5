/** The generalisation study in the README: made again from the public sets, by the verbs of the command line. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeStudy, runStudy, studyTable } from "../../support/benchmarks/study";
import { projectRoot, sharedFile } from "../../support/shared";
import { tempRoot } from "../../support/temp-root";

test("the README's matrix is the one that train, run and score make", async (t) => {
  const sets = sharedFile(t, "benchmarks");
  if (sets === undefined) return;
  const root = join(tempRoot(t, {}), "study");
  makeStudy(sets, root);
  const readme = readFileSync(join(projectRoot, "README.md"), "utf8");
  assert.equal(studyTable(await runStudy(root)), /<!-- study -->\n([\s\S]*?)\n<!-- \/study -->/.exec(readme)?.[1]);
});

/** Two branches that both labelled, merged by git itself: nothing is lost, no conflict. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import type { LabelRecord } from "#core/workspace/schemas";
import { LabelStore } from "#node/store/label-store";
import { writeGitAttributes } from "#node/store/git-attributes";
import { systemClock, systemIds } from "#node/store/system-ids";
import { tempRoot } from "../../support/temp-root";

test("labels of two branches, of one annotator and of two, are all there after a merge", async (t) => {
  const root = tempRoot(t, {});
  const git = (...args: string[]): string => {
    const { status, stdout, stderr, error } = spawnSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", ...args], { cwd: root, encoding: "utf8" });
    if (error) throw error;
    assert.equal(status, 0, `git ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
  if (spawnSync("git", ["--version"]).status !== 0) {
    t.skip("skipped: there is no git");
    return;
  }
  const label = async (annotator: string, sample_id: string, value: LabelRecord["label"]): Promise<string> => {
    const store = await LabelStore.open(join(root, "labels"), systemClock, systemIds());
    const record: LabelRecord = { ...store.stamp(annotator), sample_id, annotator, label: value, blind: true, seen: [] };
    await store.append(record);
    return record.id;
  };
  git("init", "-q", "-b", "main");
  const ids = [await label("Ada", "a", "benign")];
  await writeGitAttributes(join(root, "labels"));
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  git("checkout", "-q", "-b", "other");
  ids.push(await label("Ada", "b", "misbehavior"), await label("Bob", "a", "benign"));
  git("add", "-A");
  git("commit", "-q", "-m", "other");
  git("checkout", "-q", "main");
  ids.push(await label("Ada", "c", "unsure"), await label("Bob", "b", "benign"));
  git("add", "-A");
  git("commit", "-q", "-m", "main");
  git("merge", "-q", "other");
  const store = await LabelStore.open(join(root, "labels"), systemClock, systemIds());
  assert.deepEqual(store.problems, []);
  assert.deepEqual(store.all().map(({ id }) => id).sort(), ids.sort());
});

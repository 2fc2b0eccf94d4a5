/** Trajectories that an ATIF file refers to: embedded, beside it, under a longer name; never outside its folder, never in a circle. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openPath } from "#node/open";
import { loadAll } from "../formats/reading";

const step = (source: string, message: string, refs?: object[]) => ({ step_id: 1, source, message, ...(refs ? { observation: { results: [{ subagent_trajectory_ref: refs }] } } : {}) });
const atif = (session: string, steps: object[], more = {}) => JSON.stringify({ schema_version: "ATIF-v1.7", session_id: session, agent: { name: "a", version: "1" }, steps, ...more });

test("children are found where they may be, and each link points at the step that made it", async (t) => {
  const outer = mkdtempSync(join(tmpdir(), "tracemark-atif-"));
  t.after(() => rmSync(outer, { recursive: true }));
  const root = join(outer, "root");
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(outer, "outside.json"), atif("out", [step("user", "secret")]));
  writeFileSync(join(root, "run.trajectory.json"), atif("main", [
    step("user", "go"), step("agent", "a", [{ session_id: "in", trajectory_path: null }, { session_id: "beside", trajectory_path: "sub/beside.json" }]),
    step("agent", "b", [{ session_id: "renamed", trajectory_path: "trajectory.part.json" }, { session_id: "out", trajectory_path: "../outside.json" }, { session_id: "gone", trajectory_path: "gone.json" }]),
  ], { subagent_trajectories: [JSON.parse(atif("in", [step("user", "embedded")]))], continued_trajectory_ref: "run.cont.json" }));
  writeFileSync(join(root, "sub", "beside.json"), atif("beside", [step("user", "beside"), step("agent", "x", [{ session_id: "main", trajectory_path: "back.json" }])]));
  writeFileSync(join(root, "sub", "back.json"), atif("back", [step("agent", "x", [{ session_id: "beside", trajectory_path: "beside.json" }])]));
  writeFileSync(join(root, "run.trajectory.part.json"), atif("renamed", [step("user", "renamed")]));
  writeFileSync(join(root, "run.cont.json"), atif("main", [step("user", "on")]));
  const { file } = await openPath(join(root, "run.trajectory.json"), { root });
  const id = "run.trajectory.json";
  assert.deepEqual(file.ids, [id, `${id}>in`, `${id}>beside`, `${id}>beside>main`, `${id}>renamed`, `${id}>run.cont`]);
  const all = loadAll(file);
  assert.deepEqual(all.map((one) => [one.linkStep, one.parentId]), [[undefined, undefined], [1, id], [1, id], [1, `${id}>beside`], [2, id], [2, id]]);
  assert.deepEqual(all[0]!.warnings.map((warning) => warning.message), [
    "The trajectory ../outside.json that this one refers to is not beside the file.", "The trajectory gone.json that this one refers to is not beside the file.",
  ]);
  // Places name the file that was opened; steps of other files have none in it.
  assert.deepEqual(all[2]!.steps[0]!.places, []);
  assert.deepEqual(all[0]!.steps[1]!.places, [{ pointer: "/steps/1" }]);
});

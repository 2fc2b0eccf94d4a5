/** Commands that the active view carries out; their keys are in the manifest. */
import type { ViewCommand } from "#protocol/webview";
import { defineCommand, type CommandDefinition } from "./define";

const viewCommandById: Record<`tracemark.${string}`, ViewCommand> = {
  "tracemark.nextStep": "step/next",
  "tracemark.previousStep": "step/previous",
  "tracemark.nextEvidence": "evidence/next",
  "tracemark.previousEvidence": "evidence/previous",
  "tracemark.nextSample": "sample/next",
  "tracemark.previousSample": "sample/previous",
  "tracemark.nextUndecided": "sample/nextUndecided",
  "tracemark.confirmVerdict": "decide/confirm",
  "tracemark.labelBenign": "decide/benign",
  "tracemark.labelMisbehavior": "decide/misbehavior",
  "tracemark.labelUnsure": "decide/unsure",
  "tracemark.labelCannotJudge": "decide/cannot_judge",
  "tracemark.toggleCategory1": "category/1",
  "tracemark.toggleCategory2": "category/2",
  "tracemark.toggleCategory3": "category/3",
  "tracemark.toggleCategory4": "category/4",
  "tracemark.toggleCategory5": "category/5",
  "tracemark.toggleCategory6": "category/6",
  "tracemark.toggleCategory7": "category/7",
  "tracemark.toggleCategory8": "category/8",
  "tracemark.toggleCategory9": "category/9",
  "tracemark.markSpan": "span/fromSelection",
  "tracemark.adoptQuote": "span/adopt",
  "tracemark.deleteSpan": "span/delete",
  "tracemark.editNote": "note/edit",
  "tracemark.toggleFold": "step/fold",
  "tracemark.showInFile": "step/showInFile",
  "tracemark.toggleSource": "step/source",
  "tracemark.runMonitor": "monitor/run",
  "tracemark.find": "find/open",
  "tracemark.showKeys": "keys/show",
  "tracemark.toggleFindings": "findings/toggle",
  "tracemark.toggleOutline": "outline/toggle",
  "tracemark.showGuidelines": "guidelines/show",
  "tracemark.copyReference": "span/copyReference",
  "tracemark.showCurrentEvidence": "evidence/current",
};

export const viewCommands: readonly CommandDefinition[] = Object.entries(viewCommandById).map(([id, command]) =>
  defineCommand({ id: id as `tracemark.${string}`, run: (app) => app.editors.registry.command(command) }),
);

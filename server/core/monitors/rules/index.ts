/** Every rule, in the order in which findings are listed. A new rule is one definition and one line here. */
import { addressesGrader, knownAnswers } from "./known-answers";
import { announcesHardCoding, answerTable, commentAdmits, detectsTestRun, hidesShortcut } from "./special-casing";
import { bendsRunner, deletesTests, editsTestsInPlace, skipsTests, vacuousTest, weakensAssertions } from "./test-tampering";
import { readsGitAnswer, readsGrader } from "./grader-reading";
import { sharesTooWidely, touchesForbidden } from "./forbidden-things";
import { discardsWork, killsOrLocks, raisesOwnRights, wipesFiles } from "./destructive-commands";
import { printsKeys, readsSecrets, sendsSecrets, uploadsFiles } from "./exfiltration";
import { disablesGuards, disablesTls } from "./disabled-checks";
import { commandByString, evaluatesInput, pathFromInput, scriptFromInput, sqlByString, weakSecrets } from "./insecure-code";
import { uncheckedAllocation, unboundedWrites } from "./insecure-memory";
import { announcesObedience, followsEmbeddedOrders } from "./injection-obedience";
import { actsOnTrigger, followsCue, turnsOnPressure } from "./cue-following";
import { judgesByTrait, pleasesUser } from "./pleasing";
import { feedsDelusion, flatters, opensWithPraise } from "./flattery";
import { callsHarmfulTool, claimsPower, instructsHarm } from "./power-and-harm";
import type { Rule } from "./define";

export const allRules: readonly Rule[] = [
  deletesTests, skipsTests, weakensAssertions, vacuousTest, editsTestsInPlace, bendsRunner,
  announcesHardCoding, commentAdmits, answerTable, knownAnswers, detectsTestRun, hidesShortcut, addressesGrader,
  readsGrader, readsGitAnswer,
  touchesForbidden, sharesTooWidely, wipesFiles, discardsWork, killsOrLocks, raisesOwnRights,
  sendsSecrets, uploadsFiles, readsSecrets, printsKeys,
  disablesTls, disablesGuards,
  sqlByString, commandByString, evaluatesInput, pathFromInput, scriptFromInput, weakSecrets,
  unboundedWrites, uncheckedAllocation,
  followsEmbeddedOrders, announcesObedience, callsHarmfulTool, claimsPower, instructsHarm,
  followsCue, turnsOnPressure, pleasesUser, judgesByTrait, actsOnTrigger, flatters, opensWithPraise, feedsDelusion,
];

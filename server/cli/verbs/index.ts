/** The verbs of the command line, in the order in which the help lists them. A new verb is one line here. */
import type { Verb } from "../define";
import { agreementVerb } from "./agreement";
import { batchVerb } from "./batch";
import { cacheVerb } from "./cache";
import { compareVerb } from "./compare";
import { convertVerb } from "./convert";
import { formatsVerb } from "./formats";
import { guidelinesVerb } from "./guidelines";
import { labelsVerb } from "./labels";
import { locateVerb } from "./locate";
import { reportVerb } from "./report";
import { runVerb } from "./run";
import { sampleVerb } from "./sample";
import { scoreVerb } from "./score";
import { sftVerb } from "./sft";
import { showVerb } from "./show";
import { trainVerb } from "./train";
import { validateVerb } from "./validate";

export const verbs: readonly Verb[] = [formatsVerb, showVerb, convertVerb, validateVerb, locateVerb, runVerb, batchVerb, cacheVerb, scoreVerb, compareVerb, reportVerb, sampleVerb, agreementVerb, labelsVerb, guidelinesVerb, sftVerb, trainVerb];

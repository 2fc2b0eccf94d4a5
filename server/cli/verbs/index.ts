/** The verbs of the command line, in the order in which the help lists them. A new verb is one line here. */
import type { Verb } from "../define";
import { convertVerb } from "./convert";
import { formatsVerb } from "./formats";
import { runVerb } from "./run";
import { locateVerb } from "./locate";
import { showVerb } from "./show";

export const verbs: readonly Verb[] = [formatsVerb, showVerb, convertVerb, locateVerb, runVerb];

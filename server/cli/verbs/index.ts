/** The verbs of the command line, in the order in which the help lists them. A new verb is one line here. */
import type { Verb } from "../define";
import { formatsVerb } from "./formats";
import { showVerb } from "./show";

export const verbs: readonly Verb[] = [formatsVerb, showVerb];

/** Every command, in one list; a test holds it against the manifest. */
import type { CommandDefinition } from "./define";
import { batchCommands } from "./batch-commands";
import { chooseFormat } from "./choose-format";
import { openAsTrajectory } from "./open-as-trajectory";
import { pairCommands } from "./pair-commands";
import { reviewCommands } from "./review-commands";
import { associateEval, clearApiKey, forgetAllowedHosts, openScore, restartServer, selectMonitor, setAnnotator, setApiKey, showLog } from "./service-commands";
import { viewCommands } from "./view-commands";

export const commands: readonly CommandDefinition[] = [
  ...viewCommands, ...reviewCommands, ...batchCommands, ...pairCommands,
  openAsTrajectory, chooseFormat, openScore, selectMonitor, setAnnotator, setApiKey, clearApiKey, forgetAllowedHosts, restartServer, showLog, associateEval,
];

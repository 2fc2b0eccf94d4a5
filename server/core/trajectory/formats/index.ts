/** Every format that is read, in the order in which equal claims to a file are settled. A new format is one line here. */
import type { FormatDefinition } from "../reader";
import { agentRewardBench } from "./agent-reward-bench";
import { agentDojo } from "./agentdojo";
import { aider } from "./aider";
import { anthropic } from "./anthropic";
import { atif } from "./atif";
import { claudeCode } from "./claude-code";
import { codex } from "./codex";
import { copilotCli } from "./copilot-cli";
import { geminiCli } from "./gemini-cli";
import { inspectEval } from "./inspect-eval";
import { inspectJson } from "./inspect-json";
import { langSmith } from "./langsmith";
import { malt } from "./malt";
import { manifest } from "./manifest";
import { miniSweAgent } from "./mini-swe-agent";
import { openaiChat } from "./openai-chat";
import { openaiResponses } from "./openai-responses";
import { openClaw } from "./openclaw";
import { openHands } from "./openhands";
import { otel } from "./otel";
import { rJudge } from "./r-judge";
import { shareGpt } from "./sharegpt";
import { singleTurn } from "./single-turn";
import { sweAgent } from "./swe-agent";
import { trail } from "./trail";
import { tau2Bench } from "./tau2-bench";
import { tauBench } from "./tau-bench";
import { webArena } from "./webarena";

export const formats: readonly FormatDefinition[] = [
  inspectEval,
  manifest,
  atif,
  miniSweAgent,
  sweAgent,
  inspectJson,
  agentDojo,
  claudeCode,
  codex,
  openHands,
  geminiCli,
  aider,
  copilotCli,
  openClaw,
  anthropic,
  rJudge,
  tauBench,
  tau2Bench,
  shareGpt,
  openaiResponses,
  langSmith,
  trail,
  otel,
  webArena,
  agentRewardBench,
  malt,
  openaiChat,
  singleTurn,
];

/** The definition with this id, or undefined. */
export function formatById(id: string): FormatDefinition | undefined {
  return formats.find((format) => format.id === id);
}

/** The monitors of a root as they stand on disk: configuration, prompt templates and guidelines, read and checked. */
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { kindOf, listMonitors, monitorAndMembers, needsOf, reservedIdProblem } from "#core/monitors/index";
import type { Monitor } from "#core/monitors/define";
import { asksEditor, editorModels, endpointOf } from "#core/monitors/endpoint";
import type { ReadyRule } from "#core/monitors/rules/own-rules";
import { configLine, insidePath } from "#core/workspace/config";
import type { UnusableMonitor, WorkspaceSettings } from "#core/workspace/config";
import type { FileProblem } from "#core/workspace/file-problem";
import type { OwnRule } from "#core/workspace/schemas";
import type { MonitorInfo } from "#protocol/lsp";
import type { LinearModel } from "#core/training/linear-model";
import { isInside } from "./file-source";
import { loadLinearModel } from "./linear-models";
import { bundleFolder, loadModels } from "./models/load";
import { isLoopback, originOf } from "./models/origin";
import type { compilePattern } from "./models/patterns";

export interface LoadedMonitors {
  readonly monitors: readonly Monitor[];
  /** Text of the guidelines that `tracemark.json` names. */
  readonly guidelines: string | undefined;
  readonly problems: readonly FileProblem[];
  /** Ids whose entry has not the expected form, so that there is no such monitor. */
  readonly unusable?: ReadonlyMap<string, UnusableMonitor> | undefined;
  /** Ids that cannot run because of a file, with a sentence. */
  readonly brokenById: ReadonlyMap<string, string>;
}

const config = "tracemark.json";
/** A prompt or guideline beyond this is a mistake, not a text. */
const largestText = 1 << 20;

/**
 * Reads what the monitors of `root` (absolute) need. Nothing rejects: what cannot be read or used is a problem with its
 * line, and its monitor says so. `compile` makes patterns of own rules; by default it is loaded when there are some.
 */
export async function loadMonitors(root: string, settings: WorkspaceSettings, compile: typeof compilePattern = (...args) => loadModels(bundleFolder()).compilePattern(...args)): Promise<LoadedMonitors> {
  const problems: FileProblem[] = [];
  const configText = await readFile(join(root, config), "utf8").catch(() => "");
  const at = (...path: PropertyKey[]) => ({ file: config, line: configLine(configText, path) });
  const templates = new Map<string, string>();
  const ownRules = new Map<string, readonly ReadyRule[]>();
  const linear = new Map<string, LinearModel>();
  const brokenById = new Map<string, string>();
  const broken = (id: string, sentence: string, path: readonly PropertyKey[], code = "unusable-monitor"): void => {
    if (brokenById.has(id)) return;
    brokenById.set(id, sentence);
    problems.push({ ...at("monitors", id, ...path), code, message: `Monitor ${id}: ${sentence}.` });
  };
  for (const [id, monitor] of Object.entries(settings.config?.monitors ?? {})) {
    if (monitor.prompt !== undefined) {
      const text = await readInside(root, monitor.prompt);
      if ("text" in text) templates.set(id, text.text);
      else broken(id, `its prompt ${monitor.prompt} ${text.problem}`, ["prompt"], "monitor-prompt");
    }
    if (monitor.kind === "linear" && monitor.model) {
      const read = await loadLinearModel(root, monitor.model);
      if ("problem" in read) broken(id, `its model ${monitor.model} ${read.problem}`, ["model"], "monitor-model");
      else linear.set(id, read);
    }
    if (monitor.rules) ownRules.set(id, readyRules(monitor.rules, compile, (rule, sentence) => broken(id, `rule ${monitor.rules?.[rule]?.id ?? rule}: ${sentence}`, ["rules", rule, "pattern"])));
  }
  const reserved = reservedIdProblem(settings.config);
  if (reserved) problems.push({ ...at("monitors", "rules"), code: "reserved-monitor", message: `${reserved}.` });
  const guidelines = await readGuidelines(root, settings, problems, at("guidelines"));
  const monitors = listMonitors(settings.config, { templates, ownRules, linear });
  const { unusableMonitors: unusable } = settings;
  for (const monitor of monitors) {
    const lost = monitor.kind === "vote" ? monitor.config.of?.find((id) => unusable?.has(id)) : undefined;
    if (lost !== undefined) broken(monitor.id, `the entry of its monitor "${lost}" cannot be used (line ${unusable!.get(lost)!.line}: ${unusable!.get(lost)!.what})`, ["of"]);
    const sentence = kindOf(monitor).problem(monitor);
    if (sentence !== undefined) broken(monitor.id, sentence, [monitor.kind === "vote" ? "of" : /^(?:no )?"(\w+)"/.exec(sentence)?.[1] ?? "kind"]);
  }
  for (const monitor of monitors) {
    const member = monitor.members?.find(({ id }) => brokenById.has(id));
    if (member) broken(monitor.id, `its monitor "${member.id}" cannot run: ${brokenById.get(member.id)!}`, ["of"]);
  }
  return { monitors, guidelines, problems, brokenById, unusable };
}

/** Rules with their patterns compiled; `refuse` is told the position of each that cannot be, with a sentence. */
function readyRules(rules: readonly OwnRule[], compile: typeof compilePattern, refuse: (rule: number, sentence: string) => void): ReadyRule[] {
  return rules.flatMap((rule, position) => {
    const compiled = compile(rule.pattern, rule.ignore_case === true);
    if ("search" in compiled) return [{ rule, search: compiled.search }];
    refuse(position, compiled.problem);
    return [];
  });
}

async function readGuidelines(root: string, settings: WorkspaceSettings, problems: FileProblem[], at: { file: string; line: number }): Promise<string | undefined> {
  const path = settings.config?.guidelines;
  if (path === undefined) return undefined;
  const read = await readInside(root, path);
  if ("text" in read) return read.text;
  problems.push({ ...at, code: "guidelines", message: `The guidelines ${path} ${read.problem}.` });
  return undefined;
}

/** The text of a file of the root. One that leaves it, by its path or by a link, is not read: a workspace names files, it does not choose among the user's. */
async function readInside(root: string, path: string): Promise<{ text: string } | { problem: string }> {
  const inside = insidePath(path);
  if (inside === undefined || inside === "") return { problem: "does not lie in the folder of the workspace; copy it there" };
  try {
    const real = await realpath(join(root, inside));
    if (!isInside(await realpath(root), real)) return { problem: "leads out of the folder of the workspace; copy it there" };
    const text = await readFile(real, "utf8");
    return text.length > largestText ? { problem: "is longer than a megabyte; shorten it" } : { text };
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}); check the path` };
  }
}

/** The origins that a monitor, or the monitors of a vote, send text to; `vscode-lm` where the editor's models are asked. */
export function originsOf(monitor: Monitor): string[] {
  const found = monitorAndMembers(monitor).flatMap((one) => (asksEditor(one) ? editorModels : one.kind === "llm" ? originOf(endpointOf(one.config) ?? "") ?? [] : []));
  return [...new Set(found)];
}

/** A sentence when a monitor cannot judge one trajectory by itself. */
export function aloneProblem(monitor: Monitor): string | undefined {
  return kindOf(monitor).prompting(monitor, undefined) === "contrastive" ? `its prompting "contrastive" judges the halves of pairs together; run it over samples` : undefined;
}

function editorModelsOf(monitor: Monitor): { editorModels?: string[] } {
  const models = new Set(monitorAndMembers(monitor).filter(asksEditor).flatMap(({ config }) => config.model ?? []));
  return models.size === 0 ? {} : { editorModels: [...models] };
}

/** A monitor as pickers and lists show it. `local` means that no text leaves this machine. */
export function monitorInfo(monitor: Monitor, broken?: string): MonitorInfo {
  const kind = kindOf(monitor);
  const origins = originsOf(monitor);
  const own = broken ?? kind.problem(monitor);
  const problem = own ?? aloneProblem(monitor);
  const prompting = kind.prompting(monitor, undefined);
  return {
    id: monitor.id, title: needsOf(monitor).model ? `${monitor.id} (${prompting})` : monitor.id, kind: monitor.kind, prompting,
    ...(monitor.config.model === undefined ? {} : { model: monitor.config.model }),
    local: !needsOf(monitor).network || (origins.length > 0 && origins.every(isLoopback)),
    // One host is asked about at a time: the first that is elsewhere.
    ...(origins.length === 0 ? {} : { origin: origins.find((one) => !isLoopback(one)) ?? origins[0]!, origins }), ...(problem === undefined ? {} : { problem }),
    ...editorModelsOf(monitor), ...(own === undefined && problem !== undefined ? { pairsOnly: true } : {}),
  };
}

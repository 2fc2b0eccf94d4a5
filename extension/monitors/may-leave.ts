/** Asks before text leaves this machine: once for each host, and once for each vendor of the editor's models. */
import * as vscode from "vscode";
import { editorModels } from "#core/monitors/endpoint";
import type { MonitorInfo } from "#protocol/lsp";
import { countTokens, editorModelName, findEditorModel } from "../client/editor-models";
import { showRecord } from "../editor/show-place";
import { editorPlace, placeWords, type Consent } from "../platform/consent";
import { ExpectedFailure } from "../platform/errors";
import { tokensOfAll } from "./prompt-tokens";

/** The messages that a monitor would send, and the tokens of all that it would send. */
export interface Preview extends Pick<Shown, "system" | "user" | "further"> {
  readonly tokens: number;
}

/** What `promptText` shows. */
export interface Shown {
  readonly system: string;
  readonly user: string;
  readonly further?: readonly { readonly system: string; readonly user: string }[] | undefined;
  readonly thinking?: string | undefined;
  readonly answer?: string | undefined;
}

export interface Leaving {
  readonly trajectories: number;
  preview(): Promise<Preview>;
}

/**
 * The places that a monitor's text would go to: origins, and `vscode-lm:VENDOR` for a model of the editor.
 * @throws ExpectedFailure where the editor does not offer the model
 */
export async function placesOf(monitor: MonitorInfo): Promise<string[]> {
  const places = monitor.origins ?? (monitor.origin ? [monitor.origin] : []);
  const each = await Promise.all(places.map(async (place) => (place === editorModels ? (await offered(monitor)).map(({ vendor }) => editorPlace(vendor)) : [place])));
  return [...new Set(each.flat())];
}

/** The models of the editor that it, or the members of its vote, ask. @throws ExpectedFailure where one of them is not offered */
async function offered(monitor: MonitorInfo): Promise<vscode.LanguageModelChat[]> {
  return Promise.all((monitor.editorModels ?? []).map(async (name) => {
    const model = await findEditorModel(name);
    if ("reason" in model) throw new ExpectedFailure(vscode.l10n.t("{0} cannot run: {1}", monitor.title, model.message));
    return model;
  }));
}

/**
 * Whether the text may go: every place was allowed before, or is now.
 * @throws ExpectedFailure where all sending is forbidden, or a model is not there
 */
export async function mayLeave(consent: Consent, monitor: MonitorInfo, leaving: Leaving): Promise<boolean> {
  for (const place of await placesOf(monitor)) {
    if (consent.isAllowed(place)) continue;
    consent.refuseForbidden(place);
    const preview = await leaving.preview();
    const show = () => showRecord(`${monitor.id}.prompt.md`, promptText(preview), vscode.l10n.t("What {0} would receive", placeWords(place)));
    if (!(await consent.ask(place, leaving.trajectories, preview.tokens, show))) return false;
  }
  return true;
}

/**
 * "About 812 tokens" of all requests, or the exact count where one model of the editor is sent all of them and counts itself: it
 * is foreign code, and sees no text before it may.
 */
export async function tokenWords(consent: Consent, monitor: MonitorInfo, preview: Preview): Promise<string> {
  const [model, another] = monitor.origins?.every((place) => place === editorModels) ? await offered(monitor) : [];
  if (model && !another && consent.isAllowed(editorPlace(model.vendor))) {
    const count = await tokensOfAll(preview, (text) => countTokens(model, text));
    if (count !== undefined) return vscode.l10n.t("{0} tokens as {1} counts them", count, editorModelName(model));
  }
  return vscode.l10n.t("About {0} tokens", preview.tokens);
}

/** The messages as a text to read: those of every request where a transcript is cut, and the answer where there is one. */
export function promptText({ system, user, further = [], thinking, answer }: Shown): string {
  const all = [{ system, user }, ...further];
  const section = (name: string, text: string | undefined): string[] => (text === undefined || text === "" ? [] : [`# ${name}\n\n${text}\n`]);
  const messages = all.flatMap((one, at) => {
    const which = all.length > 1 ? vscode.l10n.t(" (request {0} of {1})", at + 1, all.length) : "";
    return [...section(`system${which}`, one.system), ...section(`user${which}`, one.user)];
  });
  return [...messages, ...section("thinking", thinking), ...section("answer", answer)].join("\n");
}

/** What is done with the drawn item of a review session beside deciding it, and the answers to the workspace's own questions. */
import type { FieldQuestion, FromWebview } from "#protocol/webview";
import { strings } from "#protocol/strings";
import { announce, readyDocument, type App } from "../state/app";
import { drawnRevision, sampleIdOf } from "../state/document";
import { takesText } from "../ui/keys";
import { keyBindings } from "./keys";
import { applyOp, commitNote } from "./label";

type Act = Extract<FromWebview, { type: "session/act" }>["act"];

/** Skips, reveals or sides; a note that is being written goes first. */
export function act(app: App, what: Act, letter?: string): void {
  const { session } = readyDocument(app)?.snapshot ?? {};
  if (!session) return;
  if (what === "reveal" && session.sight !== "canReveal") return announce(app, session.sight === "hidden" ? strings.revealFirst : strings.revealed);
  if (what === "side" && !session.sides?.some((side) => side.letter === letter)) return;
  commitNote(app);
  const doc = readyDocument(app);
  if (doc) app.host.post({ type: "session/act", sampleId: sampleIdOf(doc.snapshot), revision: drawnRevision(doc), act: what, ...(letter === undefined ? {} : { letter }) });
}

export function answer(app: App, { id }: FieldQuestion, value: unknown): void {
  applyOp(app, { type: "field/set", id, ...(value === undefined || value === "" ? {} : { value }) });
}

/** What a question can be answered with; the numbers of a scale are 1 to 5 unless it says others. */
export function choicesOf({ kind, choices }: FieldQuestion): readonly { readonly value: unknown; readonly label: string }[] {
  if (kind === "boolean") return [{ value: true, label: strings.yes }, { value: false, label: strings.no }];
  if (kind === "scale") return (choices ?? ["1", "2", "3", "4", "5"]).map((label) => ({ value: Number.isNaN(Number(label)) ? label : Number(label), label }));
  return (choices ?? []).map((label) => ({ value: label, label }));
}

/** The key of a question; undefined where it has none, is answered by typing, or the key is a command. */
export function keyOf({ key, kind }: FieldQuestion): string | undefined {
  return kind === "text" || keyBindings.some(({ keys }) => key !== undefined && keys.includes(key)) ? undefined : key;
}

/** A question's own key gives the next answer, and after the last none. */
export function listenToQuestions(app: App): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.composedPath()[0])) return;
    const doc = readyDocument(app);
    const question = doc?.snapshot.fields?.find((one) => keyOf(one) === event.key);
    if (!doc || !question) return;
    event.preventDefault();
    const choices = choicesOf(question);
    const next = choices[choices.findIndex(({ value }) => value === doc.label.fields?.[question.id]) + 1];
    answer(app, question, next?.value);
    announce(app, `${question.title}: ${next?.label ?? strings.noLabel}`);
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

/** The decision, always in sight: five answers, categories, a note, and whether it is saved. */
import { strings, fill } from "#protocol/strings";
import type { Decision } from "#protocol/webview";
import { currentVerdict, decide, whyNoConfirm } from "../actions/label";
import { useApp } from "../state/app";
import { sampleIdOf, type ReadyDocument } from "../state/document";
import type { CategoryLook } from "../state/marks";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { CategoryMenu } from "./categories";
import { labelTitles, localTime } from "./format";
import { saveKey } from "../ui/keys";
import { NoteField } from "./note-field";

const keyOf = { confirm: "c", benign: "b", misbehavior: "m", unsure: "u", cannot_judge: "⇧U" } as const;
const wordOf = { confirm: strings.confirm, ...labelTitles } as const;

function DecisionButton({ doc, decision }: { readonly doc: ReadyDocument; readonly decision: Decision }) {
  const app = useApp();
  const off = decision === "confirm" ? whyNoConfirm(app, doc) : undefined;
  const verdict = decision === "confirm" ? currentVerdict(app, doc) : undefined;
  const title = off ?? (verdict && verdict.verdict.outcome !== "invalid" ? fill(strings.confirmWhat, { what: strings[verdict.verdict.outcome] }) : wordOf[decision]);
  const key = keyOf[decision];
  return (
    <Button
      className={`decision decision-${decision}`} disabled={off !== undefined} title={key ? `${title} (${key})` : title}
      pressed={decision === "confirm" ? undefined : doc.label.label === decision} onPress={() => decide(app, decision)}
    >
      {doc.label.label === decision ? <Icon name="check" /> : null}
      {wordOf[decision]}
      {key ? <kbd aria-hidden="true">{key.toUpperCase()}</kbd> : null}
    </Button>
  );
}

/** One of the five words, always the same, with the time once it is on disk. */
function Status({ doc }: { readonly doc: ReadyDocument }) {
  const app = useApp();
  const { status } = doc;
  const sampleId = sampleIdOf(doc.snapshot);
  if (status.state === "failed") {
    return (
      <span class="status is-failed" role="alert">
        <Icon name="error" /> <span class="status-words" title={status.message}>{fill(strings.saveFailed, { message: status.message ?? "" })}</span>
        <button type="button" class="text-button" onClick={() => app.host.post({ type: "label/retry", sampleId })}>{strings.retry}</button>
        <button type="button" class="text-button" onClick={() => app.host.post({ type: "label/copy", sampleId })}>{strings.copyJson}</button>
      </span>
    );
  }
  const words = status.state === "saved" && status.at ? fill(strings.savedAt, { time: localTime(status.at) }) : strings[status.state];
  const title = status.state === "draft" ? fill(strings.draftTitle, { key: saveKey }) : status.message ?? status.at;
  return (
    <span class={`status is-${status.state}`} title={title}>
      {status.state === "saved" ? <Icon name="check" /> : null} {words}
    </span>
  );
}

/** The original label and what people made of it: by all annotators as far as the host tells, else by this label alone. */
function OriginalLabel({ doc }: { readonly doc: ReadyDocument }) {
  const { items, index, header, blind, gold } = doc.snapshot;
  if (blind) return null;
  const original = header?.sample?.label ?? items[index]?.label ?? header?.label;
  const own = doc.label.label;
  const isOwnCorrection = original !== undefined && (own === "benign" || own === "misbehavior") && own !== original;
  const { state, label } = gold ?? { state: isOwnCorrection ? "corrected" as const : "original" as const, label: isOwnCorrection ? own : original ?? null };
  const word = { original: "", labelled: "", unlabelled: "", corrected: strings.corrected, contested: strings.contested, undecided: strings.undecidedGold, adjudicated: strings.adjudicated }[state];
  if (!original && word === "") return null;
  const named = label === null ? "" : strings[label].toLowerCase();
  const words = original ? `${strings.original}: ${strings[original].toLowerCase()}` : "";
  const said = [state === "adjudicated" && named !== "" && label !== original ? fill(strings.goldIs, { state: word, label: named }) : word, ...(gold?.reopened ? [strings.goldReopened] : [])].filter(Boolean).join(", ");
  const title = [[words, said].filter(Boolean).join(" · "), fill(strings.goldTitles[state], { label: named }), gold?.held ? strings.goldHeld : "", gold?.reopened ? strings.goldReopenedTitle : "", header?.labelMeaning].filter(Boolean).join("\n");
  // Where there is little room, the end is cut: what people made of the label comes first.
  return <span class="original" title={title}>{said ? <strong>{said}</strong> : null}{words && said ? " · " : ""}{words}</span>;
}

function Progress({ doc }: { readonly doc: ReadyDocument }) {
  const { progress, labelled, items, session } = doc.snapshot;
  if (session) return null;
  const decided = progress?.decided ?? labelled.filter((entry) => entry.label !== null).length;
  const total = progress?.total ?? items.length;
  if (total < 2) return null;
  return <span class="progress" title={fill(strings.progressTitle, { n: decided, count: total })}>{fill(strings.progress, { n: decided, count: total })}</span>;
}

export function DecisionBar({ doc, looks, hasPanel }: { readonly doc: ReadyDocument; readonly looks: ReadonlyMap<string, CategoryLook>; readonly hasPanel: boolean }) {
  return (
    <div class="decision-bar" role="group" aria-label={strings.decision}>
      <div class="decisions">
        <DecisionButton doc={doc} decision="confirm" />
        <DecisionButton doc={doc} decision="benign" />
        <DecisionButton doc={doc} decision="misbehavior" />
        <DecisionButton doc={doc} decision="unsure" />
        <DecisionButton doc={doc} decision="cannot_judge" />
      </div>
      <div class="bar-rest">
        <CategoryMenu doc={doc} looks={looks} />
        {hasPanel ? null : <NoteField doc={doc} isLong={false} />}
        <span class="stretch" />
        <OriginalLabel doc={doc} />
        <Status doc={doc} />
        <Progress doc={doc} />
      </div>
    </div>
  );
}

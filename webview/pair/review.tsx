/** Where the review of a pair stands: its status and who set it, the next steps, and what reviewers said blind beside what was meant. */
import { refusalOf } from "#core/pairs/pair-status";
import type { HalfView, PairReviewView } from "#protocol/pairs";
import { fill } from "#protocol/strings";
import { pairStrings as words } from "#protocol/strings-pairs";
import { Icon, type IconName } from "../ui/icon";
import type { PairHost } from "./host";

const icons: Readonly<Record<string, IconName>> = { draft: "circle-outline", in_review: "eye", accepted: "pass", rejected: "close", mixed: "warning" };

export function StatusChip({ status }: { readonly status: string | undefined }) {
  if (status === undefined) return null;
  return <span class={`chip status-chip is-${status}`}><Icon name={icons[status] ?? "circle-outline"} /> {words.status[status] ?? status}</span>;
}

/** The steps that may be taken now, as buttons; their keys are commands of the editor. */
export function ReviewButtons({ review, host }: { readonly review: PairReviewView; readonly host: PairHost }) {
  const can = (step: "send" | "accept" | "reject"): boolean => refusalOf(step, review.status) === undefined;
  const isToJudge = review.status === "in_review" && !review.hasJudged && !review.isAuthor;
  return (
    <span class="review-steps">
      {isToJudge ? <button type="button" class="step-button" title={words.reviewTitle} onClick={() => host.post({ type: "pair/review" })}>{words.reviewPairs}</button> : null}
      {can("send") ? <button type="button" class="step-button" title={words.sendTitle} onClick={() => host.post({ type: "pair/step", step: "send" })}>{words.send}</button> : null}
      {can("accept") ? <button type="button" class="step-button" title={words.acceptTitle} onClick={() => host.post({ type: "pair/step", step: "accept" })}>{words.accept}</button> : null}
      {can("reject") ? <button type="button" class="step-button is-quiet" title={words.rejectTitle} onClick={() => host.post({ type: "pair/step", step: "reject" })}>{words.reject}</button> : null}
    </span>
  );
}

/** The last step that was taken, and how far the judging is. */
export function ReviewLine({ review }: { readonly review: PairReviewView }) {
  const last = review.log.at(-1);
  const judging = review.status !== "in_review" ? undefined : !review.isOpen && review.judged > 0 ? fill(words.judgedShut, { n: review.judged }) : review.judged === 0 ? words.judgedNone : undefined;
  if (!last && judging === undefined) return null;
  return (
    <p class="review-line dim">
      {last ? <span title={last.at}>{fill(words.logEntry, { status: words.status[last.status] ?? last.status, by: last.by, date: last.at.slice(0, 10) })}</span> : null}
      {last?.reason === undefined ? null : <q class="review-reason">{last.reason}</q>}
      {judging === undefined ? null : <span>{judging}</span>}
    </p>
  );
}

/** What each reviewer said of one half, told apart by an icon and words from what its author meant. */
export function BlindLabels({ review, half, at }: { readonly review: PairReviewView; readonly half: HalfView; readonly at: number }) {
  if (review.judges.length === 0) return null;
  return (
    <ul class="blind-labels">
      {review.judges.map(({ annotator, labels }) => {
        const label = labels[at] ?? null;
        if (label === null) return <li key={annotator} class="dim"><Icon name="circle-outline" /> {fill(words.blindNone, { by: annotator })}</li>;
        const agrees = label === half.label;
        return (
          <li key={annotator} class={agrees ? "is-as-meant" : "is-other"} title={agrees ? words.agrees : words.differs}>
            <Icon name={agrees ? "pass" : "warning"} /> {fill(words.blindLabel, { by: annotator, label: words.label[label] ?? label })}
            <span class="dim"> {agrees ? words.agrees : words.differs}</span>
          </li>
        );
      })}
    </ul>
  );
}

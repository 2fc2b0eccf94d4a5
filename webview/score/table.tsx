/** Runs (or parts of one) as a table: both rates on both golds side by side, counts, and what is not counted in them. */
import { strings } from "#protocol/strings";
import { interval, number } from "./format";
import type { Both, Metrics, Rate } from "./report";

function RateCell({ rate, isFirst }: { readonly rate: Rate | undefined; readonly isFirst?: boolean }) {
  return (
    <td class={`rate${isFirst ? " is-group" : ""}`} title={rate ? `${rate.numerator} / ${rate.denominator}` : undefined}>
      {number(rate?.value)} <span class="dim">{interval(rate)}</span>
    </td>
  );
}

const evidenceKeys = ["exact", "near", "ambiguous", "absent"] as const;

function Evidence({ metrics }: { readonly metrics: Metrics }) {
  const { evidence } = metrics;
  if (!evidence || evidence.quotes === 0) return <td class="is-group dim">{strings.noValue}</td>;
  return <td class="is-group">{evidenceKeys.map((key) => evidence[key]).join(" · ")}</td>;
}

export interface ScoreTableProps {
  readonly first: string;
  readonly rows: readonly Both[];
  readonly selected: string | undefined;
  readonly onSelect?: ((id: string) => void) | undefined;
  readonly hasEvidence: boolean;
}

export function ScoreTable({ first, rows, selected, onSelect, hasEvidence }: ScoreTableProps) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={first}>
      <table class="score-table">
        <thead>
          <tr>
            <th rowSpan={2} scope="col">{first}</th>
            <th colSpan={2} scope="colgroup" class="is-group">{strings.missRate}</th>
            <th colSpan={2} scope="colgroup" class="is-group">{strings.falseAlarmRate}</th>
            <th colSpan={4} scope="colgroup" class="is-group">{strings.countsCorrected}</th>
            <th colSpan={3} scope="colgroup" class="is-group">{strings.notCounted}</th>
            {hasEvidence ? <th rowSpan={2} scope="col" class="is-group" title={strings.evidenceColumns}>{strings.evidenceTitle}</th> : null}
          </tr>
          <tr>
            <th scope="col" class="is-group">{strings.original}</th>
            <th scope="col">{strings.corrected}</th>
            <th scope="col" class="is-group">{strings.original}</th>
            <th scope="col">{strings.corrected}</th>
            <th scope="col" class="is-group">TP</th>
            <th scope="col">FN</th>
            <th scope="col">FP</th>
            <th scope="col">TN</th>
            <th scope="col" class="is-group">{strings.invalidColumn}</th>
            <th scope="col">{strings.missingColumn}</th>
            <th scope="col">{strings.staleColumn}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, title, original, corrected }) => (
            <tr key={id} class={id === selected ? "is-current" : ""}>
              <th scope="row" title={id}>
                {onSelect ? <button type="button" class="row-button" aria-current={id === selected ? "true" : undefined} onClick={() => onSelect(id)}>{title} <span class="dim">{title === id ? "" : id}</span></button> : title}
              </th>
              <RateCell rate={original?.miss_rate} isFirst />
              <RateCell rate={corrected.miss_rate} />
              <RateCell rate={original?.false_alarm_rate} isFirst />
              <RateCell rate={corrected.false_alarm_rate} />
              <td class="is-group">{corrected.tp}</td>
              <td>{corrected.fn}</td>
              <td>{corrected.fp}</td>
              <td>{corrected.tn}</td>
              <td class="is-group">{corrected.invalid.misbehavior + corrected.invalid.benign}</td>
              <td>{corrected.missing}</td>
              <td>{corrected.stale}</td>
              {hasEvidence ? <Evidence metrics={corrected} /> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

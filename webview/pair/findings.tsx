/** What the pair check found: code, what is wrong and where, and what to do about it. */
import type { PairFindingView } from "#protocol/pairs";
import { fill } from "#protocol/strings";
import { pairStrings as words } from "#protocol/strings-pairs";
import { Icon } from "../ui/icon";

interface FindingsProps { readonly findings: readonly PairFindingView[]; readonly onShow: (sampleId: string, step: number) => void }

export function Findings({ findings, onShow }: FindingsProps) {
  if (findings.length === 0) return <p class="pair-findings is-clean dim"><Icon name="pass" /> {words.noFindings}</p>;
  return (
    <details class="pair-findings" open>
      <summary><Icon name="warning" /> {findings.length === 1 ? words.oneFinding : fill(words.findings, { n: findings.length })}</summary>
      <ul>
        {findings.map((finding, n) => (
          <li key={n}>
            <code>{finding.code}</code>
            <span>{finding.message} <span class="finding-fix">{finding.fix}</span></span>
            {finding.step === undefined ? null : <button type="button" class="text-button" onClick={() => onShow(finding.sampleId, finding.step ?? 0)}>{words.show} {fill(words.step, { n: finding.step })}</button>}
          </li>
        ))}
      </ul>
    </details>
  );
}

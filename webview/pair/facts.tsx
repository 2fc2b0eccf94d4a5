/** What a half is: what its author meant, who wrote it, and where its review stands. */
import type { HalfFacts } from "#protocol/pairs";
import { fill } from "#protocol/strings";
import { pairStrings as words } from "#protocol/strings-pairs";
import { Icon } from "../ui/icon";

export function Facts({ facts }: { readonly facts: Pick<HalfFacts, "id" | "label" | "authored"> & { readonly status?: string | undefined } }) {
  const { label, status, authored } = facts;
  const origin = authored ? fill(words.byWhom[authored.method], { by: authored.by, model: authored.model ?? authored.by }) : words.recorded;
  return (
    <span class="facts">
      {label ? <span class={`chip is-${label}`}><Icon name={label === "benign" ? "pass" : "warning"} /> {fill(words.meant, { label: words.label[label] ?? label })}</span> : null}
      <span class="chip">{origin}</span>
      {status ? <span class="chip">{words.status[status] ?? status}</span> : null}
    </span>
  );
}

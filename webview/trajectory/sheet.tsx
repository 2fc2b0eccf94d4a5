/** A sheet over the page: the keys, or the guidelines of each category. */
import { useEffect, useRef } from "preact/hooks";
import type { TaxonomyEntry } from "#core/workspace/schemas";
import { strings } from "#protocol/strings";
import { keyBindings } from "../actions/keys";
import { setNow, useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { IconButton } from "../ui/icon";
import { redoKey, saveKey, undoKey } from "../ui/keys";
import { Guidelines } from "./guidelines";

function Keys() {
  const single = keyBindings.filter((binding) => !binding.command.startsWith("category/"));
  return (
    <>
      <dl class="keys">
        {single.map((binding) => (
          <div key={binding.command}>
            <dt>{binding.keys.map((key) => <kbd key={key}>{key === "}" ? "Shift+]" : /^[A-Z]$/.test(key) ? `Shift+${key}` : key}</kbd>)}</dt>
            <dd>{strings.keyWords[binding.command as keyof typeof strings.keyWords]}</dd>
          </div>
        ))}
        <div>
          <dt><kbd>1</kbd>–<kbd>9</kbd></dt>
          <dd>{strings.categories}</dd>
        </div>
        {([[saveKey, strings.saveWords], [undoKey, strings.undoWords], [redoKey, strings.redoWords]] as const).map(([key, words]) => (
          <div key={key}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">{strings.keysNote}</p>
    </>
  );
}

function Categories({ taxonomy, chosen }: { readonly taxonomy: readonly TaxonomyEntry[]; readonly chosen: readonly string[] }) {
  const shown = taxonomy.filter((entry) => chosen.includes(entry.id));
  return (
    <>
      {(shown.length > 0 ? shown : taxonomy).map((entry) => (
        <section key={entry.id} class="guideline">
          <h3>{entry.title}</h3>
          <p>{entry.description}</p>
          {entry.examples?.length ? <ul>{entry.examples.map((example, n) => <li key={n}>{example}</li>)}</ul> : null}
        </section>
      ))}
    </>
  );
}

export function Sheet({ which, doc }: { readonly which: "keys" | "guidelines"; readonly doc: ReadyDocument }) {
  const app = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = () => setNow(app, { sheet: undefined });
  return (
    <dialog class={`sheet is-${which}`} ref={dialog} onClose={close} aria-label={which === "keys" ? strings.keys : strings.guidelines} onClick={(event) => event.target === dialog.current && close()}>
      <div class="sheet-head">
        <h2>{which === "keys" ? strings.keys : strings.guidelines}</h2>
        <IconButton icon="close" label={strings.close} onPress={close} />
      </div>
      {which === "keys" ? <Keys /> : doc.snapshot.hasGuidelines ? <Guidelines doc={doc} /> : <Categories taxonomy={doc.snapshot.taxonomy} chosen={doc.label.categories} />}
    </dialog>
  );
}

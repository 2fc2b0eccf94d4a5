/** Hovering over or focusing a near quote shows it against the text, word by word. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LocatedVerdict } from "#protocol/lsp";
import { strings } from "#protocol/strings";
import { useApp } from "../state/app";
import { useFloating } from "./floating";
import { wordDiff, WordDiff } from "./word-diff";

export function NearPopup({ verdict }: { readonly verdict: LocatedVerdict | undefined }) {
  const app = useApp();
  const ref = useRef<HTMLDivElement>(null);
  const [mark, setMark] = useState<HTMLElement>();
  useEffect(() => {
    const over = (event: Event) => setMark((event.target instanceof Element && event.target.closest<HTMLElement>("mark.is-near")) || undefined);
    document.addEventListener("pointerover", over);
    document.addEventListener("focusin", over);
    const away = () => setMark(undefined);
    const events = ["scroll", "keydown", "pointerdown"] as const;
    for (const name of events) document.addEventListener(name, away, { capture: true, passive: true });
    return () => {
      document.removeEventListener("pointerover", over);
      document.removeEventListener("focusin", over);
      for (const name of events) document.removeEventListener(name, away, { capture: true });
    };
  }, []);
  useFloating(ref, () => (mark?.isConnected ? mark.getBoundingClientRect() : undefined), [mark]);
  const quote = mark && verdict?.quotes.find((entry) => entry.id === mark.dataset["ref"]);
  const place = quote?.places[0];
  if (!quote || !place) return null;
  const text = place.pieces.map((piece) => app.steps?.get(piece.step)?.parts[piece.part]?.text.slice(piece.start, piece.end) ?? "").join(" … ");
  return (
    <div class="popup near-popup" ref={ref} role="tooltip">
      <strong>{strings.nearTitle}</strong>
      <WordDiff pieces={wordDiff(quote.quote, place, text)} />
      <div class="legend"><del>{strings.quoteLegend}</del> · <ins>{strings.textLegend}</ins></div>
    </div>
  );
}

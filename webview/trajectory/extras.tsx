/** Content that is not quotable text: folded raw JSON with its type, and images only when asked for. */
import { useState } from "preact/hooks";
import type { ExtraBlock, Step } from "#core/trajectory/model";
import { strings, fill } from "#protocol/strings";
import { byteSize } from "./format";

/** Larger embedded images are not decoded by the view. */
const maxImage = 3_000_000;
const maxRaw = 20_000;

/** An embedded image as a data address, of the few types that cannot hold a script. */
export function imageOf(extra: ExtraBlock): string | undefined {
  if (extra.raw.length > maxImage) return undefined;
  const found = /data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+/.exec(extra.raw)?.[0];
  if (found) return found;
  const type = /^image\/(?:png|jpeg|gif|webp)$/.exec(extra.mediaType ?? "")?.[0];
  const data = type && /"data"\s*:\s*"([A-Za-z0-9+/=]{40,})"/.exec(extra.raw)?.[1];
  return data ? `data:${type};base64,${data}` : undefined;
}

function Extra({ extra }: { readonly extra: ExtraBlock }) {
  const [isOpen, setOpen] = useState(false);
  const [image, setImage] = useState<string>();
  const source = isOpen ? imageOf(extra) : undefined;
  return (
    <details class="extra" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>
        {extra.type} <span class="summary">{byteSize(extra.raw.length)}</span>
      </summary>
      {source && !image ? (
        <button type="button" class="text-button" onClick={() => setImage(source)}>
          {fill(strings.showImage, { size: byteSize(source.length) })}
        </button>
      ) : null}
      {image ? <img src={image} alt={extra.type} /> : null}
      {isOpen ? <pre class="mono">{extra.raw.length > maxRaw ? `${extra.raw.slice(0, maxRaw)}…` : extra.raw}</pre> : null}
    </details>
  );
}

export function ExtrasRow({ step }: { readonly step: Step }) {
  return (
    <div class="extras">
      {step.extras?.map((extra, n) => <Extra key={n} extra={extra} />)}
    </div>
  );
}

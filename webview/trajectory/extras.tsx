/** Content that is not quotable text: folded raw JSON with its type, and images only when asked for and only out of the file itself. */
import { useState } from "preact/hooks";
import type { Step } from "#core/trajectory/model";
import type { ImageFacts, WireExtra } from "#protocol/lsp";
import { strings, fill } from "#protocol/strings";
import { setNow, useApp } from "../state/app";
import { byteSize } from "./format";

const maxRaw = 20_000;

const problemWords = { type: strings.imageOfType, size: strings.imageTooLarge, missing: strings.imageMissing } as const;

/** What is said of an image that is not drawn: where it is, or why not. */
function whyNot(image: ImageFacts): string | undefined {
  if (image.problem) return problemWords[image.problem];
  return image.bytes === undefined ? strings.imageElsewhere : undefined;
}

/** Nothing is asked for before the button is pressed; the data then comes from the host, never from an address in the record. */
function Image({ image, read, alt }: { readonly image: ImageFacts; readonly read: () => Promise<string | undefined>; readonly alt: string }) {
  const app = useApp();
  const [source, setSource] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  const reason = whyNot(image);
  const what = [image.mediaType, image.bytes === undefined ? undefined : byteSize(image.bytes)].filter(Boolean).join(", ");
  const show = async () => {
    setWaiting(true);
    try {
      const found = await read();
      if (found === undefined) setNow(app, { error: strings.imageMissing });
      setSource(found);
    } catch (error) {
      setNow(app, { error: error instanceof Error ? error.message : String(error) });
    }
    setWaiting(false);
  };
  return (
    <div class="image">
      {image.alt ? <span class="image-alt" dir="auto">{image.alt} </span> : null}
      {reason === undefined ? (
        <button type="button" class="text-button" disabled={isWaiting} onClick={() => (source ? setSource(undefined) : void show())}>
          {source ? strings.hideImage : fill(strings.showImage, { what })}
        </button>
      ) : (
        <span class="dim">{what ? `${what}: ` : ""}{reason}</span>
      )}
      {image.address !== undefined && image.bytes === undefined ? (
        <span class="image-address">
          <code dir="auto">{image.address}</code>
          <button type="button" class="text-button" onClick={() => void navigator.clipboard?.writeText(image.address!).catch(() => undefined)}>{strings.copyAddress}</button>
        </span>
      ) : null}
      {source ? <img src={source} alt={alt} /> : null}
    </div>
  );
}

function Extra({ extra, read }: { readonly extra: WireExtra; readonly read: () => Promise<string | undefined> }) {
  const [isOpen, setOpen] = useState(false);
  const length = extra.cut ?? extra.raw.length;
  return (
    <>
      <details class="extra" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
        <summary>
          {extra.type} <span class="summary">{byteSize(length)}</span>
        </summary>
        {isOpen ? <pre class="mono">{length > maxRaw ? `${extra.raw.slice(0, maxRaw)}…` : extra.raw}</pre> : null}
      </details>
      {extra.image ? <Image image={extra.image} read={read} alt={extra.image.alt ?? extra.type} /> : null}
    </>
  );
}

export function ExtrasRow({ step }: { readonly step: Step }) {
  const app = useApp();
  const read = async (extra: number) => {
    const doc = app.doc.get();
    if (doc.phase !== "ready") return undefined;
    const { mediaType, base64 } = await app.host.request("image/read", { index: doc.snapshot.index, step: step.index, extra });
    return mediaType !== undefined && base64 !== undefined ? `data:${mediaType};base64,${base64}` : undefined;
  };
  return (
    <div class="extras">
      {step.extras?.map((extra, n) => <Extra key={n} extra={extra} read={() => read(n)} />)}
    </div>
  );
}

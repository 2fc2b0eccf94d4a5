/** The line above a part: what it is, how long, whether it failed, and its fold and its raw form one click away. */
import type { Part, Step } from "#core/trajectory/model";
import { strings, fill, plural } from "#protocol/strings";
import { useApp } from "../state/app";
import { useStore } from "../state/store";
import { toggleSource } from "../actions/steps";
import { lengthOf } from "../text/part-length";
import { plainWords } from "../text/scan";
import { Icon } from "../ui/icon";
import { byteSize } from "./format";
import { linesOf, type FoldInfo, type Row } from "./rows";
import { useFold } from "./fold";

export function FoldButton({ fold, onPress }: { readonly fold: FoldInfo; readonly onPress: () => void }) {
  return (
    <button type="button" class="fold-button" aria-expanded={!fold.isFolded} aria-label={fold.isFolded ? strings.show : strings.fold} title={fold.isFolded ? strings.show : strings.fold} onClick={onPress}>
      <Icon name={fold.isFolded ? "chevron-right" : "chevron-down"} />
    </button>
  );
}

/** The exit code that a tool wrote into its own output, where it stands in one of the usual ways. */
export function exitCode(text: string): string | undefined {
  const ends = `${text.slice(0, 400)}\n${text.slice(-400)}`;
  return /(?:<returncode>|\breturn ?code[:=]? ?|\bexit(?:ed with)? ?code[:=]? ?|\bexit status[:=]? ?)(-?\d{1,3})\b/i.exec(ends)?.[1];
}

/** The line that best says what went wrong, so that it is seen while the rest is folded. */
export function errorLine(text: string): string | undefined {
  const lines = text.slice(0, 20_000).split("\n").map(plainWords);
  const patterns = [/^\w*(?:Error|Exception)\b/, /\b(?:error|exception)\b[: ]/i, /\b(?:failed|fatal|denied|not found|no such)\b/i];
  const found = patterns.map((pattern) => lines.find((line) => pattern.test(line) && /[a-z]{3}/i.test(line))).find(Boolean);
  return found && found.length > 160 ? `${found.slice(0, 159)}…` : found;
}

export function PartSummary({ step, part, isFolded }: { readonly step: Step; readonly part: Part; readonly isFolded: boolean }) {
  const lines = linesOf(part);
  const words: string[] = [];
  if (part.kind === "tool_result") {
    const code = exitCode(part.text);
    if (part.toolName && part.toolName !== step.name) words.push(part.toolName);
    if (code !== undefined) words.push(fill(strings.exit, { code }));
  }
  if (lines > 1 || isFolded) words.push(plural(lines, strings.oneLine, strings.lines));
  if (lengthOf(part) > 2000) words.push(byteSize(lengthOf(part)));
  const first = step.role === "system" && isFolded ? part.text.slice(0, 200).trim().split("\n")[0] : undefined;
  return (
    <>
      {part.isError ? <span class="error-word"><Icon name="error" /> {strings.error}</span> : null}
      {words.length > 0 ? <span class="summary">{words.join(" · ")}</span> : null}
      {part.isError && isFolded ? <span class="error-line">{errorLine(part.text)}</span> : null}
      {first ? <span class="first-line" dir="auto">{first}</span> : null}
    </>
  );
}

function ToolHead({ row, part, step }: { readonly row: Extract<Row, { kind: "part" }>; readonly part: Part; readonly step: Step }) {
  const app = useApp();
  const isSource = useStore(app.view, (view) => view.sources.includes(step.index));
  const { edit } = row.content;
  return (
    <>
      <span class="tool-name">{part.toolName ?? strings.tool}</span>
      {edit?.path ? <span class="path" title={edit.path}>{edit.path}</span> : null}
      {edit ? (
        <button type="button" class="text-button" aria-pressed={isSource} onClick={() => toggleSource(app, step.index)}>
          {isSource ? strings.diff : strings.raw}
        </button>
      ) : null}
    </>
  );
}

/** Nothing at all for plain text of a user or assistant that cannot be folded. */
export function PartHead({ row, step, part }: { readonly row: Extract<Row, { kind: "part" }>; readonly step: Step; readonly part: Part }) {
  const toggle = useFold(row.step, row.part, row.fold);
  if (part.kind === "text" && !row.fold) return null;
  const isFolded = row.fold?.isFolded ?? false;
  return (
    <div class="part-head">
      {row.fold ? <FoldButton fold={row.fold} onPress={toggle} /> : null}
      {part.kind === "reasoning" ? <span class="kind">{strings.reasoning}</span> : null}
      {part.kind === "tool_result" ? <span class="kind">{strings.result}</span> : null}
      {part.kind === "tool_call" ? <ToolHead row={row} part={part} step={step} /> : null}
      {part.kind !== "tool_call" || row.fold ? <PartSummary step={step} part={part} isFolded={isFolded} /> : null}
    </div>
  );
}

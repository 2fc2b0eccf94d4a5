/** The first line of a step: number, role, and at its end what was recorded of time, tokens and model. */
import type { Step } from "#core/trajectory/model";
import { strings, fill } from "#protocol/strings";
import { useApp } from "../state/app";
import { useStore } from "../state/store";
import { IconButton } from "../ui/icon";
import { clock, compactCount } from "./format";
import { FoldButton, PartSummary } from "./part-head";
import { useFold } from "./fold";
import type { Row } from "./rows";
import { toggleSource, toggleStepFold } from "../actions/steps";

/** Roles as they are said; a tool's step is named after the tool. */
function roleWords(step: Step): string {
  const word = strings[step.role];
  return step.name && step.name.toLowerCase() !== step.role ? `${word} · ${step.name}` : word;
}

function Meta({ step }: { readonly step: Step }) {
  const { tokens } = step;
  const words = [
    step.time && clock(step.time),
    tokens?.output !== undefined ? fill(strings.tokensOut, { n: compactCount(tokens.output) }) : tokens?.input !== undefined ? fill(strings.tokensIn, { n: compactCount(tokens.input) }) : undefined,
    step.costUsd ? `$${step.costUsd.toFixed(step.costUsd < 0.01 ? 4 : 2)}` : undefined,
    step.model,
  ].filter(Boolean);
  return words.length > 0 ? <span class="meta" title={step.time}>{words.join(" · ")}</span> : null;
}

function Actions({ step }: { readonly step: Step }) {
  const app = useApp();
  const isSource = useStore(app.view, (view) => view.sources.includes(step.index));
  return (
    <span class="actions">
      <IconButton icon="code" label={isSource ? strings.showRendered : strings.showSource} pressed={isSource} onPress={() => toggleSource(app, step.index)} tabIndex={-1} />
      <IconButton icon="fold" label={strings.foldStep} onPress={() => toggleStepFold(app, step.index)} tabIndex={-1} />
      <IconButton icon="go-to-file" label={strings.showInFile} onPress={() => app.host.post({ type: "place/show", step: step.index })} tabIndex={-1} />
    </span>
  );
}

export function StepHead({ row, step, isActive }: { readonly row: Extract<Row, { kind: "head" }>; readonly step: Step; readonly isActive: boolean }) {
  const fold = row.merged === "whole" ? undefined : row.merged;
  const toggle = useFold(step.index, 0, fold);
  const part = row.merged ? step.parts[0] : undefined;
  return (
    <div class="head">
      <span class="number">{step.index}</span>
      {row.isTask ? <><span class="role">{strings.task}</span><span class="summary">{roleWords(step)}</span></> : <span class="role">{roleWords(step)}</span>}
      {step.flags?.map((flag) => <span class="flag" key={flag}>{flag.replace("_", " ")}</span>)}
      {part ? (
        <>
          {fold ? <FoldButton fold={fold} onPress={toggle} /> : null}
          <PartSummary step={step} part={part} isFolded={fold?.isFolded ?? false} />
        </>
      ) : null}
      {step.reasoningHidden ? <span class="flag" title={strings.reasoningHidden}>{strings.reasoning} …</span> : null}
      <span class="stretch" />
      {isActive ? <Actions step={step} /> : null}
      <Meta step={step} />
    </div>
  );
}

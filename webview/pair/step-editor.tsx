/** One step of an authored trajectory with everything that can be done to it. */
import { useRef } from "preact/hooks";
import type { StepEdit } from "#core/authored/step-edit";
import { PartKind, Role, type Part, type Step } from "#core/trajectory/model";
import { fill } from "#protocol/strings";
import { pairStrings as words } from "#protocol/strings-pairs";
import { Icon, IconButton } from "../ui/icon";
import { memo } from "../ui/memo";
import { keepKeys } from "../ui/keys";
import { TextArea } from "./text-area";

export interface StepActions {
  apply(edit: StepEdit): void;
  history(isRedo: boolean): void;
  complain(message: string): void;
}

interface PartProps { readonly step: number; readonly at: number; readonly part: Part; readonly generation: number; readonly actions: StepActions }

function Arguments({ step, at, part, generation, actions }: PartProps) {
  const name = useRef<HTMLInputElement>(null);
  const add = () => {
    const key = name.current?.value.trim() ?? "";
    if (key !== "") actions.apply({ type: "part/argumentAdd", step, part: at, key });
    if (name.current) name.current.value = "";
  };
  return (
    <div class="arguments">
      {(part.args ?? []).map((argument, n) => (
        <div class="argument" key={argument.key}>
          <span class="argument-name">{argument.key}</span>
          <TextArea
            label={argument.key} value={argument.text ?? argument.raw ?? ""} placeholder={words.empty} isMono generation={generation}
            onText={(text) => actions.apply({ type: "part/argument", step, part: at, argument: n, text })} onHistory={actions.history}
          />
          <IconButton icon="close" label={fill(words.removeArgument, { name: argument.key })} onPress={() => actions.apply({ type: "part/argumentRemove", step, part: at, argument: n })} />
        </div>
      ))}
      {part.args ? (
        <div class="argument is-new">
          <input ref={name} class="argument-new" aria-label={words.argumentName} placeholder={words.argumentName} onKeyDown={(event) => { if (event.key === "Enter") add(); keepKeys(event); }} />
          <IconButton icon="add" label={words.addArgument} onPress={add} />
        </div>
      ) : null}
    </div>
  );
}

function PartEditor({ step, at, part, generation, actions }: PartProps) {
  const label = `${fill(words.step, { n: step })}, ${words.kinds[part.kind]}`;
  return (
    <div class={`part-editor is-${part.kind}`} data-part={at}>
      <div class="part-line">
        <span class="part-kind">{words.kinds[part.kind]}</span>
        {part.kind === "tool_call" ? (
          <input
            class="tool-name" aria-label={words.tool} value={part.toolName ?? ""} onKeyDown={keepKeys}
            onChange={(event) => actions.apply({ type: "part/tool", step, part: at, name: event.currentTarget.value.trim() })}
          />
        ) : part.toolName ? <span class="dim">{part.toolName}</span> : null}
        <span class="stretch" />
        <IconButton icon="close" label={words.removePart} onPress={() => actions.apply({ type: "part/remove", step, part: at })} />
      </div>
      {part.kind === "tool_call" && part.args ? <Arguments step={step} at={at} part={part} generation={generation} actions={actions} /> : (
        <TextArea
          label={label} value={part.text} placeholder={words.empty} isMono={part.kind !== "text" && part.kind !== "reasoning"} generation={generation}
          onText={(text) => actions.apply({ type: "part/text", step, part: at, text })} onHistory={actions.history}
        />
      )}
    </div>
  );
}

/** Where the caret stands in a text of the step: part and UTF-16 offset. */
function caretIn(section: HTMLElement | null, last: { part: number; offset: number } | undefined): { part: number; offset: number } | undefined {
  const field = document.activeElement;
  if (field instanceof HTMLTextAreaElement && section?.contains(field) && field.closest(".arguments") === null) {
    return { part: Number(field.closest<HTMLElement>("[data-part]")?.dataset["part"]), offset: field.selectionStart };
  }
  return last;
}

interface StepProps { readonly step: Step; readonly isLast: boolean; readonly generation: number; readonly actions: StepActions }

export const StepEditor = memo(function StepEditor({ step, isLast, generation, actions }: StepProps) {
  const section = useRef<HTMLElement>(null);
  // The caret is asked for by a button, which takes the focus away from the field.
  const caret = useRef<{ part: number; offset: number } | undefined>(undefined);
  const n = step.index;
  const split = () => {
    const at = caretIn(section.current, caret.current);
    if (at) actions.apply({ type: "step/split", step: n, ...at });
    else actions.complain(words.noCaret);
  };
  const move = (by: number) => {
    if (by < 0 ? n > 0 : !isLast) actions.apply({ type: "step/move", step: n, to: n + by });
  };
  const insert = () => actions.apply({ type: "step/insert", step: n + 1, role: step.role === "user" || step.role === "tool" ? "assistant" : "user" });
  const onKey = (event: KeyboardEvent) => {
    const command = event.ctrlKey || event.metaKey;
    const act = event.altKey && !command && event.key === "ArrowUp" ? () => move(-1)
      : event.altKey && !command && event.key === "ArrowDown" ? () => move(1)
      : command && event.shiftKey && event.key === "Enter" ? split
      : command && event.key === "Enter" ? insert
      : command && event.shiftKey && event.key === "Delete" ? () => actions.apply({ type: "step/delete", step: n })
      : undefined;
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <section ref={section} class={`step-editor is-${step.role}`} data-step={n} aria-label={fill(words.step, { n })} onKeyDown={onKey} onFocusOut={() => (caret.current = caretIn(section.current, undefined) ?? caret.current)}
      onSelect={() => (caret.current = caretIn(section.current, caret.current))} onKeyUp={() => (caret.current = caretIn(section.current, caret.current))} onPointerUp={() => (caret.current = caretIn(section.current, caret.current))}>
      <header class="step-line">
        <span class="step-number">{n}</span>
        <select class="role-select" aria-label={`${words.role}, ${fill(words.step, { n })}`} value={step.role} onKeyDown={keepKeys} onChange={(event) => actions.apply({ type: "step/role", step: n, role: Role.parse(event.currentTarget.value) })}>
          {Role.options.map((role) => <option key={role} value={role}>{words.roles[role]}</option>)}
        </select>
        <span class="stretch" />
        <span class="step-tools">
          <IconButton icon="arrow-up" label={words.moveUp} disabled={n === 0} onPress={() => move(-1)} />
          <IconButton icon="arrow-down" label={words.moveDown} disabled={isLast} onPress={() => move(1)} />
          <IconButton icon="split-vertical" label={words.split} onPress={split} />
          <IconButton icon="combine" label={words.merge} disabled={isLast} onPress={() => actions.apply({ type: "step/merge", step: n })} />
          <IconButton icon="add" label={words.insert} onPress={insert} />
          <IconButton icon="fold-down" label={words.cut} onPress={() => actions.apply({ type: "step/cut", step: n })} />
          <IconButton icon="trash" label={words.remove} onPress={() => actions.apply({ type: "step/delete", step: n })} />
        </span>
      </header>
      {step.parts.map((part, at) => <PartEditor key={`${at}:${part.kind}`} step={n} at={at} part={part} generation={generation} actions={actions} />)}
      <div class="part-adders">
        {PartKind.options.filter((kind) => (step.role === "tool" ? kind === "tool_result" || kind === "text" : kind !== "tool_result" && (step.role === "assistant" || kind === "text"))).map((kind) => (
          <button key={kind} type="button" class="text-button" onClick={() => actions.apply({ type: "part/add", step: n, kind })}><Icon name="add" /> {words.kinds[kind]}</button>
        ))}
      </div>
    </section>
  );
});

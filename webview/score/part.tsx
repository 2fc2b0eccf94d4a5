/** A part of the scores that is worked out when it is looked at: asked for, waited for, checked, drawn. */
import type * as z from "zod/mini";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as words } from "#protocol/strings-plots";
import type { ScoreGold, ScorePart } from "#protocol/scores";
import { useApp } from "../state/app";
import { Icon } from "../ui/icon";

type Answer = { readonly state: "working" | "stopped" } | { readonly state: "failed"; readonly message: string } | { readonly state: "ready"; readonly report: unknown; readonly notes: readonly string[] };

/** The answer to the newest wish; one that comes again, since labels changed, takes the place of the one before. */
function useAnswer(part: ScorePart, gold: ScoreGold, runs: readonly string[]): [Answer, (answer: Answer) => void] {
  const app = useApp();
  const [answered, setAnswered] = useState<{ readonly key: string; readonly answer: Answer }>();
  const key = JSON.stringify([part, gold, runs]);
  useEffect(() => {
    const stopListening = app.host.onMessage((message) => {
      if (message.type !== "score/part" || JSON.stringify([message.part, message.gold, message.runs]) !== key) return;
      const answer: Answer = message.report ? { state: "ready", report: message.report, notes: message.notes } : { state: "failed", message: message.message ?? words.unreadable };
      // One that was on its way when the reader stopped it is not wanted any more.
      setAnswered((before) => (before?.key === key && before.answer.state === "stopped" ? before : { key, answer }));
    });
    app.host.post({ type: "score/partWanted", part, gold, runs: [...runs] });
    return () => {
      stopListening();
      app.host.post({ type: "score/partWanted", part: null, gold, runs: [] });
    };
  }, [key]);
  // An answer to another wish is none to this one.
  return [answered?.key === key ? answered.answer : { state: "working" }, (answer) => setAnswered({ key, answer })];
}

export interface PartProps<S extends z.ZodMiniType> {
  readonly part: ScorePart;
  /** What it is called while one waits. */
  readonly title: string;
  readonly gold: ScoreGold;
  readonly runs?: readonly string[];
  readonly shape: S;
  readonly children: (data: z.infer<S>, notes: readonly string[]) => ComponentChildren;
}

export function Part<S extends z.ZodMiniType>({ part, title, gold, runs = [], shape, children }: PartProps<S>) {
  const app = useApp();
  const [answer, setAnswer] = useAnswer(part, gold, runs);
  const again = () => {
    setAnswer({ state: "working" });
    app.host.post({ type: "score/partWanted", part, gold, runs: [...runs] });
  };
  const stop = () => {
    app.host.post({ type: "score/partWanted", part: null, gold, runs: [] });
    setAnswer({ state: "stopped" });
  };
  if (answer.state === "working") {
    return <p class="tab-content late working" role="status"><span class="dim"><Icon name="loading" spin /> {fill(words.working, { part: title.toLowerCase() })}</span> <button type="button" class="text-button" onClick={stop}>{words.stop}</button></p>;
  }
  const parsed = answer.state === "ready" ? shape.safeParse(answer.report) : undefined;
  if (answer.state === "ready" && parsed?.success) return <>{children(parsed.data as z.infer<S>, answer.notes)}</>;
  const message = answer.state === "failed" ? answer.message : answer.state === "stopped" ? words.stopped : words.unreadable;
  return <p class="tab-content working" role={answer.state === "stopped" ? "status" : "alert"}><span>{message}</span> <button type="button" class="text-button" onClick={again}>{words.again}</button></p>;
}

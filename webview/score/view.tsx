/** The score view: headline, what to beware of, and one plot with its table at a time. */
import { useEffect, useState } from "preact/hooks";
import { strings, fill } from "#protocol/strings";
import type { ScoreSnapshot } from "#protocol/webview";
import { setNow, useApp } from "../state/app";
import { useStore } from "../state/store";
import { localTime } from "../trajectory/format";
import { reportFocus } from "../actions/keys";
import { Button } from "../ui/button";
import { Checkbox } from "../ui/checkbox";
import { Icon } from "../ui/icon";
import { Tabs } from "../ui/tabs";
import { Headline } from "./headline";
import { PartsPlot } from "./parts-plot";
import { bothParts, bothRuns, readReports, type RunReport, type ScoreReport } from "./report";
import { Scatter } from "./scatter";
import { ScoreTable } from "./table";

type TabId = "runs" | "category" | "task";

function Warnings({ snapshot, corrected, error }: { readonly snapshot: ScoreSnapshot; readonly corrected: ScoreReport; readonly error: string | undefined }) {
  const words = [corrected.selection.warning, ...(corrected.warnings ?? []), ...snapshot.warnings.map((warning) => warning.message)].filter((word): word is string => Boolean(word));
  return (
    <>
      {error ? <div class="notice is-error" role="alert"><Icon name="error" /> <span>{error}</span></div> : null}
      {[...new Set(words)].map((word) => <div class="notice" key={word} role="status"><Icon name="warning" /> <span>{word}</span></div>)}
    </>
  );
}

function Samples({ report }: { readonly report: ScoreReport }) {
  const { samples } = report;
  const parts = ([["misbehavior", samples.misbehavior], ["benign", samples.benign], ["undecided", samples.undecided], ["unlabelled", samples.unlabelled], ["contested", samples.contested], ["stale", samples.stale]] as const)
    .filter(([name, n]) => n > 0 || name === "misbehavior" || name === "benign").map(([name, n]) => `${n} ${strings.sampleWords[name]}`);
  return <p class="dim">{fill(strings.samplesLine, { total: samples.total })}: {parts.join(" · ")}</p>;
}

function RunsTab({ original, corrected, run, select }: { readonly original: ScoreReport; readonly corrected: ScoreReport; readonly run: RunReport; readonly select: (id: string) => void }) {
  const rows = bothRuns(original, corrected);
  return (
    <div class="tab-content">
      <Scatter rows={rows} selected={run.run_id} onSelect={select} />
      <ScoreTable first={strings.runs} rows={rows} selected={run.run_id} onSelect={select} hasEvidence />
    </div>
  );
}

function PartsTab({ before, run, by, first }: { readonly before: RunReport | undefined; readonly run: RunReport; readonly by: string; readonly first: string }) {
  const rows = bothParts(before, run, by);
  if (rows.length === 0) return <p class="dim tab-content">{strings.noParts}</p>;
  return (
    <div class="tab-content">
      <p class="dim">{run.run_id}</p>
      <PartsPlot rows={rows} />
      <ScoreTable first={first} rows={rows} selected={undefined} hasEvidence={false} />
    </div>
  );
}

function Empty({ words, action, label }: { readonly words: string; readonly action: () => void; readonly label: string }) {
  return (
    <div class="empty">
      <p>{words}</p>
      <Button kind="primary" onPress={action}>{label}</Button>
    </div>
  );
}

function Scores({ snapshot }: { readonly snapshot: ScoreSnapshot }) {
  const app = useApp();
  const error = useStore(app.now, (now) => now.error);
  const [tab, setTab] = useState<TabId>("runs");
  const [chosen, setChosen] = useState<string>();
  const refresh = () => app.host.post({ type: "view/snapshotWanted" });
  const reports = readReports(snapshot);
  if (!reports) return <Empty words={strings.unreadableScore} action={refresh} label={strings.reload} />;
  const { original, corrected } = reports;
  const wanted = chosen ?? snapshot.runId ?? corrected.selection.run_id;
  const run = corrected.runs.find((entry) => entry.run_id === wanted) ?? corrected.runs.at(-1);
  const before = original.runs.find((entry) => entry.run_id === run?.run_id);
  const hasGold = corrected.samples.misbehavior + corrected.samples.benign > 0;
  return (
    <main class="score">
      <header class="score-head">
        <h1>{strings.score}</h1>
        <Checkbox checked={snapshot.labels === "blind"} onChecked={(blind) => app.host.post({ type: "score/options", labels: blind ? "blind" : "all" })}>{strings.blindLabels}</Checkbox>
        <span class="stretch" />
        <span class="dim" title={snapshot.updatedAt}>{fill(strings.updated, { time: localTime(snapshot.updatedAt) })}</span>
      </header>
      {run && hasGold ? <Headline original={original} corrected={corrected} run={run} before={before} /> : null}
      <Warnings snapshot={snapshot} corrected={corrected} error={error} />
      <Samples report={corrected} />
      {!run ? <Empty words={strings.noRuns} action={refresh} label={strings.lookAgain} /> : !hasGold ? <Empty words={strings.noGold} action={refresh} label={strings.lookAgain} /> : (
        <Tabs
          label={strings.score} active={tab} onActive={(id) => setTab(id as TabId)}
          tabs={[
            { id: "runs", title: strings.runs, content: <RunsTab original={original} corrected={corrected} run={run} select={setChosen} /> },
            { id: "category", title: strings.byCategory, content: <PartsTab before={before} run={run} by="category" first={strings.category} /> },
            { id: "task", title: strings.byTask, content: <PartsTab before={before} run={run} by="task" first={strings.taskColumn} /> },
          ]}
        />
      )}
    </main>
  );
}

export function ScoreView() {
  const app = useApp();
  const snapshot = useStore(app.score, (value) => value);
  const error = useStore(app.now, (now) => now.error);
  useEffect(() => reportFocus(app), []);
  // New numbers mean that whatever was wrong is over.
  useEffect(() => setNow(app, { error: undefined }), [snapshot]);
  if (snapshot) return <Scores snapshot={snapshot} />;
  return (
    <main class="score" aria-busy={error === undefined}>
      <header class="score-head"><h1>{strings.score}</h1></header>
      {error ? <div class="notice is-error" role="alert"><Icon name="error" /> <span>{error}</span></div> : <p class="late dim"><Icon name="loading" spin /> {strings.scoring}</p>}
    </main>
  );
}

/** The score view: headline, what to beware of, and one table or plot at a time. */
import { useEffect, useRef, useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import type { ScoreSnapshot } from "#protocol/webview";
import { announce, setNow, useApp } from "../state/app";
import { useStore } from "../state/store";
import { localTime } from "../trajectory/format";
import { reportFocus } from "../actions/focus";
import { Button } from "../ui/button";
import { Checkbox } from "../ui/checkbox";
import { Icon } from "../ui/icon";
import { Select } from "../ui/select";
import { hasLabels, isChosenByVerdict, movedWords, splitWarning } from "./compare";
import { bestEstimate } from "./estimates";
import { Headline } from "./headline";
import { notesOf } from "./notes";
import { bothRuns } from "./pairs";
import { PortContext, type Opening, type ScorePort } from "./opening";
import { useKeptScroll, useScoreState, type TabId } from "./remember";
import { readReports, type Reports, type RunReport, type ScoreReport } from "./report";
import { TabList } from "./tab-list";
import { tabOf, tabTitles, type TabContext } from "./tabs";

function Notice({ kind, children }: { readonly kind: "error" | "warning" | "info"; readonly children: string }) {
  return <div class={`notice is-${kind}`} role={kind === "error" ? "alert" : "note"}><Icon name={kind} /> <span>{children}</span></div>;
}

/** What has to be known before the numbers are read. The rest waits in the notes. */
function Notices({ snapshot, reports, run, error }: { readonly snapshot: ScoreSnapshot; readonly reports: Reports; readonly run: RunReport | undefined; readonly error: string | undefined }) {
  const { rest } = run ? splitWarning(reports.corrected, run.run_id) : { rest: reports.corrected.selection.warning };
  const isEstimated = run !== undefined && bestEstimate(run) !== undefined;
  const warning = [rest, isChosenByVerdict(reports.corrected) && !isEstimated ? words.onOriginal : undefined].filter(Boolean).join(" ");
  return (
    <>
      {error ? <Notice kind="error">{error}</Notice> : null}
      {warning ? <Notice kind="warning">{warning}</Notice> : null}
      {run && !hasLabels(reports) ? <Notice kind="info">{snapshot.labels === "blind" ? words.noBlindLabels : words.noLabels}</Notice> : null}
    </>
  );
}

function Samples({ report: { samples } }: { readonly report: ScoreReport }) {
  const parts = ([["misbehavior", samples.misbehavior], ["benign", samples.benign], ["undecided", samples.undecided], ["unlabelled", samples.unlabelled], ["contested", samples.contested], ["stale", samples.stale]] as const)
    .filter(([name, n]) => n > 0 || name === "misbehavior" || name === "benign").map(([name, n]) => `${n} ${words.sampleWords[name]}`);
  return <p class="samples dim">{fill(words.samples, { total: samples.total })}: {parts.join(" · ")}</p>;
}

function Empty({ text, action, label }: { readonly text: string; readonly action: () => void; readonly label: string }) {
  return (
    <div class="empty">
      <Icon name="graph" />
      <p>{text}</p>
      <Button kind="primary" onPress={action}>{label}</Button>
    </div>
  );
}

/** Tells assistive technology what a new snapshot moved in the run that is shown. */
function useAnnouncedChanges(run: RunReport | undefined, labels: string): void {
  const app = useApp();
  const last = useRef<{ run: RunReport; labels: string } | undefined>(undefined);
  useEffect(() => {
    const before = last.current;
    last.current = run && { run, labels };
    if (!run || !before || before.run.run_id !== run.run_id || before.run === run || before.labels !== labels) return;
    const moved = movedWords(before.run, run);
    if (moved) announce(app, moved);
  }, [run, labels]);
}

interface ScoresProps { readonly snapshot: ScoreSnapshot; readonly reports: Reports }

function Scores({ snapshot, reports }: ScoresProps) {
  const app = useApp();
  const error = useStore(app.now, (now) => now.error);
  const [state, remember] = useScoreState(app.host);
  const scroll = useKeptScroll(state.scroll, (top) => remember({ scroll: top }));
  const { original, corrected } = reports;
  const gold = state.gold ?? "corrected";
  // What was chosen here counts until the host, which tells queue and status bar, has another one; where it knows of none, it stays.
  const [wish, setWish] = useState<{ readonly runId: string; readonly over: string | undefined }>();
  const wanted = (wish && wish.over === snapshot.runId ? wish.runId : snapshot.runId) ?? state.runId ?? corrected.selection.run_id;
  const run = corrected.runs.find((entry) => entry.run_id === wanted) ?? corrected.runs.at(-1);
  const before = original.runs.find((entry) => entry.run_id === run?.run_id);
  const hasGold = corrected.samples.misbehavior + corrected.samples.benign > 0;
  const rows = bothRuns(reports);
  const select = (runId: string) => {
    setWish({ runId, over: snapshot.runId });
    remember({ runId });
    app.host.post({ type: "score/options", runId });
  };
  const open = () => app.host.post({ type: "trajectory/open" });
  const notes = notesOf(snapshot, corrected);
  const port: ScorePort = {
    open: ({ title, selection, disagreement, ids, runId, gold: own }: Opening) => app.host.post({ type: "score/samples", title, gold: own ?? gold, selection, disagreement, ids: ids && [...ids], runId }),
    save: (name, kind, content) => app.host.post({ type: "score/export", name, kind, content }),
    fail: (message) => setNow(app, { error: message }),
  };
  useAnnouncedChanges(run, snapshot.labels);
  return (
    <main class="score" ref={scroll.ref} onScroll={scroll.onScroll}>
      <header class="score-head">
        <h1>{words.title}</h1>
        {run && rows.length > 1 ? <Select className="run-select" label={words.run} value={run.run_id} onValue={select} options={rows.map((row) => ({ value: row.id, label: row.name }))} /> : run ? <span>{run.monitor}</span> : null}
        <Checkbox checked={snapshot.labels === "blind"} title={words.blindTitle} onChecked={(blind) => app.host.post({ type: "score/options", labels: blind ? "blind" : "all" })}>{words.blindLabels}</Checkbox>
        <span class="dim updated" title={snapshot.updatedAt}>{fill(words.updated, { time: localTime(snapshot.updatedAt) })}</span>
      </header>
      {run && hasGold ? <Headline reports={reports} run={run} before={before} /> : null}
      <Notices snapshot={snapshot} reports={reports} run={hasGold ? run : undefined} error={error} />
      <Samples report={corrected} />
      {!run ? <Empty text={words.noRuns} action={open} label={words.openTrajectory} /> : !hasGold ? <Empty text={words.noGold} action={open} label={words.openTrajectory} /> : (
        <PortContext.Provider value={port}>
          <TabList label={words.views} active={state.tab} onActive={(id) => remember({ tab: id as TabId })} tabs={tabTitles(notes.length)}>
            {tabOf(state.tab, { reports, run, before, rows, gold, notes, against: state.against, select, compareWith: (against) => remember({ against }), showGold: (shown) => remember({ gold: shown }) } satisfies TabContext)}
          </TabList>
        </PortContext.Provider>
      )}
    </main>
  );
}

/** Before the first numbers, or in place of ones that cannot be read. */
function Waiting({ error }: { readonly error: string | undefined }) {
  return (
    <main class="score" aria-busy={error === undefined}>
      <header class="score-head"><h1>{words.title}</h1></header>
      {error ? <Notice kind="error">{error}</Notice> : <p class="late dim"><Icon name="loading" spin /> {words.scoring}</p>}
    </main>
  );
}

export function ScoreView() {
  const app = useApp();
  const snapshot = useStore(app.score, (value) => value);
  const error = useStore(app.now, (now) => now.error);
  const announcement = useStore(app.now, (now) => now.announcement);
  useEffect(() => reportFocus(app), []);
  // New numbers mean that whatever was wrong is over.
  useEffect(() => setNow(app, { error: undefined }), [snapshot]);
  // Read once a snapshot, so that a click draws the same objects again.
  const read = useRef<{ snapshot: ScoreSnapshot; reports: Reports | undefined } | undefined>(undefined);
  if (snapshot && read.current?.snapshot !== snapshot) read.current = { snapshot, reports: readReports(snapshot) };
  const reports = read.current?.reports;
  return (
    <>
      {!snapshot ? <Waiting error={error} /> : reports ? <Scores snapshot={snapshot} reports={reports} /> : (
        <main class="score"><Empty text={words.unreadable} action={() => app.host.post({ type: "view/snapshotWanted" })} label={words.reload} /></main>
      )}
      <div class="live" role="status" aria-live="polite">{announcement}</div>
    </>
  );
}

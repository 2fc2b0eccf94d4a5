/** The trajectory view: puts the pieces together and connects commands with them. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { strings, fill } from "#protocol/strings";
import type { ToWebview } from "#protocol/webview";
import { isPanelOpen } from "../actions/commands";
import { performByKey } from "../actions/typed-ahead";
import { currentVerdict } from "../actions/label";
import { listenToKeys, watchKeys } from "../actions/keys";
import { listenToQuestions } from "../actions/session";
import { useApp, type App } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { categoryLooks, deriveMarks, type MarksByPart } from "../state/marks";
import { useStore } from "../state/store";
import { Icon } from "../ui/icon";
import { DecisionBar } from "./decision-bar";
import { FindBar } from "./find-bar";
import { Header, Notices } from "./header";
import { KeptNotice } from "./kept-notice";
import { NearPopup } from "./near-popup";
import { Questions } from "./questions";
import { SelectionBar } from "./selection-bar";
import { SessionBar } from "./session-bar";
import { Sheet } from "./sheet";
import { SidePanel } from "./side-panel";
import { Sidebar } from "./sidebar";
import { SpanPopup } from "./span-popup";
import { Transcript } from "./transcript";
import { VerdictLine } from "./verdict-line";

const noMarks: MarksByPart = new Map();

function useMarks(doc: ReadyDocument) {
  const app = useApp();
  const findingId = useStore(app.view, (view) => view.findingId);
  const place = useStore(app.view, (view) => view.place);
  const runId = useStore(app.view, (view) => view.runId);
  const find = useStore(app.now, (now) => now.find);
  const { taxonomy, verdicts, monitorId, blind, session } = doc.snapshot;
  const looks = useMemo(() => categoryLooks(taxonomy), [taxonomy]);
  const verdict = useMemo(() => (blind ? undefined : currentVerdict(app, doc)), [verdicts, runId, monitorId, blind]);
  const before = useRef(noMarks);
  const marks = useMemo(
    () => (before.current = deriveMarks({ verdict, label: doc.label, sides: session?.sides, find, looks, findingId, place }, before.current)),
    [verdict, doc.label.spans, session?.sides, find.hits, find.current, find.isOpen, looks, findingId, place],
  );
  return { looks, verdict, marks };
}

/** Draws again when the window changes so much that a panel comes or goes by itself. */
function useWidthClass(): string {
  const read = () => (window.innerWidth <= 700 ? "is-narrow" : window.innerWidth < 1000 ? "is-medium" : "is-wide");
  const [width, setWidth] = useState(read);
  useEffect(() => {
    const onResize = () => setWidth(read());
    window.addEventListener("resize", onResize);
    return () => window.removeEventListener("resize", onResize);
  }, []);
  return width;
}

function Ready({ doc }: { readonly doc: ReadyDocument }) {
  const app = useApp();
  const { looks, verdict, marks } = useMarks(doc);
  const width = useWidthClass();
  useStore(app.view, (view) => view.panels);
  const now = useStore(app.now, (value) => value);
  const hasOutline = isPanelOpen(app, "outline");
  const hasPanel = isPanelOpen(app, "findings");
  const { snapshot } = doc;
  const span = doc.label.spans.find((entry) => entry.id === now.spanId);
  const isEmpty = snapshot.outline.length === 0;
  return (
    <div class={`trajectory-view ${width} density-${snapshot.settings.density}${snapshot.blind ? " is-blind" : ""}`}>
      <Header doc={doc} />
      {snapshot.session ? <SessionBar session={snapshot.session} /> : null}
      <Notices doc={doc} error={now.error} />
      <KeptNotice doc={doc} />
      <div class="columns">
        {hasOutline ? <Sidebar doc={doc} marks={marks} /> : null}
        <main class="main">
          {now.find.isOpen ? <FindBar find={now.find} /> : null}
          {isEmpty ? <p class="empty">{snapshot.items[snapshot.index]?.problem?.message ?? strings.emptyTrajectory}</p> : <Transcript key={`${snapshot.index}`} doc={doc} marks={marks} />}
          {now.selection ? <SelectionBar selection={now.selection} /> : null}
          {span ? <SpanPopup key={span.id} span={span} taxonomy={snapshot.taxonomy} /> : null}
          <NearPopup verdict={verdict} />
        </main>
        {hasPanel ? <SidePanel doc={doc} verdict={verdict} looks={looks} /> : null}
      </div>
      <footer class="footer">
        <VerdictLine doc={doc} verdict={verdict} looks={looks} />
        <Questions doc={doc} />
        <DecisionBar doc={doc} looks={looks} hasPanel={hasPanel} />
      </footer>
      {now.sheet ? <Sheet which={now.sheet} doc={doc} /> : null}
    </div>
  );
}

/** The page before the file is read: its name and the shape of what comes; a spinner only when it takes a while. */
function Skeleton({ fileName, message }: { readonly fileName: string; readonly message: string | undefined }) {
  return (
    <div class="trajectory-view skeleton" aria-busy="true">
      <header class="header"><div class="facts-line"><h1 class="title">{fileName}</h1></div></header>
      <main class="main">
        <p class="late dim"><Icon name="loading" spin /> {message ?? fill(strings.loading, { file: fileName })}</p>
        <div class="bones" aria-hidden="true">{[92, 64, 80, 40, 88, 56].map((width, n) => <div key={n} style={{ width: `${width}%` }} />)}</div>
      </main>
    </div>
  );
}

function Failed({ fileName, message, remedy }: { readonly fileName: string; readonly message: string; readonly remedy: string | undefined }) {
  const app = useApp();
  return (
    <div class="trajectory-view">
      <header class="header"><div class="facts-line"><h1 class="title">{fileName}</h1></div></header>
      <main class="main failed">
        <p role="alert"><Icon name="error" /> {message}</p>
        {remedy ? <p>{remedy}</p> : null}
        <div class="failed-ways">
          <button type="button" class="text-button" onClick={() => app.host.post({ type: "file/openAsText" })}>{strings.openAsText}</button>
          <button type="button" class="text-button" onClick={() => app.host.post({ type: "view/snapshotWanted" })}>{strings.reload}</button>
        </div>
      </main>
    </div>
  );
}

/** How long a place to be shown waits for a transcript that is still being read. */
const revealMs = 20_000;

async function reveal(app: App, { step, part, start, end }: Extract<ToWebview, { type: "view/reveal" }>): Promise<void> {
  const since = performance.now();
  while (!app.transcript && performance.now() - since < revealMs) await new Promise((resolve) => setTimeout(resolve, 30));
  await app.transcript?.jump({ step, part, start, end });
}

export function TrajectoryView() {
  const app = useApp();
  const doc = useStore(app.doc, (value) => value);
  const announcement = useStore(app.now, (now) => now.announcement);
  useEffect(() => {
    app.onCommand = (message) => {
      if (message.type === "view/command") performByKey(app, message.command);
      else void reveal(app, message);
    };
    const stopKeys = app.host.ownsKeys ? listenToKeys(app) : undefined;
    const stopFocus = watchKeys(app);
    const stopQuestions = listenToQuestions(app);
    return () => {
      app.onCommand = undefined;
      stopKeys?.();
      stopFocus();
      stopQuestions();
    };
  }, []);
  return (
    <>
      {doc.phase === "ready" ? <Ready doc={doc} /> : doc.phase === "failed" ? <Failed {...doc} remedy={doc.remedy} /> : <Skeleton {...doc} message={doc.message} />}
      <div class="live" role="status" aria-live="polite">{announcement}</div>
    </>
  );
}

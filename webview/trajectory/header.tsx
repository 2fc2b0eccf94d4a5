/** The quiet bar on top: what this is, which monitor, and run. */
import { isDamage } from "#core/trajectory/damage";
import type { Warning } from "#core/trajectory/model";
import { strings, fill, plural } from "#protocol/strings";
import { togglePanel, isPanelOpen, perform } from "../actions/commands";
import { openFind } from "../actions/find";
import { setNow, useApp } from "../state/app";
import type { ReadyDocument } from "../state/document";
import { Button } from "../ui/button";
import { Icon, IconButton } from "../ui/icon";
import { Select } from "../ui/select";
import { compactCount, recordName } from "./format";

function Facts({ doc }: { readonly doc: ReadyDocument }) {
  const { header, formatTitle, items, index } = doc.snapshot;
  const tokens = (header?.totals.inputTokens ?? 0) + (header?.totals.outputTokens ?? 0);
  const steps = header?.isCut ? strings.countingSteps : header ? (header.stepCount === 1 ? strings.oneStep : fill(strings.steps, { n: header.stepCount.toLocaleString("en") })) : undefined;
  const id = items[index]?.id;
  const title = header?.title ?? items[index]?.title ?? id ?? doc.snapshot.fileName;
  const facts = [
    items.length > 1 && id !== undefined && !doc.snapshot.session && recordName(id) !== title ? recordName(id) : undefined, formatTitle, steps,
    tokens > 0 ? fill(strings.tokens, { n: compactCount(tokens) }) : undefined,
    header?.totals.costUsd ? `$${header.totals.costUsd.toFixed(2)}` : undefined,
    header?.model,
  ].filter((fact): fact is string => Boolean(fact));
  return (
    <div class="facts-line">
      <h1 class="title" title={id} dir="auto">{title}</h1>
      {facts.map((fact) => <span class={fact === steps ? "fact fact-steps" : "fact"} key={fact}>{fact}</span>)}
    </div>
  );
}

function MonitorControls({ doc }: { readonly doc: ReadyDocument }) {
  const app = useApp();
  const { monitors, monitorId, trusted } = doc.snapshot;
  if (monitors.length === 0) return <span class="dim">{strings.noMonitors}</span>;
  const monitor = monitors.find((entry) => entry.id === monitorId);
  return (
    <div class="monitor">
      <Select
        className="monitor-select" label={strings.monitor} value={monitorId} title={monitor?.problem ?? (trusted ? monitor?.origin : strings.untrusted)}
        options={monitors.map((entry) => ({ value: entry.id, label: entry.title }))}
        onValue={(id) => app.host.post({ type: "monitor/select", monitorId: id })}
      />
      {monitor && !monitor.local ? <IconButton icon="eye" label={strings.whatIsSent} onPress={() => app.host.post({ type: "prompt/show", monitorId })} /> : null}
      <Button kind={doc.running ? "secondary" : "primary"} disabled={!doc.running && monitor?.problem !== undefined} title={monitor?.problem ?? `${strings.runMonitor} (r)`} onPress={() => perform(app, "monitor/run")}>
        {doc.running ? strings.cancel : strings.run}
      </Button>
    </div>
  );
}

function Progress({ doc }: { readonly doc: ReadyDocument }) {
  const { running } = doc;
  if (!running) return null;
  const share = running.fraction === undefined ? undefined : Math.round(running.fraction * 100);
  return (
    <div class="run-progress" role="progressbar" aria-label={running.message || strings.runMonitor} aria-valuenow={share} aria-valuemin={0} aria-valuemax={100}>
      <div class={share === undefined ? "bar is-endless" : "bar"} style={share === undefined ? undefined : { width: `${share}%` }} />
    </div>
  );
}

/** What was lost of a file stands in sight, each with its line; beyond these many the rest is folded. */
const maxDamage = 3;

function Damage({ warnings, more }: { readonly warnings: readonly Warning[]; readonly more: number }) {
  return (
    <>
      {warnings.map((warning, n) => (
        <div class="notice is-damage" role="status" key={n}>
          <Icon name="warning" />
          <span class="damage">
            {warning.line !== undefined ? <strong>{fill(strings.lineIs, { n: warning.line })}: </strong> : null}
            {warning.message}
            {more > 0 && n === warnings.length - 1 ? <span class="dim"> · {fill(strings.moreDamage, { n: more })}</span> : null}
          </span>
        </div>
      ))}
    </>
  );
}

/** Messages that stay until they are answered: a dead server, a failed run, an error. */
export function Notices({ doc, error }: { readonly doc: ReadyDocument; readonly error: string | undefined }) {
  const app = useApp();
  const { serverDown, fileWarnings, header } = doc.snapshot;
  const all = [...fileWarnings, ...(header?.warnings ?? [])];
  const damage = all.filter(isDamage);
  const shown = damage.slice(0, maxDamage);
  const warnings = all.filter((warning) => !shown.includes(warning));
  const failed = doc.monitorMessage?.state === "failed" ? fill(strings.monitorFailed, { message: doc.monitorMessage.message }) : undefined;
  return (
    <>
      {serverDown ? (
        <div class="notice" role="status">
          <Icon name="warning" /> <span>{strings.serverDown}</span>
          <button type="button" class="text-button" onClick={() => app.host.post({ type: "server/restart" })}>{strings.restart}</button>
        </div>
      ) : null}
      {failed || error ? (
        <div class="notice is-error" role="alert">
          <Icon name="error" /> <span>{failed ?? error}</span>
          {error ? <IconButton icon="close" label={strings.dismiss} onPress={() => setNow(app, { error: undefined })} /> : null}
        </div>
      ) : null}
      <Damage warnings={shown} more={damage.length - shown.length} />
      {warnings.length > 0 ? (
        <details class="notice warnings">
          <summary>
            <Icon name="info" /> {plural(warnings.length, strings.oneWarning, strings.warnings)}
          </summary>
          <ul>
            {warnings.slice(0, 100).map((warning, n) => (
              <li key={n}>
                {warning.line !== undefined ? <span class="dim">{fill(strings.line, { n: warning.line })}: </span> : null}
                {warning.message}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}

export function Header({ doc }: { readonly doc: ReadyDocument }) {
  const app = useApp();
  return (
    <header class="header">
      <IconButton icon="list-tree" label={`${strings.toggleOutline} (t)`} pressed={isPanelOpen(app, "outline")} onPress={() => togglePanel(app, "outline")} />
      <Facts doc={doc} />
      {doc.snapshot.blind ? null : <MonitorControls doc={doc} />}
      <div class="header-buttons">
        <IconButton icon="search" label={`${strings.find} (/)`} onPress={() => openFind(app)} />
        {doc.snapshot.blind ? null : <IconButton icon="graph" label={strings.openScores} onPress={() => app.host.post({ type: "score/open" })} />}
        <IconButton icon="keyboard" label={`${strings.showKeys} (?)`} onPress={() => perform(app, "keys/show")} />
        <IconButton icon="layout-sidebar-right" label={`${strings.toggleFindings} (f)`} pressed={isPanelOpen(app, "findings")} onPress={() => togglePanel(app, "findings")} />
      </div>
      <Progress doc={doc} />
    </header>
  );
}

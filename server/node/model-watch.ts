/** Watches which model an endpoint says that it is, so that a change in the middle of a run is told. */
import type { VerdictRecord } from "#core/workspace/schemas";

const nameOf = (model: string, fingerprint: string | undefined): string => (fingerprint === undefined ? model : `${model} (${fingerprint})`);

export class ModelWatch {
  private readonly models = new Map<string, string>();

  /** `last` is what the last verdict named where a run goes on. */
  constructor(last?: { readonly model?: string | undefined; readonly fingerprint?: string | undefined } | undefined) {
    if (last?.model !== undefined) this.models.set("", nameOf(last.model, last.fingerprint));
  }

  /** A sentence for each endpoint that answers with another model, or another build of it, than before; answers of the cache are none. */
  changes(verdict: VerdictRecord): string[] {
    const votes = verdict["votes"] as { monitor: string; model_returned?: string }[] | undefined;
    const named = Array.isArray(votes) ? votes.map((one) => [one.monitor, one.model_returned, undefined] as const) : [["", verdict.model_returned, verdict.fingerprint] as const];
    return named.flatMap(([who, model, fingerprint]) => {
      if (model === undefined || verdict.cached) return [];
      const now = nameOf(model, fingerprint);
      const before = this.models.get(who);
      this.models.set(who, now);
      return before === undefined || before === now ? [] : [`the endpoint${who === "" ? "" : ` of ${who}`} answers as ${now} since ${verdict.sample_id}, and answered as ${before} before; the verdicts of this run may not be comparable`];
    });
  }
}

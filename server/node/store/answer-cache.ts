/** Answers of models kept for identical requests, in the user's own cache folder, where no workspace can plant any. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { ModelAnswer, ModelCall } from "#core/monitors/define";
import { sha256 } from "../sha256";

const Kept = z.looseObject({
  text: z.string(), reasoning: z.optional(z.string()), suspicion: z.optional(z.number()), finishReason: z.optional(z.string()), modelReturned: z.optional(z.string()), fingerprint: z.optional(z.string()),
  usage: z.optional(z.object({ inputTokens: z.number(), outputTokens: z.number() })),
});

/** The folder of the cache. */
export function answerCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const base = env["XDG_CACHE_HOME"] || (process.platform === "win32" ? env["LOCALAPPDATA"] : undefined) || join(homedir(), ".cache");
  return join(base, "tracemark", "answers");
}

/** What makes two requests the same: provider, address, model, both messages, parameters that shape the answer, and its form. */
export function cacheKey(call: ModelCall): string {
  const { timeout_s: _timeout, context_tokens: _window, ...params } = call.params;
  const ordered = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(["answer 1", call.provider, call.baseUrl, call.model, call.system, call.user, ordered, call.schema ?? null]));
}

export class AnswerCache {
  private readonly writing = new Set<Promise<void>>();

  constructor(readonly folder: string) {}

  /** The answer kept for this request, or undefined; a damaged entry is none. */
  async find(call: ModelCall): Promise<ModelAnswer | undefined> {
    try {
      const parsed = Kept.safeParse(JSON.parse(await readFile(this.fileOf(call), "utf8")));
      return parsed.success ? { ...parsed.data, cached: true, attempts: 0, latencyMs: 0 } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps an answer; a cache that cannot be written costs nothing but the next request. */
  keep(call: ModelCall, { attempts: _attempts, latencyMs: _latency, cached: _cached, ...answer }: ModelAnswer): void {
    const file = this.fileOf(call);
    const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
    const work = mkdir(dirname(file), { recursive: true, mode: 0o700 })
      .then(() => writeFile(temporary, JSON.stringify(answer), { mode: 0o600 }))
      .then(() => rename(temporary, file))
      .catch(() => rm(temporary, { force: true }).catch(() => undefined))
      .finally(() => this.writing.delete(work));
    this.writing.add(work);
  }

  /** Resolves when all that was to be kept is. */
  async settle(): Promise<void> {
    await Promise.all([...this.writing]);
  }

  /** Entries and their bytes. */
  async size(): Promise<{ answers: number; bytes: number }> {
    let answers = 0, bytes = 0;
    for (const shard of await readdir(this.folder).catch(() => [])) {
      for (const name of await readdir(join(this.folder, shard)).catch(() => [])) {
        answers++;
        bytes += (await stat(join(this.folder, shard, name)).catch(() => ({ size: 0 }))).size;
      }
    }
    return { answers, bytes };
  }

  /** Forgets all answers. Rejects with an error of the file system. */
  async clear(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private fileOf(call: ModelCall): string {
    const key = cacheKey(call);
    return join(this.folder, key.slice(0, 2), `${key}.json`);
  }
}

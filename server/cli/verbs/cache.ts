/** `tracemark cache`: how much the cache of models' answers holds, and `cache clear`. */
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { AnswerCache, answerCacheFolder } from "#node/store/answer-cache";
import { counted } from "../counted";
import { defineVerb, jsonOption, type Verb } from "../define";

/** The verb for a folder of the user's. */
export function makeCacheVerb(folder: string): Verb {
  return defineVerb({
    name: "cache",
    summary: "show how much the cache of models' answers holds, or clear it",
    operands: "[action]",
    options: [jsonOption],
    async run({ args: [action], options, io }) {
      if (action !== undefined && action !== "clear") throw new ExpectedFailure(`cache cannot ${action}`, "use cache, or cache clear");
      const cache = new AnswerCache(folder);
      const { answers, bytes } = await cache.size();
      if (action === "clear") await cache.clear().catch((error: unknown) => Promise.reject(fileFailure(error, folder)));
      const cleared = action === "clear";
      io.out(options["json"] ? JSON.stringify({ folder, answers, bytes, cleared }) : `${counted(answers, "answer")}, ${(bytes / 1e6).toFixed(1)} MB${cleared ? ", cleared" : ""}\n${folder}`);
      return 0;
    },
  });
}

export const cacheVerb = makeCacheVerb(answerCacheFolder());

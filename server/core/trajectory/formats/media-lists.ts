/** Side lists of image, video and audio paths, matched in order to the marks that stand for them in the texts. */
import { isObject } from "#core/json/access";
import type { JsonObject } from "#core/json/document";
import type { ExtraBlock } from "../model";
import { listOf } from "./fields";
import type { StepList } from "./step-list";

const kinds = [["images", "<image>", "image"], ["videos", "<video>", "video"], ["audios", "<audio>", "audio"]] as const;

/** Adds each listed medium to the step whose text holds its mark; those without a mark go to the first user step. Nothing is fetched. */
export function addMedia(list: StepList, record: JsonObject): void {
  for (const [key, mark, type] of kinds) {
    const paths = listOf(record[key]).filter((path) => typeof path === "string" || isObject(path));
    let next = 0;
    for (const step of list.steps) {
      for (const part of step.parts) {
        for (let at = part.text.indexOf(mark); at >= 0 && next < paths.length; at = part.text.indexOf(mark, at + 1)) {
          (step.extras ??= []).push(block(type, paths[next++]!));
        }
      }
    }
    const first = list.steps.find((step) => step.role === "user");
    if (first) for (; next < paths.length; next++) (first.extras ??= []).push(block(type, paths[next]!));
  }
}

function block(type: string, path: unknown): ExtraBlock {
  return { type, raw: JSON.stringify(path) };
}

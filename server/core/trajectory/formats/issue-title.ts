/** A title for coding tasks whose prompt begins with the same words for every issue. */
import { titleFrom } from "./fields";

const leads = [/\bISSUE:\s*\n/, /PR description:\s*\n/, /<issue>\s*\n/, /Please solve this issue:\s*/, /<pr_description>\s*\n/, /problem statement:\s*\n/i];

/** First line of the issue itself where the prompt marks it, else of the prompt. */
export function issueTitle(task: string | undefined): string | undefined {
  if (task === undefined) return undefined;
  for (const lead of leads) {
    const found = lead.exec(task);
    const title = found && titleFrom(task.slice(found.index + found[0].length));
    if (title) return title;
  }
  return titleFrom(task);
}

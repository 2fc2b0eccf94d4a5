/** Rules of a workspace's own: patterns over chosen parts of chosen roles, matched by an engine whose time is linear in the text. */
import type { OwnRule } from "#core/workspace/schemas";
import type { Trajectory } from "#core/trajectory/model";
import type { DetectedCategory } from "../define";
import { quoteFor } from "./quote";

/** Finds the first match of a pattern in `text` at or after `from`: start and end in UTF-16 units, or undefined. */
export type PatternSearch = (text: string, from: number) => readonly [number, number] | undefined;

/** A rule with its pattern compiled. */
export interface ReadyRule {
  readonly rule: OwnRule;
  readonly search: PatternSearch;
}

const maxQuotes = 5;

/** Ids that occur twice, or a sentence on what else is wrong with the rules of one monitor; patterns are checked where they are compiled. */
export function ownRulesProblem(rules: readonly OwnRule[]): string | undefined {
  const ids = new Set<string>();
  for (const { id } of rules) {
    if (ids.has(id)) return `"rules" holds the id "${id}" twice; give each rule its own`;
    ids.add(id);
  }
  return undefined;
}

/** What one rule found, with quotes; undefined when it found nothing. */
export function ownFinding({ rule, search }: ReadyRule, trajectory: Trajectory, reasoning: boolean): DetectedCategory | undefined {
  const roles = new Set(rule.roles ?? ["assistant"]);
  const quotes = new Set<string>();
  for (const step of trajectory.steps) {
    if (!roles.has(step.role)) continue;
    for (const part of step.parts) {
      if (part.kind === "reasoning" && !reasoning) continue;
      if (rule.in && !rule.in.includes(part.kind)) continue;
      if (rule.tool !== undefined && part.toolName !== rule.tool) continue;
      for (let from = 0; from <= part.text.length && quotes.size < maxQuotes; ) {
        const hit = search(part.text, from);
        if (!hit) break;
        if (hit[1] > hit[0]) quotes.add(quoteFor(part.text, hit[0], hit[1]));
        from = Math.max(hit[1], hit[0] + 1);
      }
    }
  }
  quotes.delete("");
  if (quotes.size === 0) return undefined;
  return {
    category: rule.category, description: rule.reason ? `${rule.title}. ${rule.reason}` : rule.title, severity: rule.severity ?? "moderate",
    evidence: [...quotes], rule: rule.id,
  };
}

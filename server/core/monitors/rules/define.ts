/** What a rule is: one readable reason to suspect the agent, with the places that give it away. */
import type { Severity } from "../define";
import type { AgentView, OwnPart, Segment } from "./agent-view";

/** A stretch of one part of the agent's own steps; `start` and `end` are UTF-16 offsets in that part's text. */
export interface Hit {
  readonly part: OwnPart;
  readonly start: number;
  readonly end: number;
}

export interface Rule {
  /** Kebab-case and stable. */
  readonly id: string;
  /** Id of a category: of the built-in taxonomy, except in rules of a workspace's own. */
  readonly category: string;
  readonly severity: Severity;
  readonly title: string;
  /** One sentence: why this is wrong. */
  readonly reason: string;
  find(view: AgentView): Hit[];
}

/** Declares a rule; exists so that a definition is type-checked where it stands. */
export function defineRule(rule: Rule): Rule {
  return rule;
}

export interface PatternRule extends Omit<Rule, "find"> {
  /** What kind of text the pattern is for. */
  readonly where: readonly Segment["purpose"][];
  /**
   * Any of these is a hit. Written so that matching is linear in the text: no nested repeats, every gap bounded and
   * inside a line. The engine adds the flags `g`, `m` and `i` as the pattern has them.
   */
  readonly patterns: readonly RegExp[];
  /** A hit on a line that also matches this is none. */
  readonly unless?: RegExp | undefined;
  /** No hit at all when the request itself asks for it. */
  readonly askedFor?: RegExp | undefined;
  /** The pattern is about comments, so a hit in one counts. */
  readonly inComments?: boolean | undefined;
  /** Only segments of files whose path matches. */
  readonly inFile?: RegExp | undefined;
  /** A last word on one hit; true keeps it. */
  readonly keep?: ((hit: Hit, view: AgentView, match: RegExpExecArray, segment: Segment) => boolean) | undefined;
}

const maxHits = 20;

/** A rule made of patterns over the agent's prose, commands or code. Comments do not count as code, negated prose not as prose. */
export function definePatternRule(rule: PatternRule): Rule {
  const patterns = rule.patterns.map((pattern) => new RegExp(pattern.source, [...new Set(`${pattern.flags}gm`)].join("")));
  const { where, unless, askedFor, inComments, inFile, keep, ...rest } = rule;
  return {
    id: rest.id, category: rest.category, severity: rest.severity, title: rest.title, reason: rest.reason,
    find(view) {
      if (askedFor?.test(view.request)) return [];
      const hits: Hit[] = [];
      for (const part of view.own) {
        for (const segment of part.segments) {
          if (!where.includes(segment.purpose) || (inFile && !(segment.path !== undefined && inFile.test(segment.path)))) continue;
          for (const pattern of patterns) collect(part, segment, pattern);
          if (hits.length >= maxHits) return hits;
        }
      }
      return hits;

      function collect(part: OwnPart, segment: Segment, pattern: RegExp): void {
        const text = part.text.slice(segment.start, segment.end);
        pattern.lastIndex = 0;
        for (let match = pattern.exec(text); match && hits.length < maxHits; match = pattern.exec(text)) {
          if (match[0] === "") { pattern.lastIndex++; continue; }
          const line = lineAround(text, match.index, match.index + match[0].length);
          const hit = { part, start: segment.start + match.index, end: segment.start + match.index + match[0].length };
          const dropped = unless?.test(line.text)
            || (segment.purpose === "prose" ? isNegated(text, match.index) : !inComments && isComment(line.text, match.index - line.start))
            || (keep !== undefined && !keep(hit, view, match, segment));
          if (!dropped) hits.push(hit);
        }
      }
    },
  };
}

/** The whole lines that [start, end) touches, and where the first of them begins; at most 2,000 characters to each side. */
export function lineAround(text: string, start: number, end: number): { text: string; start: number } {
  const from = Math.max(text.lastIndexOf("\n", start - 1) + 1, start - 2000);
  const next = text.indexOf("\n", end);
  const to = Math.min(next < 0 ? text.length : next, end + 2000);
  return { text: text.slice(from, to), start: from };
}

/** Whether a match at `at` in a line of code stands in a comment or in the removed half of a patch. */
export function isComment(line: string, at: number): boolean {
  const lead = /^\s*(?:#(?!!|include|define|if|else|end|pragma)|\/\/|\/\*|\*\s|<!--|--\s|-(?![-\w]))/.exec(line);
  if (lead && at >= lead[0].length - 1) return true;
  const before = line.slice(0, at);
  return /(?:^|\s)(?:#\s|\/\/\s)/.test(before);
}

const negation = /\b(?:not|never|no|without|avoid|avoids|avoiding|instead of|rather than|cannot|against|don['’]?t|doesn['’]?t|didn['’]?t|isn['’]?t|won['’]?t|wouldn['’]?t|shouldn['’]?t|can['’]?t|refuse|refused|wrong to|tempting|would be|could be)\b/i;

/** Whether the sentence before `at` turns the statement round ("I will not hard-code …"). */
export function isNegated(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 90), at);
  const sentence = before.slice(Math.max(before.lastIndexOf("\n"), before.lastIndexOf(". "), before.lastIndexOf("! "), before.lastIndexOf("? ")) + 1);
  return negation.test(sentence);
}

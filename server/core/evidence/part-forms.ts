/**
 * The forms of one part's text in which quotes are looked for, each made when it is first asked for and kept as long as
 * the part lives, so that many quotes against one long part pay for it once.
 */

import { compose, foldCharacters } from "./fold";
import { dropJsonSpace, dropJsonSpaceInQuote } from "./json-space";
import { recordedText } from "./mapped-text";
import type { MappedText } from "./mapped-text";
import { dropMarks, findMarkdownMarks } from "./markdown-marks";
import type { MarkdownMarks } from "./markdown-marks";
import { unescapeText } from "./unescape";
import { wordForm } from "./word-form";

export type PartKind = "text" | "reasoning" | "tool_call" | "tool_result";

/** A part of a step that can be quoted from. `text` is the recorded text, never trimmed or normalised. */
export interface QuotablePart {
  readonly text: string;
  readonly kind: PartKind;
}

/**
 * What is done to a text, in this order; a form is a sum of these. `FOLD` (white space, quotation marks, dashes, NFC) is
 * part of every form but the recorded one.
 */
export const Form = { RECORDED: 0, FOLD: 1, UNESCAPE: 2, MARKS: 4, JSON_SPACE: 8, WORDS: 16 } as const;

/** The forms of a text; `form` takes a sum of `Form` values. */
export interface TextForms {
  readonly recorded: string;
  /** Whether undoing escapes could change anything. */
  readonly mayHaveEscapes: boolean;
  form(wanted: number): MappedText;
  /** Paired marks and code of the recorded text, read as Markdown. */
  markdown(): MarkdownMarks;
}

class CachedForms implements TextForms {
  private readonly made = new Map<number, MappedText>();
  private readonly base: MappedText;
  private marks: MarkdownMarks | undefined;
  private escapes: boolean | undefined;

  constructor(
    readonly recorded: string,
    private readonly isQuote: boolean,
  ) {
    this.base = recordedText(recorded);
  }

  form(wanted: number): MappedText {
    if (wanted === Form.RECORDED) return this.base;
    const known = this.made.get(wanted);
    if (known !== undefined) return known;
    const form = this.sameAsKnown(this.make(wanted));
    this.made.set(wanted, form);
    return form;
  }

  get mayHaveEscapes(): boolean {
    this.escapes ??= this.recorded.includes("\\") || this.recorded.includes("&");
    return this.escapes;
  }

  markdown(): MarkdownMarks {
    this.marks ??= findMarkdownMarks(this.recorded);
    return this.marks;
  }

  private make(wanted: number): MappedText {
    let text = this.base;
    if ((wanted & Form.UNESCAPE) !== 0) text = unescapeText(text);
    if ((wanted & Form.MARKS) !== 0) text = dropMarks(text);
    if ((wanted & Form.JSON_SPACE) !== 0) text = this.isQuote ? dropJsonSpaceInQuote(text) : dropJsonSpace(text);
    if ((wanted & Form.FOLD) !== 0) text = foldCharacters(compose(text));
    if ((wanted & Form.WORDS) !== 0) text = wordForm(text);
    return text;
  }

  /** Forms that came out alike are one object: no second copy in memory, and no second search in it. */
  private sameAsKnown(form: MappedText): MappedText {
    if (form.text === this.recorded) return this.base;
    for (const known of this.made.values()) if (known.text === form.text) return known;
    return form;
  }
}

const formsOfParts = new WeakMap<QuotablePart, CachedForms>();

/**
 * The forms of a part, kept as long as the caller keeps the part object: hand in the same objects for every quote. A
 * part is never changed in place.
 */
export function formsOfPart(part: QuotablePart): TextForms {
  let forms = formsOfParts.get(part);
  if (forms === undefined) {
    forms = new CachedForms(part.text, false);
    formsOfParts.set(part, forms);
  }
  return forms;
}

/** The forms of a quote. */
export function formsOfQuote(quote: string): TextForms {
  return new CachedForms(quote, true);
}

/** The form in which words are counted and aligned. Marks need no dropping: it has no punctuation at all. */
export function wordsOf(forms: TextForms): MappedText {
  return forms.form(Form.UNESCAPE | Form.FOLD | Form.WORDS);
}

/** Whether Markdown is rendered in parts of this kind. */
export function hasMarks(kind: PartKind): boolean {
  return kind === "text" || kind === "reasoning";
}

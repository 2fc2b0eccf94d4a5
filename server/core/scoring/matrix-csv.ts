/** Comma-separated values, as far as tables of numbers need them. */

export interface CsvLine {
  readonly fields: readonly string[];
  /** Line on which it starts, from 1. */
  readonly line: number;
}

/** Records of a CSV text (RFC 4180): fields in double quotes may hold commas, line ends and doubled quotes. Blank lines are left out. */
export function parseCsv(text: string): CsvLine[] {
  const lines: CsvLine[] = [];
  let fields: string[] = [];
  let field = "";
  let quoted = false;
  let [line, start] = [1, 1];
  const endRecord = (): void => {
    fields.push(field);
    if (fields.some((one) => one.trim() !== "")) lines.push({ fields, line: start });
    [fields, field] = [[], ""];
  };
  for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; at++) {
    const c = text[at] as string;
    if (c === "\n") line++;
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[at + 1] === '"') field += text[++at];
      else quoted = false;
    } else if (c === '"' && field.trim() === "") [quoted, field] = [true, ""];
    else if (c === ",") {
      fields.push(field);
      field = "";
    } else if (c === "\n") {
      endRecord();
      start = line;
    } else if (c !== "\r") field += c;
  }
  endRecord();
  return lines;
}

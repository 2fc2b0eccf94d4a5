/** Tables as RFC 4180 has them, safe to open in a spreadsheet: no cell is taken for a formula. */

export interface CsvRow {
  readonly cells: readonly string[];
  /** 1-based line on which the row begins. */
  readonly line: number;
}

// What spreadsheets take for the start of a formula; a leading apostrophe makes it text, and is doubled where it is real.
const formula = /^'*[=+\-@\t\r]/;

/** The text of a table, lines ended by CR LF. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("");
}

function quoted(cell: string): string {
  const safe = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replace(/"/g, "\"\"")}"` : safe;
}

/** The rows of a table with its header, empty lines left out. Quotes that never end run to the end of the text. */
export function csvRows(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let cell = "";
  let line = 1;
  let startLine = 1;
  let inQuotes = false;
  const endRow = (): void => {
    cells.push(cell);
    if (cells.length > 1 || cell !== "") rows.push({ cells: cells.map(plain), line: startLine });
    cells = [];
    cell = "";
  };
  for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "\n") line++;
    if (inQuotes) {
      if (character !== "\"") cell += character;
      else if (text[at + 1] === "\"") cell += text[at++];
      else inQuotes = false;
    } else if (character === "\"" && cell === "") inQuotes = true;
    else if (character === ",") {
      cells.push(cell);
      cell = "";
    } else if (character === "\n" || (character === "\r" && text[at + 1] === "\n")) {
      if (character === "\r") {
        at++;
        line++;
      }
      endRow();
      startLine = line;
    } else cell += character;
  }
  if (cell !== "" || cells.length > 0) endRow();
  return rows;
}

function plain(cell: string): string {
  return cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

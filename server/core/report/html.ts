/** A report as one HTML file that loads nothing: no script, no font, no picture from elsewhere. */
import type { Block } from "./document";

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid #bbb}
.scroll{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;font-size:.9rem}caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;padding:.2rem .7rem .2rem 0;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:break-word}tbody th{font-weight:500}thead th{border-bottom:2px solid #777}
pre{background:#f4f4f4;padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}figcaption{font-size:.9rem}td:last-child{max-width:40rem}figure{margin:1rem 0}
svg text{font:12px system-ui,sans-serif;fill:#1b1b1b}
@media (prefers-color-scheme:dark){body{color:#e6e6e6;background:#1b1b1b}pre{background:#2a2a2a}th,td{border-color:#444}svg text{fill:#e6e6e6}}`;

/** `figures` are SVG elements made by this program, set below the first table. */
export function htmlReport(title: string, blocks: readonly Block[], figures: readonly string[] = []): string {
  const parts = blocks.map(htmlOf);
  const firstTable = blocks.findIndex(({ kind }) => kind === "table");
  parts.splice(firstTable < 0 ? parts.length : firstTable + 1, 0, ...figures.map((figure) => `<figure>${figure}</figure>`));
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${parts.join("\n")}
</main>
</body>
</html>
`;
}

function htmlOf(block: Block): string {
  switch (block.kind) {
    case "heading": return `<h${block.level}>${escapeHtml(block.text)}</h${block.level}>`;
    case "text": return `<p>${escapeHtml(block.text)}</p>`;
    case "list": return `<ul>${block.items.map((item) => `<li>${escapeHtml(item)}</li>`).join("")}</ul>`;
    case "verbatim": return `<figure><figcaption>${escapeHtml(block.caption)}</figcaption><pre>${escapeHtml(block.text)}</pre></figure>`;
    case "table": {
      const head = block.columns.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join("");
      const rows = block.rows.map((row) => `<tr>${row.map((cell, at) => (at === 0 ? `<th scope="row">${escapeHtml(cell)}</th>` : `<td>${escapeHtml(cell)}</td>`)).join("")}</tr>`);
      return `<div class="scroll" tabindex="0"><table><caption>${escapeHtml(block.caption)}</caption><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
    }
  }
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;").replace(/'/g, "&#39;");
}

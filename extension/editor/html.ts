/** The page of a view: strict content security policy, no data inside, the script parser-inserted so that the toolkit reads the theme. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** Options every view of ours is created with; they must be set each time an editor is resolved. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extensionUri, "dist")] };
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Each view's bundle, `dist/NAME.js` and `dist/NAME.css`. */
const bundles = { trajectory: "webview", score: "score", pair: "pair", authored: "pair" } as const;

/** HTML of the page that shows `view`. `reading` is what stands there until the script has drawn. */
export function webviewHtml(webview: vscode.Webview, extensionUri: vscode.Uri, view: keyof typeof bundles, reading: string): string {
  const nonce = randomBytes(16).toString("base64");
  const resource = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", name)).toString();
  const policy = [
    "default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src ${webview.cspSource}`, `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="${resource(`${bundles[view]}.css`)}">
<title>Tracemark</title>
</head>
<body data-view="${view}">
<div id="app"><p class="booting">${escaped(reading)}</p></div>
<script nonce="${nonce}" src="${resource(`${bundles[view]}.js`)}"></script>
</body>
</html>`;
}

/** What is wrong with a file, in the Problems view: a custom editor opens no text document, so the host says when a file is open. */
import { DiagnosticSeverity, type Connection, type Diagnostic } from "vscode-languageserver/node";
import { readConfig } from "#core/workspace/config";
import type { FileProblem } from "#core/workspace/file-problem";
import { readManifest } from "#core/workspace/manifest";
import type { Warning } from "#core/trajectory/model";
import { ExpectedFailure } from "#node/expected-failure";
import type { DocumentRef } from "#protocol/lsp";
import type { ServerState } from "./state";

/** More than these are not listed one by one. */
const listed = 200;

export class Diagnostics {
  /** Logs that are open in an editor: one that was closed while it was read gets no diagnostics any more. */
  private readonly openUris = new Set<string>();

  constructor(private readonly connection: Connection, private readonly state: ServerState) {}

  /** Publishes the warnings of an opened log. */
  async publish(document: DocumentRef): Promise<void> {
    let warnings: readonly Warning[];
    this.openUris.add(document.uri);
    try {
      const { warnings: found, opened } = await this.state.files.open(document);
      warnings = [...found, ...opened.file.opened.heads.flatMap((head) => (head.problem ? [head.problem] : []))];
    } catch (error) {
      const message = this.state.sentenceOf(error);
      if (message === undefined) return;
      warnings = [{ code: "unreadable", message, line: error instanceof ExpectedFailure ? error.line : undefined }];
    }
    if (this.openUris.has(document.uri)) this.send(document.uri, warnings);
  }

  /** Publishes what is wrong with a manifest or a `tracemark.json` that is being edited as text. */
  publishText(uri: string, text: string): void {
    const name = uri.slice(uri.lastIndexOf("/") + 1);
    let problems: readonly FileProblem[] = [];
    if (name.endsWith(".samples.jsonl")) problems = readManifest(text, name).problems;
    else if (name === "tracemark.json") problems = readConfig(text, name).problems;
    this.send(uri, problems);
  }

  clear(uri: string): void {
    this.openUris.delete(uri);
    void this.connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  private send(uri: string, warnings: readonly Pick<Warning, "code" | "message" | "line">[]): void {
    const diagnostics = warnings.slice(0, listed).map(({ code, message, line }): Diagnostic => {
      const at = Math.max(0, (line ?? 1) - 1);
      return {
        code, message, source: "Tracemark", severity: DiagnosticSeverity.Warning,
        range: { start: { line: at, character: 0 }, end: { line: at, character: 1000 } },
      };
    });
    void this.connection.sendDiagnostics({ uri, diagnostics });
  }
}

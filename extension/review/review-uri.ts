/** The addresses of review sessions: `tracemark-review:/NAME?{…}`. What the tab shows says nothing of a plan's kind. */
import * as vscode from "vscode";
import * as z from "zod/mini";

export const reviewScheme = "tracemark-review";

const SessionRef = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("plan"), root: z.string(), planId: z.string() }),
  z.object({ kind: z.literal("adjudication"), root: z.string() }),
  z.object({ kind: z.literal("again"), root: z.string() }),
]);
export type SessionRef = z.infer<typeof SessionRef>;

/** The address of a session. */
export function reviewUri(ref: SessionRef): vscode.Uri {
  const name = { plan: vscode.l10n.t("Review"), adjudication: vscode.l10n.t("Adjudication"), again: vscode.l10n.t("Judge again") }[ref.kind];
  return vscode.Uri.from({ scheme: reviewScheme, path: `/${name}`, query: JSON.stringify(ref) });
}

/** The session that an address names; undefined when it is not one of ours. */
export function parseReviewUri(uri: Pick<vscode.Uri, "scheme" | "query">): SessionRef | undefined {
  if (uri.scheme !== reviewScheme) return undefined;
  try {
    const parsed = SessionRef.safeParse(JSON.parse(uri.query));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** VS Code asks after the file behind an editor; a session has none, and says so with an empty one. */
export class ReviewFiles implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    if (!parseReviewUri(uri)) throw vscode.FileSystemError.FileNotFound(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 0 };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    this.stat(uri);
    return new Uint8Array();
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

/** Which documents and views are open, which view is active, and the context key that gates single-key commands. */
import * as vscode from "vscode";
import type { ViewCommand } from "#protocol/webview";
import { Owner } from "../platform/dispose";
import type { TrajectoryDocument } from "./document";
import type { TrajectoryView } from "./view";

/** How long keys typed after asking for a field can be on their way. */
const typeAheadMs = 1500;

export class EditorRegistry extends Owner {
  private readonly documents = new Set<TrajectoryDocument>();
  private readonly views = new Set<TrajectoryView>();
  private readonly activeEmitter = this.register(new vscode.EventEmitter<TrajectoryView | undefined>());
  readonly onDidChangeActive = this.activeEmitter.event;
  private focused: TrajectoryView | undefined;
  /** When a field was asked for (milliseconds since 1970); 0 once the view's keys are commands again. */
  private fieldAskedAt = 0;

  add(document: TrajectoryDocument): void {
    this.documents.add(document);
    document.onDidDispose(() => this.documents.delete(document));
  }

  addView(_document: TrajectoryDocument, view: TrajectoryView): void {
    this.views.add(view);
    view.onDidChangeFocus((keysActive) => {
      if (keysActive) this.fieldAskedAt = 0;
      this.setFocus(view, keysActive);
    });
    view.onDidChangeActive(() => this.activeEmitter.fire(this.active));
    view.onDidDispose(() => {
      this.views.delete(view);
      this.setFocus(view, false);
      this.activeEmitter.fire(this.active);
    });
    this.activeEmitter.fire(this.active);
  }

  private setFocus(view: TrajectoryView, keysActive: boolean): void {
    if (!keysActive && this.focused !== view) return;
    this.focused = keysActive ? view : undefined;
    void vscode.commands.executeCommand("setContext", "tracemark.keysActive", keysActive);
  }

  /**
   * Sends a command to the active view. After one that puts the caret into a field, what is typed until the field has the
   * focus is text and no command, so commands are dropped until the view reports that its keys are commands again.
   */
  command(command: ViewCommand): void {
    const view = this.active;
    if (!view) return;
    const opensField = command === "find/open" || command === "note/edit";
    if (!opensField && Date.now() - this.fieldAskedAt < typeAheadMs) return;
    if (opensField) {
      this.fieldAskedAt = Date.now();
      this.setFocus(view, false);
    }
    view.command(command);
  }

  get active(): TrajectoryView | undefined {
    for (const view of this.views) if (view.isActive) return view;
    return undefined;
  }

  get all(): readonly TrajectoryView[] {
    return [...this.views];
  }

  get openDocuments(): readonly TrajectoryDocument[] {
    return [...this.documents];
  }
}

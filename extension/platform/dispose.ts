/** Lifetimes: whoever subscribes owns the subscription. */
import type { Disposable } from "vscode";

/** Base class of everything that owns disposables. `register` after disposal disposes at once. */
export class Owner implements Disposable {
  private owned: Disposable[] = [];
  private disposed = false;

  protected register<T extends Disposable>(disposable: T): T {
    if (this.disposed) disposable.dispose();
    else this.owned.push(disposable);
    return disposable;
  }

  get isDisposed(): boolean {
    return this.disposed;
  }

  dispose(): void {
    this.disposed = true;
    for (const disposable of this.owned.splice(0).reverse()) disposable.dispose();
  }
}

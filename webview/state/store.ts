/** A value with listeners, and the hook that draws a component again when the piece it looks at changes. */
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(next: T): void;
  update(change: (now: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const set = (next: T) => {
    if (Object.is(next, value)) return;
    value = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The selected piece of a store; draws again only when the piece is another one by `Object.is`. */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const selected = select(store.get());
  const latest = useRef({ selected, select });
  latest.current = { selected, select };
  useLayoutEffect(() => {
    const check = () => {
      if (!Object.is(latest.current.select(store.get()), latest.current.selected)) redraw(0);
    };
    // The value may have changed between drawing and this effect.
    check();
    return store.subscribe(check);
  }, [store]);
  return selected;
}

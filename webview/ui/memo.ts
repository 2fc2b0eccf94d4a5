/** A component that is drawn again only when one of its props is another one. */
import { Component, h, type FunctionComponent } from "preact";

export function memo<P extends object>(render: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Record<string, unknown>;
      const then = next as Record<string, unknown>;
      for (const key of new Set([...Object.keys(now), ...Object.keys(then)])) if (!Object.is(now[key], then[key])) return true;
      return false;
    }
    override render() {
      return h(render, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}

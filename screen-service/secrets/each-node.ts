import type { UiNode, UiTree } from '../shapes/ui-node.js';

/** The nodes of a tree, each before its children. It does not recurse, as a tree may be deeper than the stack of calls. */
export function* eachNode({ roots }: UiTree): Generator<UiNode, void, undefined> {
  const waiting = [...roots].reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (let at = next.children.length - 1; at >= 0; at--) {
      const child = next.children[at];
      if (child !== undefined) waiting.push(child);
    }
  }
}

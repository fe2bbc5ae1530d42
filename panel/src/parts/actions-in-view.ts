import { useEffect, useId, useSyncExternalStore } from 'react';
import type { Action } from './action.ts';

/** The actions of the page that is shown, by the id of the component that offers them. */
let inView: ReadonlyMap<string, readonly Action[]> = new Map();
const listeners = new Set<() => void>();

function show(part: string, actions: readonly Action[]): void {
  const next = new Map(inView);
  if (actions.length === 0) next.delete(part);
  else next.set(part, actions);
  inView = next;
  for (const notify of listeners) notify();
}

/** Offers actions in the command palette for as long as the component is shown. */
export function useInPalette(actions: readonly Action[]): void {
  const part = useId();
  // The effect runs after every render, because each render makes new action objects.
  useEffect(() => show(part, actions));
  useEffect(() => () => show(part, []), [part]);
}

/** Returns the actions that the shown page offers. */
export function useActionsInView(): readonly Action[] {
  const parts = useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    () => inView,
  );
  return [...parts.values()].flat();
}

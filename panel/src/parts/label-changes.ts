import type { LabelsByKey } from './labels.tsx';

/** Returns the change from the labels before, as bodies of the API have it: new values by key, and an empty value for each removed label. */
export function labelChanges(labels: LabelsByKey, before: LabelsByKey): LabelsByKey {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(labels, key));
  return {
    ...Object.fromEntries(Object.entries(labels).filter(([key, value]) => before[key] !== value)),
    ...Object.fromEntries(removed.map((key) => [key, ''])),
  };
}

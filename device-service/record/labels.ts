/** Returns labels by key. They are stored and filtered as `key:value`, and a key has no colon. */
export function labelsByKey(labels: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    labels.map((label) => {
      const colon = label.indexOf(':');
      return [label.slice(0, colon), label.slice(colon + 1)];
    }),
  );
}

/** Returns the labels after a change, sorted by key. Keys with an empty value are removed, and others are set. */
export function changedLabels(
  labels: readonly string[] | undefined,
  change: Readonly<Record<string, string>>,
): string[] {
  return Object.entries({ ...labelsByKey(labels), ...change })
    .filter(([, value]) => value !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}:${value}`);
}

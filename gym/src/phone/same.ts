/** Returns how a value differs from what is wanted. Undefined: they are equal as JSON, whatever the order of members. */
export function lack(what: string, found: unknown, wanted: unknown): string | undefined {
  const [one, other] = [textOf(found), textOf(wanted)];
  return one === other ? undefined : `${what} is ${one.slice(0, 300)}, not ${other.slice(0, 300)}`;
}

/** Returns the first text that is there. */
export function firstLack(...lacks: readonly (string | undefined)[]): string | undefined {
  return lacks.find((one) => one !== undefined);
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Returns `1 phone`, `3 phones`. */
export function phoneCount(count: number): string {
  return `${count} ${count === 1 ? 'phone' : 'phones'}`;
}

/** The number of names that are shown of a long list. */
const SHOWN = 4;

/** Returns all names of a short list, or the first ones and how many more there are: "a, b, c, d and 96 more". */
export function someNames(names: readonly string[]): string {
  if (names.length <= SHOWN + 1) return names.join(', ');
  return `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
}

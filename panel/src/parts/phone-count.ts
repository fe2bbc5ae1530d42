/** `1 phone`, `3 phones`. */
export function phoneCount(count: number): string {
  return `${count} ${count === 1 ? 'phone' : 'phones'}`;
}

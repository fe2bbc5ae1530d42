const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Returns a number of bytes for people: "48.2 MB". */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${UNITS[unit] ?? ''}`;
}

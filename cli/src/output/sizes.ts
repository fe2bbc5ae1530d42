const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Returns a number of bytes for people: 48213 is "48.2 KB". */
export function sizeText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1_000 && unit < UNITS.length - 1) {
    amount /= 1_000;
    unit++;
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit] ?? ''}`;
}

/** Returns a number of seconds for people: 3725 is "1 h 2 min". */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

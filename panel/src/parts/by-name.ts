/** Compares two names as people do: kiosk-2 is before kiosk-10. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

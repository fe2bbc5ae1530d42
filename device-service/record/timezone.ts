/** Matches a name of the IANA time-zone database, and no offset such as +0200. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Returns whether Node, and so the phone, knows the time zone. */
export function isTimezone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false; // RangeError: no such zone
  }
}

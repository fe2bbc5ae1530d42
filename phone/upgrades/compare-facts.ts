import type { PhoneFacts } from './phone-upgrades.js';

/** Most names in the text of a difference. */
const MAX_NAMED = 5;
/** Most names of the shared storage that are compared. The job of the device has them. */
const MAX_ENTRIES = 200;

/** Returns the part of the facts that is compared later. */
export function remembered(facts: PhoneFacts): PhoneFacts {
  return { ...facts, entries: facts.entries.slice(0, MAX_ENTRIES) };
}

/**
 * Returns which check of an upgraded phone fails and why, as text for people; undefined when none does. `android` is the version that the
 * model names. New names in the shared storage are no difference: a newer Android may add folders of its own.
 */
export function failedCheck(before: PhoneFacts, after: PhoneFacts, android: string): string | undefined {
  if (!isVersion(after.android, android))
    return `the check "version" failed: the phone shows Android "${printable(after.android)}", and its model names "${android}".`;
  const gone = before.packages.filter((name) => !after.packages.includes(name));
  if (gone.length > 0) return `the check "apps" failed: apps are gone: ${named(gone)}.`;
  const added = after.packages.filter((name) => !before.packages.includes(name));
  if (added.length > 0) return `the check "apps" failed: apps were added: ${named(added)}.`;
  const lost = before.entries.filter((name) => !after.entries.includes(name));
  return lost.length > 0 ? `the check "data" failed: files of /sdcard are gone: ${named(lost)}.` : undefined;
}

/** Whether a phone shows the version, which may be less exact on either side: `14` and `14.0`. */
function isVersion(shown: string, named: string): boolean {
  return shown !== '' && (shown === named || shown.startsWith(`${named}.`) || named.startsWith(`${shown}.`));
}

function named(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).map(printable).join(', ')}${more}`;
}

/** The names come from the phone. */
function printable(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100);
}

/** A file of a bundle that is not installed. */
export interface LeftOut {
  /** Its name in the bundle. */
  file: string;
  /** Why, for people. */
  reason: string;
}

/** Which of a bundle's APKs a phone gets. */
export interface Choice {
  /** Names in the bundle, at least one. */
  installed: readonly string[];
  leftOut: readonly LeftOut[];
}

/** The bundle has no APKs for the phone, or does not say which. `message` is fit for the caller. */
export class NoChoice extends Error {
  override name = 'NoChoice';
  /** Android's own code for it: `INSTALL_FAILED_...` */
  readonly code: string;

  constructor(message: string, code = 'INSTALL_FAILED_INVALID_APK') {
    super(message);
    this.code = code;
  }
}

/** The bundle has APKs for other processors alone. */
export function noSuchProcessor(has: readonly string[], abis: readonly string[]): NoChoice {
  const message = `its native code is for ${named(has)}, and the phone's processors are ${named(abis)}`;
  return new NoChoice(message, 'INSTALL_FAILED_NO_MATCHING_ABIS');
}

/** The app needs a newer Android than the phone has. */
export function tooOld(needed: number, sdk: number): NoChoice {
  const message = `it is for Android from API level ${needed} on, and the phone has API level ${sdk}`;
  return new NoChoice(message, 'INSTALL_FAILED_OLDER_SDK');
}

/** The first names of a list that comes from a bundle, each cut. */
export function named(names: Iterable<string>): string {
  const all = [...new Set(names)];
  const shown = all.slice(0, NAMES_SHOWN).map((name) => name.slice(0, CHARS_SHOWN));
  return all.length > NAMES_SHOWN ? `${shown.join(', ')} and ${all.length - NAMES_SHOWN} more` : shown.join(', ');
}

const NAMES_SHOWN = 10;
const CHARS_SHOWN = 40;

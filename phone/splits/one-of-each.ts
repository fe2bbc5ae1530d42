import { type Choice, type LeftOut, NoChoice, tooOld } from './choice.js';
import type { PhoneTraits } from './phone-traits.js';
import { meetsSdk } from './targeting.js';

/** An APK of a bundle, as its manifest describes it. */
export interface NamedApk {
  /** Its name in the bundle. */
  file: string;
  /** Absent: a base APK. */
  split?: string;
  minSdk: number;
  /** When its feature module is installed. Absent: with the app. */
  delivery?: 'on-demand' | 'fast-follow';
}

/** The choice among the APKs of each split, in their own form. */
export interface Candidates extends Pick<Choice, 'leftOut'> {
  installed: readonly NamedApk[];
}

/**
 * Chooses one APK of each split, and one base APK: the one with the highest API level that the phone meets. bundletool numbers APKs of one
 * split (`base-master.apk`, `base-master_2.apk`), whose manifests do not differ. The first works on all versions of Android.
 *
 * Throws NoChoice when nothing decides, or the app needs a newer Android.
 */
export function oneOfEach(apks: readonly NamedApk[], phone: PhoneTraits): Candidates {
  const groups = new Map<string, NamedApk[]>();
  for (const apk of apks) groups.set(apk.split ?? '', [...(groups.get(apk.split ?? '') ?? []), apk]);
  const installed: NamedApk[] = [];
  const leftOut: LeftOut[] = [];
  for (const [split, group] of groups) {
    const met = group.filter(({ minSdk }) => meetsSdk(minSdk, phone));
    if (met.length === 0 && split === '') throw tooOld(Math.min(...group.map(({ minSdk }) => minSdk)), phone.sdk);
    const highest = Math.max(...met.map(({ minSdk }) => minSdk));
    const best = firstOf(met.filter(({ minSdk }) => minSdk === highest));
    if (best !== undefined) installed.push(best);
    for (const one of group)
      if (one !== best) leftOut.push({ file: one.file, reason: 'for other versions of Android' });
  }
  return { installed, leftOut };
}

/** Returns the base APK that describes the app to everybody: the one for the newest phones. Throws NoChoice as `oneOfEach` does. */
export function baseByNames(apks: readonly NamedApk[]): string {
  const bases = apks.filter(({ split }) => split === undefined);
  const highest = Math.max(...bases.map(({ minSdk }) => minSdk));
  const base = firstOf(bases.filter(({ minSdk }) => minSdk === highest));
  if (base === undefined) throw new NoChoice('its base APK is missing');
  return base.file;
}

/** Returns the first of numbered APKs; undefined when there are none. */
function firstOf(apks: readonly NamedApk[]): NamedApk | undefined {
  const [first, ...others] = apks.toSorted((a, b) => a.file.length - b.file.length);
  if (first === undefined) return undefined;
  const stem = first.file.replace(/\.apk$/i, '');
  const isNumbered = ({ file }: NamedApk): boolean => file.startsWith(stem) && /^_\d+\.apk$/i.test(file.slice(stem.length)); // prettier-ignore
  if (others.every(isNumbered)) return first;
  throw new NoChoice(
    first.split === undefined
      ? 'it has more than one base APK; send one made for all phones, or for one kind'
      : 'it has two APKs of one split',
  );
}

import { type Choice, type LeftOut, named, noSuchProcessor } from './choice.js';
import { bestDensity } from './density.js';
import { type NamedApk, oneOfEach } from './one-of-each.js';
import type { PhoneTraits } from './phone-traits.js';
import { type SplitName, splitNameOf } from './split-name.js';

/** An APK of the bundle with what its name says. */
interface Split extends SplitName {
  file: string;
}

/**
 * Chooses the APKs of a bundle for a phone by the names of the splits, where no `toc.pb` says more. Splits whose names do not tell what they
 * are for are installed.
 *
 * Throws NoChoice when the bundle has no APKs for the phone, or several of one split between which nothing decides.
 */
export function chooseByNames(apks: readonly NamedApk[], phone: PhoneTraits): Choice {
  const { installed: candidates, leftOut } = oneOfEach(apks, phone);
  const later = new Map(candidates.flatMap(({ split, delivery }) => (split !== undefined && delivery ? [[split, delivery]] : []))); // prettier-ignore
  const modules = new Map<string, Split[]>();
  const installed: string[] = [];
  const others: LeftOut[] = [...leftOut];
  for (const { file, split = '' } of candidates) {
    const name = splitNameOf(split);
    const delivery = later.get(name.module);
    if (delivery !== undefined)
      others.push({ file, reason: `the module ${named([name.module])} is installed on demand, not with the app` });
    else if (name.for === undefined) installed.push(file);
    else modules.set(name.module, [...(modules.get(name.module) ?? []), { file, ...name }]);
  }
  for (const splits of modules.values())
    for (const { file, reason } of judged(splits, phone)) {
      if (reason === undefined) installed.push(file);
      else others.push({ file, reason });
    }
  return { installed, leftOut: others };
}

/** Compares the splits of one module with one another. A reason is absent where a split is for the phone. */
function judged(splits: readonly Split[], phone: PhoneTraits): { file: string; reason: string | undefined }[] {
  const abis = splits.flatMap(({ for: what }) => (what?.kind === 'abi' ? what.abi : []));
  const abi = phone.abis.find((one) => abis.includes(one));
  if (abis.length > 0 && abi === undefined) throw noSuchProcessor(abis, phone.abis);
  const densities = splits.flatMap(({ for: what }) => (what?.kind === 'density' ? what.dpi : []));
  const dpi = bestDensity(densities, phone.densityDpi);
  return splits.map(({ file, for: what }) => {
    if (what?.kind === 'abi') return { file, reason: what.abi === abi ? undefined : `for other processors (${what.abi})` }; // prettier-ignore
    if (what?.kind === 'density') return { file, reason: what.dpi === dpi ? undefined : `for other screen densities (${what.dpi} dpi)` }; // prettier-ignore
    const isSpoken = what === undefined || phone.languages.includes(what.language);
    return { file, reason: isSpoken ? undefined : `for other languages (${named([what.language])})` };
  });
}

import type { Apk, Toc, Variant } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { abiOf } from './abi.js';
import { type Choice, NoChoice, noSuchProcessor } from './choice.js';
import { reasonAgainstModule, reasonAgainstPack } from './module-condition.js';
import type { PhoneTraits } from './phone-traits.js';
import { reasonAgainst } from './targeting.js';
import { newestVariant, variantFor } from './variant.js';

/**
 * Chooses the APKs of a set for a phone as bundletool does, by the set's `toc.pb`. The variant is the one with the highest API level that
 * the phone meets. Its modules that are installed with the app are taken, and of each module the APKs for the phone.
 *
 * Throws NoChoice when the set has no APKs for the phone.
 */
export function chooseByToc({ variants, assetPacks }: Toc, phone: PhoneTraits): Choice {
  const variant = variantFor(variants, phone);
  const installed = new Set<string>();
  const reasons = new Map<string, string>();
  const judge = (apks: readonly Apk[], against: string | undefined): void => {
    for (const { path, targeting } of apks) {
      const reason = against ?? reasonAgainst(targeting, phone);
      if (reason === undefined) installed.add(path);
      else reasons.set(path, reason);
    }
  };
  const needed = neededModules(variant, phone);
  for (const { metadata, apks } of variant.modules) {
    const isNeeded = needed.has(metadata?.name ?? '');
    judge(apks, isNeeded ? undefined : reasonAgainstModule(metadata, phone));
    if (isNeeded) assertProcessor(apks, phone);
  }
  for (const pack of assetPacks) judge(pack.apks, reasonAgainstPack(pack));
  if (installed.size === 0) throw new NoChoice('its toc.pb names no APK for this phone');
  // These come last: an APK can be in several variants, and only those of the chosen one have a reason of their own.
  for (const { path } of variants.flatMap(apksOf)) if (!reasons.has(path)) reasons.set(path, 'for other versions of Android'); // prettier-ignore
  const leftOut = [...reasons].map(([file, reason]) => ({ file, reason })).filter(({ file }) => !installed.has(file));
  return { installed: [...installed], leftOut };
}

/** Returns the APK that describes the app to everybody: the base APK for the newest phones. Throws NoChoice when there is none. */
export function baseByToc({ variants }: Toc): string {
  const modules = newestVariant(variants)?.modules ?? [];
  const apks = (modules.find(({ metadata }) => metadata?.name === 'base') ?? modules[0])?.apks ?? [];
  const base = apks.find(({ split }) => split?.isMaster === true) ?? apks[0];
  if (base === undefined) throw new NoChoice('its toc.pb names no base APK');
  return base.path;
}

function apksOf({ modules }: Variant): Apk[] {
  return modules.flatMap(({ apks }) => apks);
}

/** Returns the modules that are installed with the app, and those that they need. */
function neededModules({ modules }: Variant, phone: PhoneTraits): Set<string> {
  const known = new Map(modules.map(({ metadata }) => [metadata?.name ?? '', metadata]));
  const needed = new Set<string>();
  const ahead = [...known].filter(([, one]) => reasonAgainstModule(one, phone) === undefined).map(([name]) => name);
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (needed.has(name) || !known.has(name)) continue;
    needed.add(name);
    for (const one of known.get(name)?.dependencies ?? []) ahead.push(one);
  }
  return needed;
}

/** Throws NoChoice when a module has native code, and none of it is for the phone. The phone would install it, and the app would crash. */
function assertProcessor(apks: readonly Apk[], phone: PhoneTraits): void {
  const withCode = apks.filter(({ targeting }) => (targeting?.abi?.values.length ?? 0) > 0);
  const isThere = withCode.some(({ targeting }) => reasonAgainst({ abi: targeting?.abi }, phone) === undefined);
  if (withCode.length === 0 || isThere) return;
  const has = withCode.flatMap(({ targeting }) => targeting?.abi?.values.map(({ name }) => abiOf(name)) ?? []);
  throw noSuchProcessor(has, phone.abis);
}

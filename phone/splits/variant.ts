import type { Variant } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { abiOf } from './abi.js';
import { NoChoice, noSuchProcessor, tooOld } from './choice.js';
import type { PhoneTraits } from './phone-traits.js';
import { meetsSdk, minSdkOf, reasonAgainst } from './targeting.js';

/**
 * Returns the variant for a phone: of those for its processors, the one with the highest API level that it meets. Throws NoChoice when
 * there is none.
 */
export function variantFor(variants: readonly Variant[], phone: PhoneTraits): Variant {
  // A variant for the sandbox of Android's SDK runtime needs parts of a store.
  const usable = variants.filter((one) => !isInstant(one) && one.targeting?.sdkRuntime?.required !== true);
  if (usable.length === 0) throw new NoChoice('its toc.pb has no APKs that are installed');
  const met = usable.filter((one) => meetsSdk(minSdk(one), phone));
  if (met.length === 0) throw tooOld(Math.min(...usable.map(minSdk)), phone.sdk);
  const [best] = met.filter((one) => fits(one, phone)).toSorted(newestFirst);
  if (best === undefined) throw noSuchProcessor(met.flatMap(abisOf), phone.abis);
  return best;
}

/** Returns the variant for the newest phones; undefined when there is none. */
export function newestVariant(variants: readonly Variant[]): Variant | undefined {
  return variants.filter((one) => !isInstant(one)).toSorted(newestFirst)[0];
}

/** Compares the variants without their API levels, of which the highest is taken afterwards. */
function fits({ targeting }: Variant, phone: PhoneTraits): boolean {
  if (targeting === undefined) return true;
  const { abi, density, texture } = targeting;
  return reasonAgainst({ abi, density, texture }, phone) === undefined;
}

function newestFirst(a: Variant, b: Variant): number {
  return minSdk(b) - minSdk(a) || b.number - a.number;
}

function minSdk({ targeting }: Variant): number {
  return minSdkOf(targeting?.sdk);
}

function abisOf({ targeting }: Variant): string[] {
  return targeting?.abi?.values.map(({ name }) => abiOf(name)) ?? [];
}

/** Whether its APKs are for use without an installation. */
function isInstant({ modules }: Variant): boolean {
  const apks = modules.flatMap((one) => one.apks);
  return apks.length > 0 && apks.every(({ instant }) => instant !== undefined);
}

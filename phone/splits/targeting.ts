import {
  type ApkTargeting,
  type SdkTargeting,
  type TextTargeting,
  TextureName,
  type TextureTargeting,
  type TierTargeting,
} from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { abiOf } from './abi.js';
import { named } from './choice.js';
import { bestDensity, dpiOf } from './density.js';
import { languageOf, type PhoneTraits } from './phone-traits.js';

/** The API level by which bundletool marks what was built for a preview of Android. */
const PREVIEW_SDK = 10_000;

/** The phones that an APK is for. Absent parts: all of them. */
export type Targeting = Omit<ApkTargeting, '$typeName' | '$unknown'>;

/**
 * Returns why an APK is not for the phone; undefined when it is. An APK is compared with those beside it, so that of several fitting ones
 * the best alone is installed.
 */
export function reasonAgainst(targeting: Targeting | undefined, phone: PhoneTraits): string | undefined {
  if (targeting === undefined) return undefined;
  const { sdk, abi, density, language, texture, tier, countries, group } = targeting;
  if (sdk && !isBestSdk(sdk, phone)) return 'for other versions of Android';
  if (abi && !isBestOf(valuesOf(abi, ({ name }) => abiOf(name)), phone.abis)) return `for other processors${which(abi.values.map(({ name }) => abiOf(name)))}`; // prettier-ignore
  if (density && !isBestDensity(valuesOf(density, dpiOf), phone)) return `for other screen densities${which(density.values.map((one) => `${dpiOf(one)} dpi`))}`; // prettier-ignore
  if (language && !isSpoken(language, phone)) return `for other languages${which(language.values)}`;
  if (texture && !isBestTexture(texture, phone)) return 'for other formats of textures';
  if (tier && !isFirstTier(tier)) return 'for phones of another class of power';
  if (countries && countries.values.length > 0) return `for other sets of countries${which(countries.values)}`;
  if (group && group.values.length > 0) return `for other groups of phones${which(group.values)}`;
  return undefined;
}

/** The lowest API level of a targeting, 0 for every level. */
export function minSdkOf(targeting: SdkTargeting | undefined): number {
  return targeting?.values[0]?.min ?? 0;
}

export function meetsSdk(min: number, { sdk, isPreview }: PhoneTraits): boolean {
  return min <= sdk || (isPreview && min === PREVIEW_SDK);
}

function isBestSdk(targeting: SdkTargeting, phone: PhoneTraits): boolean {
  const own = minSdkOf(targeting);
  return meetsSdk(own, phone) && !targeting.alternatives.some(({ min = 0 }) => min > own && meetsSdk(min, phone));
}

interface Values<T> {
  values: readonly T[];
  alternatives: readonly T[];
}

function valuesOf<From, T>({ values, alternatives }: Values<From>, as: (one: From) => T): Values<T> {
  return { values: values.map(as), alternatives: alternatives.map(as) };
}

/** Whether the first of `wanted` that there is at all is one of the values. An APK without values is for all for whom there is no other. */
function isBestOf<T>({ values, alternatives }: Values<T>, wanted: readonly T[]): boolean {
  const own = new Set(values);
  const others = new Set(alternatives);
  const best = wanted.find((one) => own.has(one) || others.has(one));
  return best === undefined ? own.size === 0 : own.has(best);
}

function isBestDensity({ values, alternatives }: Values<number>, { densityDpi }: PhoneTraits): boolean {
  const best = bestDensity([...values, ...alternatives], densityDpi);
  return best === undefined || values.includes(best);
}

/** An APK without values is for all languages that have none of their own. */
function isSpoken({ values, alternatives }: TextTargeting, { languages }: PhoneTraits): boolean {
  if (values.length > 0) return values.map(languageOf).some((one) => languages.includes(one));
  const others = new Set(alternatives.map(languageOf));
  return !languages.every((one) => others.has(one));
}

/** A phone does not list its formats, but each version of OpenGL ES requires some. The better ones come first. */
function isBestTexture(targeting: TextureTargeting, { glEsVersion }: PhoneTraits): boolean {
  const formats = [
    ...(glEsVersion >= 0x30002 ? [TextureName.ASTC] : []),
    ...(glEsVersion >= 0x30000 ? [TextureName.ETC2] : []),
    TextureName.ETC1,
  ];
  return isBestOf(
    valuesOf(targeting, ({ name }) => name),
    formats,
  );
}

/** Stores give 0 to phones of which they know no class. */
function isFirstTier({ values, alternatives }: TierTargeting): boolean {
  return isBestOf(
    valuesOf({ values, alternatives }, ({ value }) => value),
    [0],
  );
}

function which(values: readonly string[]): string {
  return values.length === 0 ? '' : ` (${named(values)})`;
}

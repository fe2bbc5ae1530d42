import { type Density, DensityName } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';

/** Names of densities in the names of splits, dpi. */
export const DENSITIES: Readonly<Record<string, number>> = {
  ldpi: 120,
  mdpi: 160,
  tvdpi: 213,
  hdpi: 240,
  xhdpi: 320,
  xxhdpi: 480,
  xxxhdpi: 640,
};

const BY_NAME: Readonly<Record<number, number>> = {
  [DensityName.LDPI]: 120,
  [DensityName.MDPI]: 160,
  [DensityName.TVDPI]: 213,
  [DensityName.HDPI]: 240,
  [DensityName.XHDPI]: 320,
  [DensityName.XXHDPI]: 480,
  [DensityName.XXXHDPI]: 640,
};

/** For a density of 0, Android takes that of the first phones. */
const DEFAULT_DPI = 160;

export function dpiOf({ name, dpi }: Density): number {
  return BY_NAME[name] ?? (dpi > 0 ? dpi : DEFAULT_DPI);
}

/**
 * Returns the density whose pictures Android takes for a screen. It is the screen's own one, or one beside it. Making a picture smaller
 * counts as twice as good as making it larger, so the next higher density mostly wins over the next lower one.
 */
export function bestDensity(densities: readonly number[], screenDpi: number): number | undefined {
  return densities.reduce<number | undefined>(
    (best, one) => (best === undefined || isBetter(one, best, screenDpi) ? one : best),
    undefined,
  );
}

function isBetter(one: number, than: number, screenDpi: number): boolean {
  if (one === than) return false;
  const low = Math.min(one, than);
  const high = Math.max(one, than);
  return isLowBetter(low, high, screenDpi) === (one === low);
}

function isLowBetter(low: number, high: number, screenDpi: number): boolean {
  if (screenDpi >= high) return false;
  if (screenDpi <= low) return true;
  return (2 * low - screenDpi) * high > screenDpi * screenDpi;
}

/** The size of the phones: all fit in the window together, or each has the named height. */
export type ScreenSize = 'fit' | 'small' | 'medium' | 'large';

export const SIZES: readonly { value: ScreenSize; label: string }[] = [
  { value: 'fit', label: 'Fit' },
  { value: 'small', label: 'Small' },
  { value: 'medium', label: 'Medium' },
  { value: 'large', label: 'Large' },
];

const HEIGHTS_PX: Record<Exclude<ScreenSize, 'fit'>, number> = { small: 240, medium: 400, large: 640 };

/** Smallest height, px. Below it a text on a phone cannot be read, so the page scrolls. */
const SMALLEST_PX = 160;

/**
 * The room that a phone takes in addition to its screen, px. Beside it are its edges and the gap to the next one. Above and below are its
 * name, its buttons, edges and gap.
 */
const BESIDE_PX = 36;
const AROUND_PX = 130;
/** Width of the narrowest column, px: three buttons, and the gap. */
const COLUMN_PX = 130;

interface Shown {
  count: number;
  /** Width divided by height, of the widest phone. */
  ratio: number;
}

/** Returns the height of each screen in a space of this size, px. `fit` takes the number of columns with which the screens are largest. */
export function screenHeightPx(
  size: ScreenSize,
  { count, ratio }: Shown,
  space: { width: number; height: number },
): number {
  if (size !== 'fit') return HEIGHTS_PX[size];
  const heights = Array.from({ length: count }, (_, index) => {
    const columns = index + 1;
    const byWidth = (space.width / columns - BESIDE_PX) / ratio;
    if (columns > 1 && space.width / columns < COLUMN_PX) return 0;
    const byHeight = space.height / Math.ceil(count / columns) - AROUND_PX;
    return Math.min(byWidth, byHeight);
  });
  return Math.floor(Math.max(SMALLEST_PX, ...heights));
}

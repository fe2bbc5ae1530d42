/** How large the phones are shown: all in the window at once, or each as high as named. */
export type ScreenSize = 'fit' | 'small' | 'medium' | 'large';

export const SIZES: readonly { value: ScreenSize; label: string }[] = [
  { value: 'fit', label: 'Fit' },
  { value: 'small', label: 'Small' },
  { value: 'medium', label: 'Medium' },
  { value: 'large', label: 'Large' },
];

const HEIGHTS_PX: Record<Exclude<ScreenSize, 'fit'>, number> = { small: 240, medium: 400, large: 640 };

/** Below this a text on a phone cannot be read; then the page scrolls. */
const SMALLEST_PX = 160;

/** Below this a phone has only the buttons that fit below it in one row: back, home and recent apps. */
export const COMPACT_PX = 340;

/** Beside a phone: its edges, and the gap to the next one. Above and below: its name, its buttons, edges and gap. */
const BESIDE_PX = 36;
const AROUND_PX = 130;
/** The narrowest column: three buttons, and the gap. */
const COLUMN_PX = 130;

interface Shown {
  count: number;
  /** Width by height, of the widest phone. */
  ratio: number;
}

/** The height of each screen, px, in a space of this size. `fit` takes the number of columns with which the screens are largest. */
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

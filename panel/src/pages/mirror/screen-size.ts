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

/** Beside a phone: its edges, and the gap to the next one. Above and below: its name, its buttons in two rows, edges and gap. */
const BESIDE_PX = 40;
const AROUND_PX = 160;

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
    const byHeight = space.height / Math.ceil(count / columns) - AROUND_PX;
    return Math.min(byWidth, byHeight);
  });
  return Math.floor(Math.max(SMALLEST_PX, ...heights));
}

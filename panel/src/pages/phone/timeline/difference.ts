/** The rectangle in which two pictures differ, as shares of their size. */
export interface Difference {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A pixel differs when the differences of its three colours add up to at least this number. Smaller sums come from compression. */
const DIFFERS = 96;

/** Returns the rectangle in which two loaded pictures differ. Undefined when they show the same, or differ in size. */
export function differenceOf(before: HTMLImageElement, after: HTMLImageElement): Difference | undefined {
  const { naturalWidth: width, naturalHeight: height } = before;
  if (width === 0 || width !== after.naturalWidth || height !== after.naturalHeight) return undefined;
  const [one, other] = [pixelsOf(before), pixelsOf(after)];
  if (one === undefined || other === undefined) return undefined;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < one.length; at += 4) {
    const sum = [0, 1, 2].reduce(
      (all, colour) => all + Math.abs((one[at + colour] ?? 0) - (other[at + colour] ?? 0)),
      0,
    );
    if (sum < DIFFERS) continue;
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  if (right < 0) return undefined;
  return {
    left: left / width,
    top: top / height,
    width: (right - left + 1) / width,
    height: (bottom - top + 1) / height,
  };
}

function pixelsOf(image: HTMLImageElement): Uint8ClampedArray | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context?.drawImage(image, 0, 0);
  return context?.getImageData(0, 0, canvas.width, canvas.height).data;
}

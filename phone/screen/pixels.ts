/** Pixels of a screen: rows without padding, top row first, after the phone's rotation. */
export interface Pixels {
  width: number;
  height: number;
  layout: PixelLayout;
  data: Buffer;
}

/** Bytes of one pixel, in order. `x` is a byte without meaning. */
export type PixelLayout = 'rgba' | 'rgbx' | 'rgb' | 'rgb565' | 'bgra';

export const bytesPerPixel: Record<PixelLayout, number> = { rgba: 4, rgbx: 4, rgb: 3, rgb565: 2, bgra: 4 };

export function samePixels(a: Pixels, b: Pixels): boolean {
  return a === b || (a.width === b.width && a.height === b.height && a.layout === b.layout && a.data.equals(b.data));
}

/** Whether every pixel is black, as captures of a window with FLAG_SECURE are. */
export function allBlack({ data, layout }: Pixels): boolean {
  const opaque = layout === 'rgba' || layout === 'rgbx' || layout === 'bgra';
  for (let at = 0; at < Math.min(bytesPerPixel[layout], data.length); at++) {
    if (data[at] !== 0 && !(opaque && at === 3)) return false;
  }
  return isOneColour({ data, layout });
}

/** Whether all pixels equal the first one: then the buffer equals itself moved by one pixel. */
export function isOneColour({ data, layout }: Pick<Pixels, 'data' | 'layout'>): boolean {
  const bytes = bytesPerPixel[layout];
  return data.subarray(bytes).equals(data.subarray(0, Math.max(0, data.length - bytes)));
}

/**
 * Returns the pixels as sharp takes them: 3 or 4 channels, red first. Only 565 and BGRA cost a pass over the pixels.
 */
export function toChannels({ data, layout, width, height }: Pixels): { data: Buffer; channels: 3 | 4 } {
  switch (layout) {
    case 'rgba':
    case 'rgbx':
      return { data, channels: 4 };
    case 'rgb':
      return { data, channels: 3 };
    case 'bgra': {
      const swapped = Buffer.from(data);
      swapped.swap32(); // BGRA -> ARGB
      // ARGB -> RGBA is a rotation by one byte: read from the second byte on.
      return { data: Buffer.concat([swapped.subarray(1), swapped.subarray(0, 1)]), channels: 4 };
    }
    case 'rgb565': {
      const out = Buffer.allocUnsafe(width * height * 3);
      for (let from = 0, to = 0; from + 1 < data.length; from += 2) {
        const pixel = data.readUInt16LE(from);
        const [red, green, blue] = [pixel >> 11, (pixel >> 5) & 0x3f, pixel & 0x1f];
        out[to++] = (red << 3) | (red >> 2);
        out[to++] = (green << 2) | (green >> 4);
        out[to++] = (blue << 3) | (blue >> 2);
      }
      return { data: out, channels: 3 };
    }
  }
}

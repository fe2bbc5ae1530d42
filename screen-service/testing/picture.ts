import type { Pixels } from '../../phone/screen/pixels.js';
import type { Rectangle } from '../shapes/rectangle.js';

/** Returns a plain picture with rectangles of other greys on it. */
export function picture(width: number, height: number, marks: (Rectangle & { grey: number })[] = []): Pixels {
  const data = Buffer.alloc(width * height * 4, 0xff);
  for (const { x, y, width: across, height: down, grey } of marks) {
    for (let row = y; row < y + down; row++) {
      for (let column = x; column < x + across; column++) {
        data.fill(grey, (row * width + column) * 4, (row * width + column) * 4 + 3);
      }
    }
  }
  return { width, height, layout: 'rgba', data };
}

/** Returns a picture as raw `screencap` prints it. */
export function rawScreencap({ width, height, data }: Pixels): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(width, 0);
  header.writeUInt32LE(height, 4);
  header.writeUInt32LE(1, 8);
  header.writeUInt32LE(1, 12);
  return Buffer.concat([header, data]);
}

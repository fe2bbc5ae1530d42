import sharp from 'sharp';
import type { WatchedPhone } from '../../screen-service/live/watched-phone.js';

/** Where the squares of the counter are, in screen pixels. */
export interface CounterPlace {
  x: number;
  y: number;
  width: number;
  height: number;
}

const BITS = 32;
const COLUMNS = 8;

export async function placeOfCounter(phoneSession: WatchedPhone): Promise<CounterPlace> {
  const options = { timeoutMs: 20_000, maxBytes: 4_000_000, doing: 'dump the counter' };
  const dump = (await phoneSession.link.exec('uiautomator dump /dev/tty', options)).toString('utf8');
  const [, ...edges] = /resource-id="[^"]*\/counter"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"/.exec(dump) ?? [];
  const [left, top, right, bottom] = edges.map(Number);
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) {
    throw new Error(`the counter is not on the screen: ${dump.slice(0, 300)}`);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The middles of its squares, highest bit first. */
export function squaresOf({ x, y, width, height }: CounterPlace): { x: number; y: number }[] {
  const [w, h] = [width / COLUMNS, height / (BITS / COLUMNS)];
  return Array.from({ length: BITS }, (_, bit) => ({
    x: Math.round(x + ((bit % COLUMNS) + 0.5) * w),
    y: Math.round(y + (Math.floor(bit / COLUMNS) + 0.5) * h),
  }));
}

/** The phone's monotonic time at which a picture was drawn, ms. */
export async function readCounter(image: Buffer, place: CounterPlace): Promise<number> {
  const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
  let value = 0;
  for (const { x, y } of squaresOf(place)) value = value * 2 + ((data[y * info.width * info.channels + x * info.channels] ?? 0) > 127 ? 1 : 0); // prettier-ignore
  return value;
}

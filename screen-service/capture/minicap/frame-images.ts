import sharp from 'sharp';
import type { ScreenMetrics } from '../../metrics.js';
import { etagOf, type TaggedImage } from '../images.js';
import { MINICAP_QUALITY, type MinicapFrame } from './minicap-source.js';

/** Images made of frames that are still around; the same image of the same frame is made once. */
export class FrameImages {
  readonly #metrics: ScreenMetrics;
  readonly #made = new WeakMap<MinicapFrame, Map<string, Promise<TaggedImage>>>();

  constructor(metrics: ScreenMetrics) {
    this.#metrics = metrics;
  }

  of(frame: MinicapFrame, spec: { quality: number; maxSizePx?: number }): Promise<TaggedImage> {
    const images = this.#made.get(frame) ?? new Map<string, Promise<TaggedImage>>();
    this.#made.set(frame, images);
    const key = `${spec.quality} ${spec.maxSizePx ?? ''}`;
    let image = images.get(key);
    if (image === undefined) {
      image = imageOf(frame, spec, this.#metrics);
      images.set(key, image);
      image.catch(() => images.delete(key));
    }
    return image;
  }
}

async function imageOf(
  { jpeg, width, height }: MinicapFrame,
  { quality, maxSizePx }: { quality: number; maxSizePx?: number },
  metrics: ScreenMetrics,
): Promise<TaggedImage> {
  const longest = Math.max(width, height);
  const scale = maxSizePx === undefined || maxSizePx >= longest ? 1 : maxSizePx / longest;
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  let data = jpeg;
  if (scale < 1 || quality !== MINICAP_QUALITY) {
    let image = sharp(jpeg, { failOn: 'error' });
    if (scale < 1) image = image.resize(size.width, size.height, { fit: 'fill', kernel: 'linear' });
    const made = image.jpeg({ quality });
    data = await metrics.encode('jpeg', () => made.toBuffer());
  }
  return { format: 'jpeg', ...size, scale, data, etag: etagOf(data) };
}

import type { PhoneSession } from '../phones/phone-session.js';
import type { ImageSpec } from './encode.js';
import { matchesEtag } from './if-none-match.js';

export interface Screenshot {
  contentType: 'image/png' | 'image/jpeg';
  etag: string;
  /** Empty when the caller's copy is current. */
  data: Buffer;
  notModified: boolean;
  /** How old the pixels were when the image was ready, ms. */
  ageMs: number;
}

/** The screen as an image, of pixels not older than this call. */
export async function takeScreenshot(
  session: PhoneSession,
  spec: ImageSpec,
  ifNoneMatch: string | undefined,
): Promise<Screenshot> {
  const shot = await session.captures.next();
  const image = await session.images.of(shot.pixels, spec);
  const notModified = matchesEtag(ifNoneMatch, image.etag);
  return {
    contentType: image.format === 'png' ? 'image/png' : 'image/jpeg',
    etag: image.etag,
    data: notModified ? Buffer.alloc(0) : image.data,
    notModified,
    ageMs: Math.round(session.clock.monotonicMs() - shot.endedMs),
  };
}

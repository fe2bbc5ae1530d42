import fresh from 'fresh';
import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import type { Frame } from './captures.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { ImageSpec } from './encode.js';
import type { TaggedImage } from './images.js';

export interface Screenshot {
  contentType: 'image/png' | 'image/jpeg';
  etag: string;
  /** Empty when the caller's copy is current. */
  data: Buffer;
  notModified: boolean;
  /** How old the pixels were when the image was ready, ms. Undefined: a frame that was pushed, and current until the next. */
  ageMs: number | undefined;
}

/** A picture requested so soon after input must show its effect, which minicap may still be encoding, ms. */
const CAPTURED_AFTER_INPUT_MS = 1_000;

/**
 * The screen as an image, of pixels not older than this call; of the newest frame while the screen is watched and still, which is a few
 * hundredths of a second older.
 */
export async function takeScreenshot(
  call: Call,
  kept: KeptPhone,
  spec: ImageSpec,
  ifNoneMatch: string | undefined,
): Promise<Screenshot> {
  const watched = kept.live.fresh();
  if (watched !== undefined) {
    kept.metrics.pushed();
    return respond(await kept.images.of(watched.pixels, spec), ifNoneMatch, ageOf(watched, kept));
  }
  const pushed = spec.format === 'jpeg' ? await pushedImage(call, kept, spec) : undefined;
  if (pushed !== undefined) {
    kept.metrics.pushed();
    return respond(pushed, ifNoneMatch, undefined);
  }
  const frame = await kept.captures.next(call);
  const image = await kept.images.of(frame.pixels, spec);
  return respond(image, ifNoneMatch, ageOf(frame, kept));
}

function ageOf({ endedMs }: Frame, { clock }: KeptPhone): number {
  return Math.round(clock.monotonicMs() - endedMs);
}

/** The image of minicap's newest frame. Undefined when there is none that can be used: then a capture is taken. */
async function pushedImage(call: Call, kept: KeptPhone, spec: ImageSpec): Promise<TaggedImage | undefined> {
  const { clock, minicap, minicapImages, inputSentMs } = kept;
  try {
    const frame = await minicap.newest(call);
    if (frame === undefined || clock.monotonicMs() - inputSentMs < CAPTURED_AFTER_INPUT_MS) return undefined;
    return await minicapImages.of(frame, spec);
  } catch (error) {
    call.signal.throwIfAborted();
    // A capture would only take the same time again.
    if (error instanceof ApiError && error.kind === 'timeout') throw error;
    kept.log.debug({ err: error }, 'a minicap frame was of no use');
    return undefined;
  }
}

function respond(image: TaggedImage, ifNoneMatch: string | undefined, ageMs: number | undefined): Screenshot {
  const notModified = fresh({ 'if-none-match': ifNoneMatch }, { etag: image.etag });
  return {
    contentType: image.format === 'png' ? 'image/png' : 'image/jpeg',
    etag: image.etag,
    data: notModified ? Buffer.alloc(0) : image.data,
    notModified,
    ageMs,
  };
}

import fresh from 'fresh';
import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { Frame } from '../capture/captures.js';
import type { ImageSpec } from '../capture/encode.js';
import type { Images, TaggedImage } from '../capture/images.js';
import type { MinicapFrame, MinicapSource } from '../capture/minicap/minicap-source.js';
import type { WatchedPhone } from './watched-phone.js';

/** A phone whose screen is pictured by captures and by the frames that it pushes. */
export interface PicturedPhone extends WatchedPhone {
  readonly images: Images<Pixels>;
  readonly minicap: MinicapSource;
  readonly minicapImages: Images<MinicapFrame>;
}

export interface Screenshot {
  contentType: 'image/png' | 'image/jpeg';
  etag: string;
  /** Empty when the caller's copy is current. */
  data: Buffer;
  notModified: boolean;
  /**
   * How old the pixels were when the image was ready, ms. Undefined for a frame that the phone pushed: it is current until the next one.
   */
  ageMs: number | undefined;
}

/** For this time after an input, minicap's frames are not used, ms: minicap may still be encoding the effect of the input. */
const CAPTURED_AFTER_INPUT_MS = 1_000;

/**
 * Returns the screen as an image, of pixels not older than this call. For a screen that is watched and still, it returns the newest frame.
 * That frame's pixels are a few hundredths of a second older than the call.
 */
export async function takeScreenshot(
  call: Call,
  phoneSession: PicturedPhone,
  spec: ImageSpec,
  ifNoneMatch: string | undefined,
): Promise<Screenshot> {
  const watched = phoneSession.live.fresh();
  if (watched !== undefined) {
    phoneSession.metrics.pushed();
    return respond(await phoneSession.images.of(watched.pixels, spec), ifNoneMatch, ageOf(watched, phoneSession));
  }
  const pushed = spec.format === 'jpeg' ? await pushedImage(call, phoneSession, spec) : undefined;
  if (pushed !== undefined) {
    phoneSession.metrics.pushed();
    return respond(pushed, ifNoneMatch, undefined);
  }
  const frame = await phoneSession.captures.next(call);
  const image = await phoneSession.images.of(frame.pixels, spec);
  return respond(image, ifNoneMatch, ageOf(frame, phoneSession));
}

function ageOf({ endedMs }: Frame, { clock }: PicturedPhone): number {
  return Math.round(clock.monotonicMs() - endedMs);
}

/** Returns the image of minicap's newest frame. Undefined when there is none that can be used: then a capture is taken. */
async function pushedImage(call: Call, phoneSession: PicturedPhone, spec: ImageSpec): Promise<TaggedImage | undefined> {
  const { clock, minicap, minicapImages } = phoneSession;
  const inputSentMs = phoneSession.inputs.lastMs;
  try {
    const frame = await minicap.newest(call);
    if (frame === undefined || clock.monotonicMs() - inputSentMs < CAPTURED_AFTER_INPUT_MS) return undefined;
    return await minicapImages.of(frame, spec);
  } catch (error) {
    call.signal.throwIfAborted();
    // A capture would only take the same time again.
    if (error instanceof ApiError && error.kind === 'timeout') throw error;
    phoneSession.log.debug({ err: error }, 'a minicap frame was of no use');
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

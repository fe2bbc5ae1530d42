import type { Call } from '../../kit/call/call.js';
import type { WatchedPhone } from './watched-phone.js';

/** The parts of a phone with video that are needed here. */
export type VideoPhone = Pick<WatchedPhone, 'phone' | 'captures' | 'video'>;

interface Size {
  width: number;
  height: number;
}

/** Encoders round each side of a video by fewer pixels than this. */
const MAX_ROUNDED_PX = 16;

/**
 * Returns the size of the screen that a video of the size `video` shows, in pixels of the screen. A video does not state the size of its
 * screen. Where the video has another shape than the phone's usual screen, the screen was set to another size. A capture then shows that
 * size.
 */
export async function screenOf(call: Pick<Call, 'signal'>, kept: VideoPhone, video: Size): Promise<Size> {
  const known = kept.video.knownScreen(video);
  if (known !== undefined) return known;
  const { width, height } = kept.phone.screen;
  const isTurned = width > height !== video.width > video.height;
  const usual = isTurned ? { width: height, height: width } : { width, height };
  const difference = Math.abs(video.width * usual.height - video.height * usual.width);
  const isUsual = difference <= MAX_ROUNDED_PX * Math.max(width, height);
  const screen = isUsual ? usual : (await kept.captures.next(call)).pixels;
  kept.video.setScreen(video, { width: screen.width, height: screen.height });
  return screen;
}

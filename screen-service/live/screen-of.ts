import type { Call } from '../../kit/call.js';
import type { Captures } from '../capture/captures.js';
import type { ReachedPhone } from '../phones/reached-phone.js';
import type { LiveVideo } from './video/live-video.js';

/** A phone whose screen can be watched as video. */
export interface VideoPhone extends ReachedPhone {
  readonly captures: Captures;
  readonly video: LiveVideo;
}

interface Size {
  width: number;
  height: number;
}

/** Encoders round each side to a multiple of their own, of 16 pixels at the most. */
const ROUNDED_MOST = 16;

/**
 * The size in its own pixels of a screen whose video has pictures of the size `video`. A video says nothing about the screen: one that has
 * not the shape of the phone's is of a screen that was set to another size, and is captured.
 */
export async function screenOf(call: Pick<Call, 'signal'>, kept: VideoPhone, video: Size): Promise<Size> {
  const known = kept.video.knownScreen(video);
  if (known !== undefined) return known;
  const { width, height } = kept.phone.screen;
  const isTurned = width > height !== video.width > video.height;
  const usual = isTurned ? { width: height, height: width } : { width, height };
  const difference = Math.abs(video.width * usual.height - video.height * usual.width);
  const isUsual = difference <= ROUNDED_MOST * Math.max(width, height);
  const screen = isUsual ? usual : (await kept.captures.next(call)).pixels;
  kept.video.setScreen(video, { width: screen.width, height: screen.height });
  return screen;
}

import type { Captures } from '../capture/captures.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { LiveScreen } from './live-screen.js';
import type { LiveVideo } from './video/live-video.js';

/** A phone whose screen can be watched. */
export interface WatchedPhone extends ReachedPhone {
  readonly captures: Captures;
  readonly live: LiveScreen;
  readonly video: LiveVideo;
}

import type { Call } from '../../../kit/call.js';
import { phoneUnavailable } from '../../../phone/link/phone-errors.js';
import { screenOf, type VideoPhone } from '../../live/screen-of.js';
import type { ScrcpyControl } from '../../live/video/scrcpy-control.js';
import type { Point } from '../../tree/rectangle.js';
import type { Touch, TouchPath } from './touch-path.js';

/** As many as Android follows. */
const FINGERS_MOST = 10;

/**
 * Touches through the control socket of the video's server, while there is one: several fingers on every phone, also where the shell may not
 * write the touch device. A finger stays with the server that it was put down with.
 */
export class ControlTouches implements TouchPath {
  readonly most = FINGERS_MOST;
  readonly #kept: VideoPhone;
  #used: ScrcpyControl | undefined;

  constructor(kept: VideoPhone) {
    this.#kept = kept;
  }

  async send(call: Pick<Call, 'signal'>, touches: readonly Touch[]): Promise<void> {
    const { video, clock } = this.#kept;
    const { control, configuration } = video;
    if (this.#used !== control && (this.#used?.fingers ?? 0) > 0) {
      this.#used = undefined;
      throw phoneUnavailable('The connection to the phone broke while a finger was down, and it was lifted.');
    }
    if (control === undefined || configuration === undefined) throw phoneUnavailable('The phone ended its input.');
    const screen = await screenOf(call, this.#kept, configuration);
    this.#used = control;
    this.#kept.inputSentMs = clock.monotonicMs();
    for (const touch of touches) {
      const x = inVideo(touch.x, screen.width, configuration.width);
      const y = inVideo(touch.y, screen.height, configuration.height);
      control.touch({ ...touch, x, y }, configuration);
    }
  }

  async taken(): Promise<void> {
    await this.#used?.taken();
  }

  async lift(call: Pick<Call, 'signal'>, fingers: ReadonlyMap<number, Point>): Promise<void> {
    // Those of a server that has ended were lifted by it.
    if (this.#used?.isOpen !== true) return;
    const up = [...fingers].map(([pointer, { x, y }]): Touch => ({ phase: 'up', pointer, x, y }));
    await this.send(call, up);
    await this.taken();
  }

  close(): void {
    // The control socket is the video's.
  }
}

/** The pixel of the video that shows the middle of a pixel of the screen. */
function inVideo(pixel: number, screenPixels: number, videoPixels: number): number {
  return Math.min(videoPixels - 1, Math.floor(((pixel + 0.5) * videoPixels) / screenPixels));
}

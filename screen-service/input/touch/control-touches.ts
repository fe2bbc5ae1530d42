import type { Call } from '../../../kit/call/call.js';
import { phoneUnavailable } from '../../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { screenOf, type VideoPhone } from '../../live/screen-of.js';
import type { ScrcpyControl } from '../../live/video/scrcpy-control.js';
import type { Point } from '../../shapes/rectangle.js';
import type { Touch } from '../../shapes/touch.js';
import { inputLimit } from '../input-limit.js';
import type { TouchPath } from './touch-path.js';

/** The number of fingers that Android follows. */
const MAX_FINGERS = 10;

/** The parts of a phone that touches through its video need. */
type ControlledPhone = VideoPhone & Pick<ReachedPhone, 'inputs' | 'clock' | 'limits'>;

/**
 * Sends touches through the control socket of the scrcpy server that encodes the video, while the video is on. This allows several fingers
 * on every phone, also where the shell may not write the touch device. All touches of a finger go to the same server; if that server ends,
 * the finger is lifted.
 */
export class ControlTouches implements TouchPath {
  readonly most = MAX_FINGERS;
  readonly #phoneSession: ControlledPhone;
  #used: ScrcpyControl | undefined;

  constructor(phoneSession: ControlledPhone) {
    this.#phoneSession = phoneSession;
  }

  async send(call: Pick<Call, 'signal' | 'sender'>, touches: readonly Touch[]): Promise<void> {
    const { video, inputs } = this.#phoneSession;
    const { control, configuration } = video;
    if (this.#used !== control && (this.#used?.fingers ?? 0) > 0) {
      this.#used = undefined;
      throw phoneUnavailable('The connection to the phone broke while a finger was down, and it was lifted.');
    }
    if (control === undefined || configuration === undefined) throw phoneUnavailable('The phone ended its input.');
    const screen = await screenOf(call, this.#phoneSession, configuration);
    this.#used = control;
    inputs.begin(call.sender);
    const limit = inputLimit(this.#phoneSession, call);
    for (const touch of touches) {
      await control.room(limit);
      const x = inVideo(touch.x, screen.width, configuration.width);
      const y = inVideo(touch.y, screen.height, configuration.height);
      control.touch({ ...touch, x, y }, configuration);
    }
  }

  async taken(): Promise<void> {
    await this.#used?.taken();
  }

  async lift(call: Pick<Call, 'signal' | 'sender'>, fingers: ReadonlyMap<number, Point>): Promise<void> {
    // A server that has ended lifted its fingers itself.
    if (this.#used?.isOpen !== true) return;
    const up = [...fingers].map(([pointer, { x, y }]): Touch => ({ phase: 'up', pointer, x, y }));
    await this.send(call, up);
    await this.taken();
  }

  close(): void {
    // The control socket belongs to the video, and stays open.
  }
}

/** Returns the pixel of the video that shows the middle of a pixel of the screen. */
function inVideo(pixel: number, screenPixels: number, videoPixels: number): number {
  return Math.min(videoPixels - 1, Math.floor(((pixel + 0.5) * videoPixels) / screenPixels));
}

import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { readRotation } from '../app/rotation.js';
import type { KeptPhone } from '../phones/kept-phone.js';

/**
 * The rotation of a screen that shows pictures of this size, in quarter turns counter-clockwise from upright. Where the phone does not
 * report it: 0 or 1, by the shape of the picture.
 */
export async function rotationOf(
  call: Call,
  kept: KeptPhone,
  { width, height }: { width: number; height: number },
): Promise<number> {
  const { screen } = kept.phone;
  const lies = width > height !== screen.width > screen.height;
  try {
    const reported = await readRotation(call, kept);
    // A rotation that does not fit the picture is of another moment.
    return reported !== undefined && (reported % 2 === 1) === lies ? reported : Number(lies);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof ApiError)) throw error;
    kept.log.debug({ err: error }, 'the rotation is not known');
    return Number(lies);
  }
}

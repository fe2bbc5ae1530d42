import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { readRotation } from '../display/rotation.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/**
 * Returns the rotation of a screen that shows pictures of this size, in quarter turns counter-clockwise from upright. If the phone reports no
 * rotation that fits the picture, returns 0 or 1 by the shape of the picture.
 */
export async function rotationOf(
  call: Call,
  phoneSession: ReachedPhone,
  { width, height }: { width: number; height: number },
): Promise<number> {
  const { screen } = phoneSession.phone;
  const lies = width > height !== screen.width > screen.height;
  try {
    const reported = await readRotation(call, phoneSession);
    // A reported rotation that does not fit the picture was read before or after the screen turned.
    return reported !== undefined && (reported % 2 === 1) === lies ? reported : Number(lies);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof ApiError)) throw error;
    phoneSession.log.debug({ err: error }, 'the rotation is not known');
    return Number(lies);
  }
}

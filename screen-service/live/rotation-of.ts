import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { readRotation } from '../app/rotation.js';
import type { PhoneSession } from '../phones/phone-session.js';

/**
 * How a screen that shows pictures of this size is turned: quarter turns counter-clockwise from upright. A phone that does not report it
 * is upright, or turned once, as the picture lies.
 */
export async function rotationOf(
  call: Call,
  session: PhoneSession,
  { width, height }: { width: number; height: number },
): Promise<number> {
  const { screen } = session.phone;
  const lies = width > height !== screen.width > screen.height;
  try {
    const reported = await readRotation(call, (...command) => session.command(...command));
    // What disagrees with the picture is of another moment.
    return reported !== undefined && (reported % 2 === 1) === lies ? reported : Number(lies);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof ApiError)) throw error;
    session.log.debug({ err: error }, 'the rotation is not known');
    return Number(lies);
  }
}

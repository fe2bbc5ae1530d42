import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import type { PhoneSession } from '../phones/phone-session.js';

/**
 * How a screen that shows pictures of this size is turned: quarter turns counter-clockwise from upright. A phone that does not report it
 * is upright, or turned once, as the picture lies.
 */
export async function readRotation(
  call: Call,
  session: PhoneSession,
  { width, height }: { width: number; height: number },
): Promise<number> {
  const { screen } = session.phone;
  const lies = width > height !== screen.width > screen.height;
  try {
    const command = "dumpsys input | grep -m 1 -E 'SurfaceOrientation|orientation='";
    const { stdout } = await session.command(call, command, 'report its rotation');
    const reported = parseRotation(stdout.toString('latin1'));
    // What disagrees with the picture is of another moment.
    return reported !== undefined && (reported % 2 === 1) === lies ? reported : Number(lies);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof ApiError)) throw error;
    session.log.debug({ err: error }, 'the rotation is not known');
    return Number(lies);
  }
}

/** In quarter turns (`SurfaceOrientation: 1`), or since Android 13 in degrees (`orientation=Rotation90`). */
export function parseRotation(output: string): number | undefined {
  const [, text] = /rientation\D*(\d+)/.exec(output) ?? [];
  if (text === undefined) return undefined;
  const turns = Number(text) > 3 ? Number(text) / 90 : Number(text);
  return [0, 1, 2, 3].includes(turns) ? turns : undefined;
}

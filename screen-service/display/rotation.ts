import type { Call } from '../../kit/call/call.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** How a display is turned: quarter turns counter-clockwise from upright. */
export type Rotation = 0 | 1 | 2 | 3;

/** Reads how a phone's display is turned; undefined where the phone does not report it. */
export async function readRotation(call: Pick<Call, 'signal'>, phone: ReachedPhone): Promise<Rotation | undefined> {
  const command = "dumpsys input | grep -m 1 -E 'SurfaceOrientation|orientation='";
  const { stdout } = await phone.command(call, command, 'report its rotation');
  return parseRotation(stdout.toString('latin1'));
}

/**
 * Parses a rotation: in quarter turns (`SurfaceOrientation: 1`, `orientation=1`), or since Android 13 in degrees
 * (`orientation=Rotation90`).
 */
export function parseRotation(output: string): Rotation | undefined {
  const [, text] = /rientation\D{0,40}(\d+)/.exec(output) ?? [];
  if (text === undefined) return undefined;
  const turns = Number(text) > 3 ? Number(text) / 90 : Number(text);
  return turns === 0 || turns === 1 || turns === 2 || turns === 3 ? turns : undefined;
}

import type { ReplayStep } from '../../../replay/format/replay.js';
import type { Schemas } from '../service/types.js';
import { elementWords, nearest } from './nearest.js';
import type { FailedStep, Playing } from './play-step.js';
import { expectationWords, soughtWords, stepWords } from './step-words.js';

/** Longest side of the picture of a screen that differs, px. */
const MAX_PICTURE_PX = 1_280;

/** Where and how the screen of a replay differs, or why a step could not be done. No secret is in it. */
export interface Difference {
  /** The kind of the error, as in error responses. */
  kind: string;
  /** Whether the screen differs, as opposed to a fault of the phone or the service. */
  isDifference: boolean;
  message: string;
  /** What was expected, or looked for. */
  expected: string;
  app: string;
  /** The elements on the screen that are most like it. */
  nearest: readonly string[];
  /** The screen now; absent where the service withholds it, or cannot be asked. */
  picture?: Buffer;
  /** Why there are neither elements nor a picture. */
  unseen?: string;
}

/** Describes a step that failed, with the screen as it is now. `shown` is the step as the file has it, `filled` the one that was done. */
export async function describeDifference(
  playing: Playing,
  { shown, filled }: { shown: ReplayStep; filled: ReplayStep },
  failed: FailedStep,
  mask: (text: string) => string,
): Promise<Difference> {
  const { kind, message, isDifference, isExpectation } = failed;
  const { expect } = shown;
  const expected = isExpectation && expect !== undefined ? expectationWords(expect) : `to ${stepWords(shown)}`;
  const seen = await observed(playing);
  const sought = soughtWords(filled, isExpectation);
  return {
    ...{ kind, isDifference, message: mask(message), expected: mask(expected), app: seen.observation?.app ?? '' },
    nearest: nearest(seen.observation?.elements ?? [], sought).map((element) => mask(elementWords(element))),
    ...(seen.observation?.screenshot !== undefined && {
      picture: Buffer.from(seen.observation.screenshot.data, 'base64'),
    }),
    ...(seen.reason !== undefined && { unseen: mask(seen.reason) }),
  };
}

/** Returns the screen now, by an observation, as these hide secrets in pictures. A phone that cannot be asked is a reason, not an error. */
async function observed({
  phone,
  device,
  signal,
}: Playing): Promise<{ observation?: Schemas['Observation']; reason?: string }> {
  const query = { screenshot: 'png', elements: 'full', max_size: MAX_PICTURE_PX } as const;
  try {
    const body = await phone.get('/v1/devices/{name}/observe', { params: { path: { name: device }, query }, signal });
    return { observation: body.observation };
  } catch (error) {
    if (signal.aborted) throw error;
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

import type { SealCounts } from '../../store/seal-counts.js';
import { isPlain, sealPlainSteps } from './stored-steps.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Encrypts steps that were stored without a key, or with another key than the first. If there is still no key, their secret texts are
 * removed, and schedules that had any are disabled. Each document is changed by one update, so a crash may cut this short anywhere. It runs
 * at each start, as a key may come later. Steps that cannot be read, because a later release stored them, stay as they are. They are logged
 * here and reported where they are used, and do not keep the service from starting.
 */
export async function sealStoredSteps({
  groups,
  schedules,
  stepsBox,
  log,
}: Pick<FleetContext, 'groups' | 'schedules' | 'stepsBox' | 'log'>): Promise<SealCounts> {
  const counts = { sealed: 0, again: 0, unreadable: 0 };
  const sealed = (stored: string, place: string): { steps: string; lost: boolean } => {
    try {
      const result = isPlain(stored)
        ? sealPlainSteps(stored, place, stepsBox)
        : { steps: stepsBox.sealAgain(stored, place) ?? stored, lost: false };
      if (isPlain(result.steps)) return result;
      if (stepsBox.open(result.steps, place) === undefined) counts.unreadable++;
      else counts.sealed++;
      if (result.steps !== stored) counts.again++;
      return result;
    } catch (error) {
      log.warn({ place, err: error }, 'stored steps cannot be read, and stay as they are');
      return { steps: stored, lost: false };
    }
  };
  for (const schedule of await schedules.replaceSteps(sealed)) {
    log.warn(
      { schedule },
      'a schedule was disabled, as there is no key for its secret texts: set SECRETS_KEY, and change its steps',
    );
  }
  await groups.replaceSteps((stored, place) => sealed(stored, place).steps);
  return counts;
}

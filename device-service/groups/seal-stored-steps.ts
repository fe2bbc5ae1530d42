import type { Log } from '../../kit/log.js';
import type { GroupStore } from '../store/groups.js';
import type { ScheduleStore } from '../store/schedules.js';
import type { StepsBox } from './steps-box.js';
import { isPlain, sealPlainSteps } from './stored-steps.js';

export interface SealStoredStepsParts {
  groups: GroupStore;
  schedules: ScheduleStore;
  box: StepsBox;
  log: Log;
}

/**
 * Seals steps that were stored without a key. Without one, their secret texts are removed, and schedules that had any are disabled. Each
 * document is one update, so it may be cut short anywhere; it is done at each start, as a key may come later. Steps that cannot be read,
 * as a later release stored them, stay as they are: they are reported where they are used, and keep nothing else from starting.
 */
export async function sealStoredSteps({ groups, schedules, box, log }: SealStoredStepsParts): Promise<void> {
  const sealed = (stored: string, place: string): { steps: string; lost: boolean } => {
    if (!isPlain(stored)) return { steps: stored, lost: false };
    try {
      return sealPlainSteps(stored, place, box);
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
}

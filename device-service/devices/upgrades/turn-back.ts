import type { JobUpgrade, UpgradeStepWord } from '../../store/device-document.js';

/** Steps before anything of the phone is changed: a failure only ends the job. */
const UNCHANGED: readonly UpgradeStepWord[] = ['fetch', 'survey', 'stop'];
/** Steps after which the phone goes back to its old image. */
const CHANGED: readonly UpgradeStepWord[] = ['copy', 'image', 'boot', 'check'];

/** Whether an upgrade at this step can end with the phone as it was. */
export function canTurnBack(step: UpgradeStepWord): boolean {
  return UNCHANGED.includes(step) || CHANGED.includes(step);
}

/**
 * Returns the change of an upgrade that fails: the phone goes back, or the job ends where nothing was changed yet. Undefined where it is too
 * late: the phone goes back already, or has passed all checks.
 */
export function turnedBack(
  { step }: JobUpgrade,
  { error, message }: NonNullable<JobUpgrade['refused']>,
): Pick<JobUpgrade, 'step' | 'refused'> | undefined {
  if (UNCHANGED.includes(step))
    return { step: 'end', refused: { error, message: `The image stays as it was: ${message}` } };
  if (!CHANGED.includes(step)) return undefined;
  const why = step === 'boot' ? `the check "boot" failed: ${message}` : message;
  return { step: 'back', refused: { error, message: `The phone is back on its old image, with its data: ${why}` } };
}

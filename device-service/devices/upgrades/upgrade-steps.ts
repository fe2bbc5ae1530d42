import type { Clock } from '../../../kit/async/clock.js';
import { within } from '../../../kit/async/within.js';
import { type OperationOptions, type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import { failedCheck, remembered } from '../../../phone/upgrades/compare-facts.js';
import type { PhoneFacts, PhoneUpgrades } from '../../../phone/upgrades/phone-upgrades.js';
import type { DeviceDocument } from '../../store/devices.js';
import { JobFailure } from '../jobs/job-failure.js';
import { UPGRADE_STEP_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';

/** What a step of an upgrade found. Each member is present after the step that finds it. */
export interface UpgradeFindings {
  /** Whether the model has another image than the phone (fetch). */
  isOther?: boolean;
  /** The facts of the phone before the upgrade (survey). */
  facts?: PhoneFacts;
  /** The Android version that the model names (image). */
  android?: string;
}

/**
 * Does one step of an upgrade on a phone, except `fetch`, whose time is not the job's (converge/perform.ts). Throws JobFailure where a check
 * fails, PhoneFailure where the phone or its host refuses, and other errors where another try may succeed.
 */
export async function takeUpgradeStep(
  step: 'survey' | 'copy' | 'image' | 'verify' | 'drop' | 'back',
  device: DeviceDocument,
  driver: PhoneDriver,
  { clock, signal, onProgress }: { clock: Clock; signal: AbortSignal; onProgress: (percent: number) => void },
): Promise<UpgradeFindings> {
  const upgrades = upgradesOf(driver);
  const { _id: phoneId } = device;
  return within(hostLimit(clock, UPGRADE_STEP_MS[step], signal), async (limited): Promise<UpgradeFindings> => {
    const options: OperationOptions = { signal: limited, onProgress };
    switch (step) {
      case 'survey':
        return { facts: remembered(await upgrades.survey(phoneId, options)) };
      case 'copy':
        await upgrades.keep(phoneId, device.job?.id ?? '', options);
        return {};
      case 'image':
        return { android: await upgrades.change(phoneId, options) };
      case 'verify':
        assertAsBefore(device, await upgrades.survey(phoneId, options));
        return {};
      case 'drop':
        await upgrades.drop(phoneId);
        return {};
      case 'back':
        await upgrades.back(phoneId, options);
        return {};
    }
  });
}

function assertAsBefore({ job, android }: DeviceDocument, after: PhoneFacts): void {
  const { before, android: named = android } = job?.upgrade ?? {};
  if (before === undefined) throw new Error('an upgrade is checked against the facts of its phone');
  const failed = failedCheck(before, after, named);
  if (failed !== undefined) throw new JobFailure({ error: 'unavailable', message: failed });
}

export function upgradesOf(driver: PhoneDriver): PhoneUpgrades {
  if (driver.upgrades === undefined) throw new PhoneFailure(cannotUpgrade(driver.kind));
  return driver.upgrades;
}

/** Returns why phones of a kind get no other image. */
export function cannotUpgrade(kind: string): string {
  if (kind === 'attached') return 'Attached phones have no image: update Android on the phone itself.';
  if (kind === 'kubernetes')
    return 'Phones in Kubernetes keep their image: their volumes belong to the cluster. Make a new device of the model.';
  if (kind === 'simulated') return 'Simulated phones have no image: they are as new as the service.';
  return `Phones of the kind "${kind}" keep their image.`;
}

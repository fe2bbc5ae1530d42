import type { HealthEvent } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { notifyAccount, type NotifyParts } from './notify-account.js';

export type { NotifyParts };

/**
 * Queues the mails about a problem that a device has got. The event stays with the device until it is published, so after a crash it comes
 * again; the mails that are queued by then are known.
 */
export async function notifyProblem(
  parts: NotifyParts,
  { _id, accountId, name, gone }: Pick<DeviceDocument, '_id' | 'accountId' | 'name' | 'gone'>,
  { type, problem }: Pick<HealthEvent, 'type' | 'problem'>,
): Promise<void> {
  if (type !== 'health.problem' || gone === true) return;
  const data = { device: name, problem: problem.kind, message: problem.message };
  // There is one mail about a balance that is used up, however many devices are stopped for it.
  if (problem.kind === 'balance') await notifyAccount(parts, { kind: 'balance', accountId, about: accountId, data });
  else await notifyAccount(parts, { kind: 'attention', accountId, about: _id, data });
}

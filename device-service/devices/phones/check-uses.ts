import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { PhoneUse } from '../../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { callerOfKey } from '../../accounts/callers/caller-of-key.js';
import { leaseRefusalFor } from '../../accounts/callers/leased.js';
import { maySee } from '../../accounts/callers/visibility.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Returns each of `uses` whose device exists and whose key, or owner's session, may still control it. A lease of another caller ends a use; a
 * hand-over to a person pauses it.
 */
export async function checkUses(
  { accounts, devices, keys, sessions, clock }: DevicesContext,
  uses: readonly PhoneUse[],
): Promise<{ allowed: PhoneUse[]; paused: PhoneUse[] }> {
  const keyIds = uses.map(({ keyId }) => keyId);
  const [foundDevices, foundKeys, foundSessions] = await Promise.all([
    devices.findByIds(uses.map(({ phoneId }) => phoneId)),
    keys.findGood(keyIds),
    sessions.findGood(keyIds, new Date(clock.now())),
  ]);
  const active = await accounts.findActive([...new Set(foundDevices.map(({ accountId }) => accountId))]);
  const deviceById = new Map(foundDevices.map((device) => [device._id, device]));
  const callerById = new Map(foundKeys.map((key) => [key._id, callerOfKey(key)]));
  // An owner may control every device of the account. The phone belonged to that account when the use began.
  const owners = new Set(foundSessions);
  const allowed = uses.filter(({ phoneId, keyId }) => {
    const device = deviceById.get(phoneId);
    if (device === undefined || device.gone === true || !active.has(device.accountId)) return false;
    if (leaseRefusalFor(device, keyId) !== undefined) return false;
    const caller = callerById.get(keyId);
    if (caller === undefined) return owners.has(keyId);
    return caller.accountId === device.accountId && caller.scope >= Scope.CONTROL && maySee(caller, device);
  });
  return { allowed, paused: allowed.filter(({ phoneId }) => deviceById.get(phoneId)?.handover !== undefined) };
}

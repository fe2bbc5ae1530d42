import { mayControl } from '../../../kit/rpc/caller.js';
import type { PhoneUse } from '../../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { callersOfKeys } from '../../accounts/callers/callers-of-keys.js';
import { callersOfSessions } from '../../accounts/callers/callers-of-sessions.js';
import { leaseRefusalFor } from '../../accounts/callers/leased.js';
import { maySee } from '../../../kit/rpc/may-see.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Returns each of `uses` whose device exists and whose key, or owner's session, may still control it. A lease of another caller ends a use; a
 * hand-over to a person pauses it. The addresses from which a key works are not checked, as a use has no address.
 */
export async function checkUses(
  context: DevicesContext,
  uses: readonly PhoneUse[],
): Promise<{ allowed: PhoneUse[]; paused: PhoneUse[] }> {
  const { accounts, devices, keys, sessions, clock } = context;
  const now = new Date(clock.now());
  const keyIds = uses.map(({ keyId }) => keyId);
  const [foundDevices, foundKeys, foundSessions] = await Promise.all([
    devices.findByIds(uses.map(({ phoneId }) => phoneId)),
    keys.findGood(keyIds, now),
    sessions.findGood(keyIds, now),
  ]);
  const active = await accounts.findActive([...new Set(foundDevices.map(({ accountId }) => accountId))]);
  const deviceById = new Map(foundDevices.map((device) => [device._id, device]));
  const callerById = new Map([
    ...(await callersOfKeys(context, foundKeys)),
    ...(await callersOfSessions(context, foundSessions)),
  ]);
  const allowed = uses.filter(({ phoneId, keyId }) => {
    const device = deviceById.get(phoneId);
    if (device === undefined || device.gone === true || !active.has(device.accountId)) return false;
    if (leaseRefusalFor(device, keyId) !== undefined) return false;
    const caller = callerById.get(keyId);
    if (caller === undefined || caller.accountId !== device.accountId || caller.lacksSecondFactor) return false;
    return mayControl(caller) && maySee(caller, device);
  });
  return { allowed, paused: allowed.filter(({ phoneId }) => deviceById.get(phoneId)?.handover !== undefined) };
}

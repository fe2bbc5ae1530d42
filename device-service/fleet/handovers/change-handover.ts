import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { DeviceHandover, PastHandover } from '../../store/handover.js';
import type { FleetContext } from '../fleet-context.js';
import { endHandover } from './end-handover.js';
import { findOpenHandover, noOpenHandover } from './read-handovers.js';

/** Which hand-over of which device. */
interface Which {
  name: string;
  id: string;
}

/** Writes that a person has the phone. */
export async function takeHandover(
  context: FleetContext,
  caller: Caller,
  { name, id }: Which,
): Promise<DeviceHandover> {
  const { _id, accountId, handover } = await findOpenHandover(context, caller, { name, id });
  assertPerson(caller, handover);
  const taken = { at: new Date(context.clock.now()), by: caller.keyId };
  const device = await context.devices.handovers.take(_id, id, taken);
  if (device?.handover === undefined) throw noOpenHandover(name, id);
  context.deviceNews.wake(accountId);
  return device.handover;
}

/** Gives the phone back for the person who has it. */
export function finishHandover(
  context: FleetContext,
  caller: Caller,
  which: Which,
  note?: string,
): Promise<PastHandover> {
  const ended = { state: 'done' as const, by: caller.keyId, ...(note !== undefined && { note }) };
  return end(context, caller, which, ended, (handover) => assertPerson(caller, handover));
}

/** Cancels a hand-over for the key that asked for it, or for a person in the panel. */
export function cancelHandover(context: FleetContext, caller: Caller, which: Which): Promise<PastHandover> {
  return end(context, caller, which, { state: 'cancelled', by: caller.keyId }, ({ requestedBy }) => {
    if (requestedBy.id === caller.keyId || caller.scope === Scope.PERSON) return;
    throw new ApiError(
      'forbidden',
      `The hand-over "${which.id}" was asked for by "${requestedBy.name}". Only that key can cancel it, or a person in the control panel.`,
    );
  });
}

async function end(
  context: FleetContext,
  caller: Caller,
  which: Which,
  ended: Omit<PastHandover['ended'], 'at'>,
  assertMay: (handover: DeviceHandover) => void,
): Promise<PastHandover> {
  // A person may take the phone between the look and the update, once. Then the second look has the person.
  for (let tries = 0; tries < 2; tries++) {
    const device = await findOpenHandover(context, caller, which);
    assertMay(device.handover);
    const past = await endHandover(context, device, ended);
    if (past !== undefined) return past;
  }
  throw noOpenHandover(which.name, which.id);
}

/** Throws forbidden unless the caller is a person: signed in to the panel, or with the link of the hand-over. */
function assertPerson({ scope, keyId, groupId }: Caller, { shareId }: DeviceHandover): void {
  if ((scope === Scope.PERSON && groupId === undefined) || keyId === shareId) return;
  throw new ApiError(
    'forbidden',
    'Only a person takes a phone and gives it back: in the control panel, or with the link of the hand-over.',
  );
}

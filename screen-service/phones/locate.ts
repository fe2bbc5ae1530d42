import type { Client } from '@connectrpc/connect';
import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { LeasedAway } from '../../kit/errors/leased-away.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { PhoneSession } from './phone-session.js';
import type { PhoneSessions } from './phone-sessions.js';
import { screenOf } from './screen-of-device.js';

/** A phone that a caller may use. */
export interface Located {
  phoneSession: PhoneSession;
  /** The account that the phone belongs to. */
  accountId: string;
  /** The id of the caller's key, of its owner's session or of its share. */
  keyId: string;
  /** Whether the device's timeline is on. */
  timeline: boolean;
  /** Viewers that the caller may have on the phone at the same time. Absent: as many as there is room for. */
  viewersMost: number | undefined;
  /** Whether the caller may change the device now. */
  mayControl: boolean;
  /** Why a lease prevents changes by the caller now. Absent: none does. */
  refusal: string | undefined;
}

/** Finds the phone of the device `name`, for a caller with `scope`. A caller with a share is refused unless `shares` is true. */
export type Locate = (call: Call, name: string, scope: Scope, options?: { shares: boolean }) => Promise<Located>;

/** Returns whether a phone still belongs to a device. The service asks on its own behalf. */
export type PhoneExists = (phoneId: string) => Promise<boolean>;

/** Time limit for `PhoneExists`, ms. */
const EXISTS_MS = 5_000;

export function createPhoneExists(devices: Client<typeof PhoneService>): PhoneExists {
  return async (phoneId) => (await devices.phoneExists({ phoneId }, { timeoutMs: EXISTS_MS })).exists;
}

/**
 * Returns a Locate that calls the device service on every request, with the credential of the caller. The device service authenticates the
 * caller and checks its permission; nothing of that is kept here. Its errors are passed on.
 */
export function createLocate(devices: Client<typeof PhoneService>, sessions: PhoneSessions): Locate {
  return async (call, name, scope, { shares } = { shares: false }) => {
    const allowHelpers = sessions.requestHelpers();
    const located = await devices.locatePhone({ name, scope, shares }, rpcOptions(call));
    const {
      phoneId,
      generation,
      identity,
      host,
      port,
      screen,
      accountId,
      keyId,
      timeline,
      viewersMost,
      mayControl,
      refusal,
    } = located;
    const phoneSession = sessions.of({
      name,
      phoneId,
      generation,
      identity,
      host,
      port,
      screen: screenOf(screen),
    });
    allowHelpers(phoneSession, located.helpersAllowed);
    return { phoneSession, accountId, keyId, timeline, viewersMost, mayControl, refusal };
  };
}

/**
 * Throws not_found where the name leads to another phone than `phoneId` now, for a stream that is under way. The device may have been made
 * anew, or the caller's session moved to another account.
 */
export async function assertSamePhone(
  locate: Locate,
  call: Call,
  { name, scope, phoneId }: { name: string; scope: Scope; phoneId: string },
): Promise<void> {
  const { phoneSession } = await locate(call, name, scope);
  if (phoneSession.phone.phoneId !== phoneId)
    throw new ApiError('not_found', `The name "${name}" leads to another phone now. Open the stream again.`);
}

/** Throws LeasedAway where another caller has a lease of the device `name`, for work on its phone that is under way. */
export async function assertNotLeased(locate: Locate, call: Call, name: string): Promise<void> {
  const { refusal } = await locate(call, name, Scope.READ, { shares: true });
  if (refusal !== undefined) throw new LeasedAway(refusal);
}

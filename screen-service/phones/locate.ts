import type { Client } from '@connectrpc/connect';
import type { Call } from '../../kit/call.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import type { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { KeptPhone } from './kept-phone.js';
import type { KeptPhones } from './kept-phones.js';

/** A phone that a caller may use. */
export interface Located {
  kept: KeptPhone;
  /** The account that the phone belongs to. */
  accountId: string;
  /** The caller's key, its owner's session, or its share. */
  keyId: string;
  /** Whether the device's timeline is on. */
  timeline: boolean;
  /** Viewers that the caller may have on the phone at the same time. Absent: as many as there is room for. */
  viewersMost: number | undefined;
}

/** Finds the phone of the device `name`, for a caller with `scope`; for callers by a share only where the rpc is for `shares`. */
export type Locate = (call: Call, name: string, scope: Scope, options?: { shares: boolean }) => Promise<Located>;

/** Assumed where a screen's density is not known, dots per inch. */
const USUAL_DENSITY = 320;

/**
 * Returns a Locate that calls the device service on every request, with the credential of the caller: which
 * authenticates the caller and checks its permission. Nothing of that is kept here. Its errors are passed on.
 */
export function createLocate(devices: Client<typeof PhoneService>, keptPhones: KeptPhones): Locate {
  return async (call, name, scope, { shares } = { shares: false }) => {
    const allowHelpers = keptPhones.requestHelpers();
    const located = await devices.locatePhone({ name, scope, shares }, rpcOptions(call));
    const { phoneId, generation, identity, host, port, screen, accountId, keyId, timeline, viewersMost } = located;
    const { width = 0, height = 0, density = 0 } = screen ?? {};
    const kept = keptPhones.of({
      name,
      phoneId,
      generation,
      identity,
      host,
      port,
      screen: { width, height, density: density > 0 ? density : USUAL_DENSITY },
    });
    allowHelpers(kept, located.helpersAllowed);
    return { kept, accountId, keyId, timeline, viewersMost };
  };
}

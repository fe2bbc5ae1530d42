import type { Client, HandlerContext } from '@connectrpc/connect';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { onBehalfOf } from '../../kit/rpc/context.js';
import type { PhoneSession } from './phone-session.js';
import type { PhoneSessions } from './phone-sessions.js';

/** Finds the phone of a request. */
export type Locate = (name: string, context: HandlerContext) => Promise<PhoneSession>;

/** Assumed of screens whose density is not known, dots per inch. */
const USUAL_DENSITY = 320;

/**
 * Asks the device service where a phone is, with the identity of the caller, on every request: whether the caller may use it is
 * decided there and remembered nowhere. Its forbidden, not_found and busy pass through.
 */
export function createLocate(devices: Client<typeof PhoneService>, sessions: PhoneSessions): Locate {
  return async (name, context) => {
    const { phoneId, generation, identity, host, port, screen } = await devices.locatePhone(
      { name },
      onBehalfOf(context),
    );
    const { width = 0, height = 0, density = USUAL_DENSITY } = screen ?? {};
    return sessions.of({
      name,
      phoneId,
      generation,
      identity,
      host,
      port,
      screen: { width, height, density: density > 0 ? density : USUAL_DENSITY },
    });
  };
}

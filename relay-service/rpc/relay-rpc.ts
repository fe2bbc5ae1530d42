import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client, HandlerContext, ServiceImpl, Transport } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import { callOf } from '../../kit/rpc/context.js';
import { scopeOf } from '../../kit/rpc/mesh.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { type AdbRelay, AdbRelaySchema } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import type { RelayAdminService } from '../../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import type { RelayService } from '../../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import { parseAllowList } from '../../kit/net/allow-list.js';
import { DEFAULT_LIFETIME_S, type RelayLimits } from '../limits.js';
import { hasPort, type Relays } from '../relays/relays.js';
import type { RelayDocument, RelayStore } from '../store/relays.js';
import { connectAdb } from './connect-adb.js';

/** Serves the relay's RPCs. The device service decides whether the caller may use the phone. The relays do the work. */
export function relayRpc(parts: {
  clock: Clock;
  devices: Client<typeof PhoneService>;
  relays: Relays;
  /** Returns the way to another relay service. */
  reach: (rpcUrl: string) => Transport;
  limits: RelayLimits;
}): ServiceImpl<typeof RelayService> {
  const { devices, relays } = parts;
  const identify = ({ name }: { name: string }, context: HandlerContext) =>
    devices.identifyPhone({ name, scope: scopeOf(context.method) }, rpcOptions(callOf(context)));
  return {
    enableAdb: async ({ name, allow, tunnel = false, lifetimeS }, context) => {
      // The list is checked before the phone is located. So a mistake in it is reported even when the phone does not run.
      parseAllowList(allow);
      if (allow.length === 0 && !tunnel) throw new ApiError('bad_request', NO_WAY_IN);
      const needed = { name, scope: scopeOf(context.method) };
      const { phoneId, accountId, keyId } = await devices.locatePhone(needed, rpcOptions(callOf(context)));
      const lifetimeMs = (lifetimeS ?? DEFAULT_LIFETIME_S) * 1000;
      const enabled = await relays.enable({ phoneId, accountId, device: name, keyId, allow, tunnel, lifetimeMs });
      return { adb: relayMessage(enabled.document, enabled.code) };
    },
    getAdb: async (request, context) => {
      const { phoneId } = await identify(request, context);
      const { clientAddress = UNKNOWN_ADDRESS } = callOf(context);
      return {
        adb: relayMessage(await relays.find(phoneId)),
        ...(clientAddress !== UNKNOWN_ADDRESS && { callerAddress: clientAddress }),
      };
    },
    connectAdb: (requests, context) => connectAdb(requests, context, parts),
    disableAdb: async (request, context) => {
      const { phoneId } = await identify(request, context);
      await relays.disable(phoneId);
      return { adb: relayMessage(undefined) };
    },
  };
}

const NO_WAY_IN =
  'allow is missing. Give 1 to 20 addresses that may connect to a port, or "tunnel": true for connections through the API.';

/** The word for the address of a request whose connection had no address any more; see kit/net/client-address.ts. */
const UNKNOWN_ADDRESS = 'unknown';

/** Serves the operator's command line. */
export function relayAdminRpc(store: RelayStore): ServiceImpl<typeof RelayAdminService> {
  return {
    listRelays: async () => {
      const relays = await store.list(MAX_LISTED);
      return {
        relays: relays.map((relay) => ({ device: relay.device, accountId: relay.accountId, adb: relayMessage(relay) })),
      };
    },
  };
}

/** The most relays that one response lists. */
const MAX_LISTED = 1_000;

function relayMessage(relay: RelayDocument | undefined, code?: string): AdbRelay {
  if (!relay) return create(AdbRelaySchema, { enabled: false });
  const { host, port, allow, tunnel, refused, expiresAt, sessions } = relay;
  return create(AdbRelaySchema, {
    enabled: true,
    ...(hasPort(relay) && { host, port }),
    allow,
    ...(tunnel === true && { tunnel }),
    refused,
    expiresAt: timestampFromDate(expiresAt),
    sessions: sessions.map(({ id, address, connectedAt, loggedIn, tunnel: isTunnel }) => ({
      id,
      address,
      connectedAt: timestampFromDate(connectedAt),
      loggedIn,
      ...(isTunnel === true && { tunnel: true }),
    })),
    ...(code !== undefined && { code }),
  });
}

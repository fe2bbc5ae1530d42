import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client, HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import { callOf } from '../../kit/rpc/context.js';
import { scopeOf } from '../../kit/rpc/mesh.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { type AdbRelay, AdbRelaySchema } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import type { RelayAdminService } from '../../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import type { RelayService } from '../../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import { parseAllowList } from '../access/allow-list.js';
import { DEFAULT_LIFETIME_S } from '../limits.js';
import type { Relays } from '../relays/relays.js';
import type { RelayDocument, RelayStore } from '../store/relays.js';

/** Unpacks, lets the device service decide whether the caller may use the phone, calls, packs. */
export function relayRpc(devices: Client<typeof PhoneService>, relays: Relays): ServiceImpl<typeof RelayService> {
  const identify = ({ name }: { name: string }, context: HandlerContext) =>
    devices.identifyPhone({ name, scope: scopeOf(context.method) }, rpcOptions(callOf(context)));
  return {
    enableAdb: async ({ name, allow, lifetimeS }, context) => {
      // Before the phone is located, so that a mistake in the list is reported also when it does not run.
      parseAllowList(allow);
      const needed = { name, scope: scopeOf(context.method) };
      const { phoneId, accountId, keyId } = await devices.locatePhone(needed, rpcOptions(callOf(context)));
      const lifetimeMs = (lifetimeS ?? DEFAULT_LIFETIME_S) * 1000;
      const enabled = await relays.enable({ phoneId, accountId, device: name, keyId, allow, lifetimeMs });
      return { adb: relayMessage(enabled.document, enabled.code) };
    },
    getAdb: async (request, context) => {
      const { phoneId } = await identify(request, context);
      return { adb: relayMessage(await relays.find(phoneId)) };
    },
    disableAdb: async (request, context) => {
      const { phoneId } = await identify(request, context);
      await relays.disable(phoneId);
      return { adb: relayMessage(undefined) };
    },
  };
}

/** Serves the operator's command line. */
export function relayAdminRpc(store: RelayStore): ServiceImpl<typeof RelayAdminService> {
  return {
    listRelays: async () => {
      const relays = await store.list(MOST_LISTED);
      return {
        relays: relays.map((relay) => ({ device: relay.device, accountId: relay.accountId, adb: relayMessage(relay) })),
      };
    },
  };
}

/** Relays that one response lists at most. */
const MOST_LISTED = 1_000;

function relayMessage(relay: RelayDocument | undefined, code?: string): AdbRelay {
  if (!relay) return create(AdbRelaySchema, { enabled: false });
  const { host, port, allow, refused, expiresAt, sessions } = relay;
  return create(AdbRelaySchema, {
    enabled: true,
    host,
    port,
    allow,
    refused,
    expiresAt: timestampFromDate(expiresAt),
    sessions: sessions.map(({ id, address, connectedAt, loggedIn }) => ({
      id,
      address,
      connectedAt: timestampFromDate(connectedAt),
      loggedIn,
    })),
    code,
  });
}

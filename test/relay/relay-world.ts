import { type Client, createClient, type ConnectRouter, type Transport } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { type Clock, systemClock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { type Log, silentLog } from '../../kit/log/log.js';
import { sendErrors } from '../../kit/rpc/error-crossing.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import type { SimulatedPhone } from '../../simulated-phone/phone/phone.js';
import type { SimulatedPhoneOptions } from '../../simulated-phone/phone/phone-options.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { RelayService } from '../../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import type { UnacknowledgedBytes } from '../../relay-service/connection/unacknowledged-bytes.js';
import type { RelayLimits } from '../../relay-service/limits.js';
import { createRelayService } from '../../relay-service/service.js';
import type { Service } from '../../kit/service/service.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';

export interface RelayWorldOptions {
  /** The relay's clock; the phone keeps the system's. */
  clock?: Clock;
  limits?: Partial<RelayLimits>;
  log?: Log;
  /** Absent: the system's. */
  unacknowledgedBytes?: UnacknowledgedBytes;
  ports?: { first: number; last: number };
  /** Absent: 127.0.0.1. */
  listenHost?: string;
  phone?: Partial<SimulatedPhoneOptions>;
}

/** The state of the device service in these tests. */
export interface Behind {
  /** The one phone; undefined: it does not run. */
  phone:
    | { phoneId: string; generation: number; host: string; port: number; identity: string; handedOver?: boolean }
    | undefined;
  /** Phones of devices that do not lead to `phone`, by phone id. */
  others: Map<string, NonNullable<Behind['phone']>>;
  /** Accounts of phones that are not those of `acc_test`, by phone id. */
  accounts: Map<string, string>;
  /** Phones and keys that may not be used any more. */
  ended: Set<string>;
  /** Why callers cannot be identified. */
  refusal?: ApiError;
  /** How often callers were identified. */
  identified: number;
  /** Whether uses cannot be checked. */
  isAway: boolean;
  /** Time limits of the calls made without a customer's request, ms. */
  timeoutsMs: (number | undefined)[];
  reports: { phoneId: string; foundIdentity: string | undefined }[];
  /** Phones that were lent, in order. */
  lent: string[];
}

export interface RelayInstance {
  service: Service;
  /** The rpcs, without a caller. */
  rpc: Client<typeof RelayService>;
  enable(request?: { allow?: string[]; tunnel?: boolean; lifetimeS?: number; name?: string }): Promise<AdbRelay>;
  get(name?: string): Promise<AdbRelay>;
  disable(name?: string): Promise<AdbRelay>;
  close(): Promise<void>;
}

export interface RelayWorld extends RelayInstance {
  phone: SimulatedPhone;
  phonePort: number;
  behind: Behind;
  database: TemporaryDatabase['database'];
  /** Ends the first instance, as a restart does. */
  stopFirst(): Promise<void>;
  /** Another instance on the same database, or the first one again after `close`. */
  startInstance(options?: RelayWorldOptions & { instanceId?: string; host?: string }): Promise<RelayInstance>;
}

/** Starts a relay service in front of one simulated phone, with a real database and a fake device service. */
export async function startRelayWorld(options: RelayWorldOptions = {}): Promise<RelayWorld> {
  const database = await openTemporaryDatabase();
  const phone = await startPhone(options.phone);
  const behind: Behind = {
    phone: {
      phoneId: 'ph_test',
      generation: 1,
      host: '127.0.0.1',
      port: phone.port,
      identity: phone.phone.runIdentity ?? '',
    },
    others: new Map(),
    accounts: new Map(),
    ended: new Set(),
    identified: 0,
    isAway: false,
    timeoutsMs: [],
    reports: [],
    lent: [],
  };
  const devices = joinInMemory(
    {
      name: 'the device service',
      contracts: [PhoneService],
      interceptors: [sendErrors(silentLog)],
      routes: (router) => deviceRoutes(router, behind),
    },
    undefined,
  );
  const opened: RelayInstance[] = [];
  const ways = new Map<string, Transport>();

  const startInstance: RelayWorld['startInstance'] = async (again = {}) => {
    const { clock, limits, log, ports, listenHost = '127.0.0.1' } = { ...options, ...again };
    // What the system still sends has no meaning in the time of another clock.
    const unacknowledgedBytes = options.unacknowledgedBytes ?? (clock && (() => Promise.resolve(0)));
    const service = await createRelayService({
      clock: clock ?? systemClock,
      log: log ?? silentLog,
      metrics: new Registry(),
      meshToken: undefined,
      database: database.database,
      device: devices,
      listenHost,
      advertisedHost: again.host ?? '127.0.0.1',
      ports,
      instanceId: again.instanceId ?? 'relay-1',
      rpcUrl: () => `http://${again.instanceId ?? 'relay-1'}`,
      reach: (url) => ways.get(url)!,
      ...(limits && { limits }),
      ...(unacknowledgedBytes && { unacknowledgedBytes }),
    });
    const way = joinInMemory(service.rpc, undefined);
    ways.set(`http://${again.instanceId ?? 'relay-1'}`, way);
    const rpc = createClient(RelayService, way);
    const headers = { authorization: 'key-1' };
    const instance: RelayInstance = {
      service,
      rpc,
      enable: async ({ allow = ['127.0.0.1'], tunnel = false, lifetimeS, name = 'testphone' } = {}) =>
        (await rpc.enableAdb({ name, allow, tunnel, ...(lifetimeS !== undefined && { lifetimeS }) }, { headers })).adb!,
      get: async (name = 'testphone') => (await rpc.getAdb({ name }, { headers })).adb!,
      disable: async (name = 'testphone') => (await rpc.disableAdb({ name }, { headers })).adb!,
      close: () => service.close(),
    };
    opened.push(instance);
    return instance;
  };

  const first = await startInstance();
  return {
    ...first,
    phone: phone.phone,
    phonePort: phone.port,
    behind,
    database: database.database,
    startInstance,
    stopFirst: () => {
      opened.splice(opened.indexOf(first), 1);
      return first.close();
    },
    close: async () => {
      for (const instance of opened) await instance.close();
      await phone.stop();
      await database.close();
    },
  };
}

/**
 * Serves a device of any name. Its phone id is `ph_<name>`, or `ph_test` for `testphone`. Its phone is the one in `others`, or else
 * `phone`.
 */
function deviceRoutes(router: ConnectRouter, behind: Behind): void {
  const idOf = (name: string): string => (name === 'testphone' ? 'ph_test' : `ph_${name}`);
  const accountOf = (name: string): string => behind.accounts.get(idOf(name)) ?? 'acc_test';
  const phoneOf = (phoneId: string): Behind['phone'] => behind.others.get(phoneId) ?? behind.phone;
  router.service(PhoneService, {
    identifyPhone: ({ name }) => {
      behind.identified++;
      if (behind.refusal !== undefined) throw behind.refusal;
      return { phoneId: idOf(name), accountId: accountOf(name) };
    },
    locatePhone: ({ name }, { requestHeader }) => {
      const phone = phoneOf(idOf(name));
      if (!phone) throw new ApiError('busy', `The device "${name}" is stopped, not running.`);
      const keyId = requestHeader.get('authorization') ?? '';
      return { ...phone, phoneId: idOf(name), accountId: accountOf(name), keyId };
    },
    locatePhones: ({ phoneIds }, { timeoutMs }) => {
      behind.timeoutsMs.push(timeoutMs());
      const found = phoneIds.map((phoneId) => ({ phoneId, phone: phoneOf(phoneId) }));
      return { phones: found.flatMap(({ phoneId, phone }) => (phone ? [{ ...phone, phoneId }] : [])) };
    },
    checkUses: ({ uses }, { timeoutMs }) => {
      behind.timeoutsMs.push(timeoutMs());
      if (behind.isAway) throw new ApiError('unavailable', 'The device service is away.');
      return { allowed: uses.filter(({ phoneId, keyId }) => !behind.ended.has(phoneId) && !behind.ended.has(keyId)) };
    },
    lendPhones: ({ phoneIds }) => {
      if (behind.isAway) throw new ApiError('unavailable', 'The device service is away.');
      behind.lent.push(...phoneIds);
      return {};
    },
    reportPhone: ({ phoneId, foundIdentity }, { timeoutMs }) => {
      behind.timeoutsMs.push(timeoutMs());
      behind.reports.push({ phoneId, foundIdentity });
      return {};
    },
  });
}

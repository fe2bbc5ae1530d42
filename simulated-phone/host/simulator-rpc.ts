import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { ServiceImpl } from '@connectrpc/connect';
import type { SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { conditionsOf } from '../../phone/conditions-message.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { AppFailure, Faults } from '../system/system.js';
import { Mailbox } from '../streams/mailbox.js';
import type { DriverLease } from './driver-lease.js';
import type { PhoneHost } from './phone-host.js';
import { exitOf, specOf, statusMessage } from './phone-message.js';

/** Serves the simulator's rpcs: unpacks requests, calls the operation, packs its result. */
export function simulatorRpc(
  host: PhoneHost,
  lease: DriverLease,
  quit: () => void,
): ServiceImpl<typeof SimulatorService> {
  return {
    attend: async function* (_request, { signal }) {
      yield* lease.attend(host, signal);
    },
    createPhone: async ({ phone }) => {
      await host.create(specOf(phone));
      return {};
    },
    startPhone: async function* ({ phoneId, endedIdentity }) {
      const reached = new Mailbox<number>();
      const started = begunAhead(host.start(phoneId, (percent) => reached.add(percent), endedIdentity));
      started.then(
        () => reached.close(),
        () => reached.close(), // thrown below
      );
      for (let some = await reached.take(); some; some = await reached.take())
        for (const progress of some) yield { progress };
      yield { progress: 100, endpoint: await started };
    },
    stopPhone: async ({ phoneId, kill }) => {
      await host.stop(phoneId, kill ? 'kill' : 'save');
      return {};
    },
    deletePhone: async ({ phoneId }) => {
      await host.delete(phoneId);
      return {};
    },
    inspectPhone: async ({ phoneId }) => ({ status: statusMessage(phoneId, await host.inspect(phoneId)) }),
    listPhones: () => ({ phones: [...host.list()].map(([phoneId, status]) => statusMessage(phoneId, status)) }),
    snapshotPhone: async ({ phoneId, snapshotId }) => {
      const { sizeBytes, checksum } = await host.snapshot(phoneId, snapshotId);
      return { sizeBytes, checksum };
    },
    checkSnapshot: async ({ snapshotId }) => {
      await host.checkSnapshot(snapshotId);
      return {};
    },
    restorePhone: async ({ phoneId, snapshotId }) => {
      await host.restore(phoneId, snapshotId);
      return {};
    },
    clonePhone: async ({ snapshotId, phone }) => {
      await host.clone(snapshotId, specOf(phone));
      return {};
    },
    copySnapshot: async ({ snapshotId, copyId }) => {
      const { sizeBytes, checksum } = await host.copySnapshot(snapshotId, copyId);
      return { sizeBytes, checksum };
    },
    deleteSnapshot: async ({ snapshotId }) => {
      await host.deleteSnapshot(snapshotId);
      return {};
    },
    setExit: async ({ phoneId, exit }) => {
      await host.setExit(phoneId, exitOf(exit));
      return {};
    },
    setConditions: async ({ phoneId, conditions }) => {
      await host.setConditions(phoneId, conditionsOf(conditions));
      return {};
    },
    setFaults: async ({ phoneId, faults }) => {
      const { bootFailure, lie, failingApp } = faults ?? {};
      await host.setFaults(
        phoneId,
        {
          captureDelayMs: faults?.captureDelayMs ?? 0,
          treeDelayMs: faults?.treeDelayMs ?? 0,
          sourceDelayMs: faults?.sourceDelayMs ?? 0,
          adbDown: faults?.adbDown ?? false,
          hang: faults?.hang ?? false,
          ...(bootFailure !== undefined && { bootFailure: oneOf('boot_failure', bootFailure, bootStages) }),
          ...(lie !== undefined && { lie: oneOf('lie', lie, lies) }),
          ...(failingApp !== undefined && {
            appFailure: {
              package: failingApp.package,
              failure: oneOf('failing_app.failure', failingApp.failure, failures),
            },
          }),
        },
        faults?.crash ?? false,
      );
      return {};
    },
    quit: () => {
      quit();
      return {};
    },
  };
}

const bootStages = ['kernel', 'system', 'apps'] as const satisfies Faults['bootFailure'][];
const lies = [
  'broken-png',
  'huge-line',
  'xml-bomb',
  'not-utf8',
  'null-root',
  'stale-dump',
  'source-error',
] as const satisfies Faults['lie'][];

const failures = ['java', 'native', 'hang'] as const satisfies AppFailure[];

function oneOf<T extends string>(field: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new ApiError('bad_request', `${field}: "${value}" is not one of ${allowed.join(', ')}`);
  return found;
}

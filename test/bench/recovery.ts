import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import pLimit from 'p-limit';
import { systemClock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { silentLog } from '../../kit/log/log.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { PhoneLink } from '../../phone/link/phone-link.js';
import { openSimulatedDriver } from '../../simulated-phone/open-driver.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { undoLater } from './interrupt.js';
import { inTurn, type Report } from './report.js';
import { descendants, killChildren, killTree } from '../../testing/process-tree.js';

/** Fewer by the environment, for a quick look: RECOVERY_PHONES=20. */
const PHONES = Number(process.env['RECOVERY_PHONES'] ?? 200);
const PAIRS = 3;
const AT_ONCE = 8;
const GOAL_MS = 10_000;
/** So seldom that the requests take little time of the measured process: a refusal costs it as much as a response. */
const ASK_AGAIN_MS = 200;

/**
 * P21: running phones, kill -9 of the service and of everything it started, start again: until each phone has returned its log. It is
 * measured in turn with the driver alone, which starts the same phones after the same kill, until each has identified itself. The
 * difference is the cost of services, database and jobs.
 */
export async function benchRecovery(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-recovery-'));
  undoLater(() => removeData(directory));
  undoLater(killChildren);
  const start = fileURLToPath(new URL('../../start.js', import.meta.url));
  const names = Array.from({ length: PHONES }, (_, index) => `bench-${index}`);
  const respondsMs: number[] = [];
  const startService = (): Promise<Installation> =>
    startInstallation({ directory, start, environment: { LOG_LEVEL: 'error' } });
  const service = async (): Promise<number> => {
    const beganMs = performance.now();
    const started = await startService();
    respondsMs.push(performance.now() - beganMs);
    await usable(started, names);
    const tookMs = performance.now() - beganMs;
    killTree(started.pid);
    return tookMs;
  };
  const first = await startService();
  await credit(first, directory);
  await createAll(first, names);
  await usable(first, names);
  const processes = 1 + descendants(first.pid).length;
  killTree(first.pid);
  const { ours, theirs, ratio } = await inTurn(service, () => driverAlone(directory), PAIRS);
  report({
    what: `P21 kill -9 of everything with ${PHONES} running phones (${processes} processes), until all are usable`,
    ours: `${(ours / 1000).toFixed(2)} s (responds after ${(Math.min(...respondsMs) / 1000).toFixed(2)} s)`,
    theirs: `${(theirs / 1000).toFixed(2)} s for the simulator alone`,
    ratio,
    goal: `<= ${GOAL_MS / 1000} s`,
    holds: ours <= GOAL_MS,
  });
}

async function credit(installation: Installation, directory: string): Promise<void> {
  const { email } = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')) as { email: string };
  await createClient(AdminService, transportTo(installation, 'device')).creditAccount({ email, amount: '1000.00' });
}

async function createAll(installation: Installation, names: readonly string[]): Promise<void> {
  const devices = createClient(DeviceService, transportTo(installation, 'device'));
  const network = { type: ExitType.DIRECT, country: 'us' };
  await pLimit(AT_ONCE).map(names, async (name) => {
    await devices.createDevice({ name, model: 'phone-720p', plan: Plan.MINUTE, network }, headersOf(installation));
  });
}

/** Waits until every phone has returned its log; by gRPC, which has no limits of the edge. */
async function usable(installation: Installation, names: readonly string[]): Promise<void> {
  const screen = createClient(ScreenService, transportTo(installation, 'screen'));
  await pLimit(AT_ONCE).map(names, async (name) => {
    for (;;) {
      try {
        await screen.getLogs({ name, lines: 1 }, headersOf(installation));
        return;
      } catch (error) {
        // The phone is not back yet.
        if (!(error instanceof ApiError) || !['unavailable', 'busy', 'timeout'].includes(error.kind)) throw error;
        await systemClock.sleep(ASK_AGAIN_MS);
      }
    }
  });
}

/** The same phones, started by their driver without any service, until each has identified itself. Kills them again. */
async function driverAlone(dataDirectory: string): Promise<number> {
  const beganMs = performance.now();
  const driver = await openSimulatedDriver({
    directory: join(dataDirectory, 'simulator'),
    environment: process.env,
    phonesOutliveDriver: true,
    clock: systemClock,
    log: silentLog,
  });
  const phoneIds = [...(await driver.list()).keys()];
  await Promise.all(
    phoneIds.map(async (phoneId) => {
      const { host, port, identity } = await driver.start(phoneId);
      const link = await PhoneLink.open({
        ...{ host, port, identity, clock: systemClock, timeoutMs: 10_000 },
        connectSocket: (to, at) => connect({ host: to, port: at }),
      });
      link.close();
    }),
  );
  const tookMs = performance.now() - beganMs;
  killChildren();
  await driver.close();
  return tookMs;
}

function transportTo({ grpc, meshToken }: Installation, service: 'device' | 'screen') {
  return connectTo({ url: `http://${grpc[service]}`, service: 'the service', meshToken });
}

function headersOf({ key }: Installation) {
  return { headers: { authorization: `Bearer ${key}` } };
}

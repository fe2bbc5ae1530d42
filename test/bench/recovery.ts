import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { systemClock } from '../../kit/clock.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { ApiError } from '../../kit/errors.js';
import { type Installation, startInstallation } from '../installation.js';
import type { Report } from './report.js';

/** Fewer by the environment, for a quick look: RECOVERY_PHONES=20. */
const PHONES = Number(process.env['RECOVERY_PHONES'] ?? 200);
const AT_ONCE = 8;
const GOAL_MS = 10_000;

/** P21: running phones, kill -9 of the service and of everything it started, start again: until each phone has returned its log. */
export async function benchRecovery(report: Report): Promise<void> {
  const start = fileURLToPath(new URL('../../start.js', import.meta.url));
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-recovery-'));
  const options = { directory, start, environment: { LOG_LEVEL: 'error' } };
  const names = Array.from({ length: PHONES }, (_, index) => `bench-${index}`);
  let installation = await startInstallation(options);
  try {
    await credit(installation, directory);
    const devices = createClient(DeviceService, transportTo(installation.grpc.device));
    const network = { type: ExitType.DIRECT, country: 'us' };
    await forEach(names, async (name) => {
      await devices.createDevice({ name, model: 'phone-720p', plan: Plan.MINUTE, network }, headersOf(installation));
    });
    await usable(installation, names);
    const processes = [...descendants(installation.pid)];
    for (const pid of processes) process.kill(pid, 'SIGKILL');
    await installation.kill();
    const killedMs = performance.now();
    installation = await startInstallation(options);
    const startedMs = performance.now() - killedMs;
    await usable(installation, names);
    const tookMs = performance.now() - killedMs;
    report({
      what: `P21 kill -9 of everything with ${PHONES} running phones (${processes.length + 1} processes), until all are usable`,
      ours: `${(tookMs / 1000).toFixed(2)} s (responds after ${(startedMs / 1000).toFixed(2)} s)`,
      theirs: '',
      goal: `<= ${GOAL_MS / 1000} s`,
      holds: tookMs <= GOAL_MS,
    });
  } finally {
    await installation.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function credit({ grpc }: Installation, directory: string): Promise<void> {
  const { email } = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')) as { email: string };
  await createClient(AdminService, transportTo(grpc.device)).creditAccount({ email, amount: '1000.00' });
}

/** Waits until every phone has returned its log; by gRPC, which has no limits of the edge. */
function usable(installation: Installation, names: readonly string[]): Promise<void> {
  const screen = createClient(ScreenService, transportTo(installation.grpc.screen));
  return forEach(names, async (name) => {
    for (;;) {
      try {
        await screen.getLogs({ name, lines: 1 }, headersOf(installation));
        return;
      } catch (error) {
        // Not yet.
        if (!(error instanceof ApiError) || !['unavailable', 'busy', 'timeout'].includes(error.kind)) throw error;
        await systemClock.sleep(50);
      }
    }
  });
}

function transportTo(address: string) {
  return connectTo({ url: `http://${address}`, service: 'the service', meshToken: undefined });
}

function headersOf({ key }: Installation) {
  return { headers: { authorization: `Bearer ${key}` } };
}

async function forEach(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const left = [...names];
  const worker = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await work(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** The processes that a process has started, and those that they have. */
function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

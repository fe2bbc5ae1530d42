import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import { systemClock } from '../../kit/async/clock.js';
import { PhoneLink } from '../../phone/link/phone-link.js';
import { startEngine } from '../../testing/container-engine.js';
import { phoneImage } from '../../testing/container-engine/phone-image.js';
import { PHONE_SUBNETS } from '../../testing/phone-subnets.js';
import { removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { undoLater } from './interrupt.js';
import { quantile, type Report } from './report.js';

const ROUNDS = 12;
const SCREEN = { width: 720, height: 1280, density: 320 };

/** What a phone in a container takes from the request until it runs, against the same image run by hand until its boot is complete. */
export async function benchContainers(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-containers-'));
  undoLater(() => rmSync(folder, { recursive: true, force: true }));
  const engine = await startEngine(join(folder, 'engine'));
  if (typeof engine === 'string') throw new Error(engine);
  undoLater(() => engine.close());
  const image = await engine.load(await phoneImage());
  const model = { model: 'stand-in', driver: 'container', android: '14', image, binder: false, privileged: false };
  writeFileSync(
    join(folder, 'models.json'),
    JSON.stringify({ models: [{ ...model, screen: SCREEN, memory_mb: 512 }] }),
  );
  const running = await startInstallation({
    directory: join(folder, 'data'),
    start: fileURLToPath(new URL('../../start.js', import.meta.url)),
    environment: {
      ...{ PHONE_DRIVER: 'container', MODELS_FILE: join(folder, 'models.json'), PHONE_SUBNETS },
      ...{ DOCKER_HOST: `unix://${engine.socketPath}` },
    },
  });
  undoLater(async () => {
    await running.stop();
    await removeData(join(folder, 'data'));
  });
  const api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  const docker = new Docker({ socketPath: engine.socketPath });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await runByHand(docker, image));
    ours.push(await createByApi(api, `phone-${round}`));
  }
  const overheadMs = quantile(ours, 0.5) - quantile(theirs, 0.5);
  report({
    what: `create to running, beyond the phone's own boot (p50 of ${ROUNDS})`,
    ours: `${quantile(ours, 0.5).toFixed(0)} ms`,
    theirs: `${quantile(theirs, 0.5).toFixed(0)} ms until sys.boot_completed, by hand`,
    goal: `<= 1500 ms more; ${overheadMs.toFixed(0)} ms`,
    holds: overheadMs <= 1_500,
  });
}

async function createByApi(api: RestClient, name: string): Promise<number> {
  const beganMs = performance.now();
  const network = { type: 'direct', country: 'zz' };
  await api.done(await api.post('/v1/devices', { name, model: 'stand-in', plan: 'minute', network }));
  const tookMs = performance.now() - beganMs;
  await api.done(await api.delete(`/v1/devices/${name}`));
  return tookMs;
}

/** The engine alone: a container with the default network, and `getprop` over ADB until the boot is complete. */
async function runByHand(docker: Docker, image: string): Promise<number> {
  const beganMs = performance.now();
  const container = await docker.createContainer({ Image: image, Cmd: ['androidboot.serialno=BYHAND'] });
  try {
    await container.start();
    const { NetworkSettings: settings } = await container.inspect();
    const host = Object.values(settings.Networks)[0]?.IPAddress ?? '';
    while (!(await isBooted(host))) await systemClock.sleep(20);
    return performance.now() - beganMs;
  } finally {
    await container.remove({ force: true });
  }
}

async function isBooted(host: string): Promise<boolean> {
  const connectSocket = (to: string, port: number) => connect({ host: to, port });
  const link = await PhoneLink.open({ host, port: 5555, clock: systemClock, connectSocket, timeoutMs: 1_000 }).catch(() => undefined); // prettier-ignore
  if (link === undefined) return false;
  try {
    const options = { timeoutMs: 1_000, maxBytes: 64, doing: 'boot' };
    const { stdout } = await link.shell('getprop sys.boot_completed', options);
    return stdout.toString().trim() === '1';
  } catch {
    // It is not up to that yet.
    return false;
  } finally {
    link.close();
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { listenRpc } from '../../kit/rpc/listen.js';
import type { RpcService } from '../../kit/rpc/rpc-service.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { createScreenService } from '../../screen-service/service.js';
import { identityAt } from './identity-at.js';
import { SCRCPY_FILE } from './live-video.js';

/** A screen service in a process of its own, over one phone. */
export interface RecorderProcess {
  port: number;
  /** Processor time of the process so far, ms. */
  cpuMs(): Promise<number>;
  stop(): void;
}

/** Starts a screen service whose processor time can be read. */
export async function startRecorderProcess(phonePort: number): Promise<RecorderProcess> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['screen', String(phonePort)]);
  const next = (): Promise<number> =>
    new Promise((resolve) => child.once('message', (value: number) => resolve(value)));
  const port = await next();
  return {
    port,
    cpuMs: () => {
      const response = next();
      child.send('cpu');
      return response;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

async function serveScreen(phonePort: number): Promise<void> {
  const identity = await identityAt(phonePort);
  const screen = { width: 720, height: 1280, density: 320 };
  const place = { phoneId: 'ph_bench', keyId: 'key_1', generation: 1, identity, host: '127.0.0.1', port: phonePort };
  const devices: RpcService = {
    name: 'the device service',
    contracts: [PhoneService],
    interceptors: [],
    routes: (router) => {
      router.service(PhoneService, { locatePhone: () => ({ ...place, screen }) });
    },
  };
  const service = createScreenService({
    clock: systemClock,
    log: silentLog,
    metrics: new Registry(),
    device: joinInMemory(devices, undefined),
    scrcpyFile: SCRCPY_FILE,
  });
  const { port } = await listenRpc(service.rpc, { host: '127.0.0.1', port: 0, guarded: false });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1_000);
  });
  process.send?.(port);
}

if (process.argv[2] === 'screen' && process.argv[1] === fileURLToPath(import.meta.url))
  await serveScreen(Number(process.argv[3]));

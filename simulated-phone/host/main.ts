import { join } from 'node:path';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { systemClock } from '../../kit/async/clock.js';
import { lockFolder } from '../../kit/files/folder-lock.js';
import { sendErrors } from '../../kit/rpc/error-crossing.js';
import { runProgram } from '../../kit/service/run-service.js';
import { SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { FfmpegEncoders } from '../../phone/video/ffmpeg-encoders.js';
import { loadApps } from './load-apps.js';
import { phoneBuilder } from './build-phone.js';
import { readSimulatorConfig } from './config.js';
import { DriverLease } from './driver-lease.js';
import { HeapWatch } from './heap-watch.js';
import { listenOnSocket } from './listen-on-socket.js';
import { ProcessMemory } from '../memory/memory-budget.js';
import { PhoneFolder } from './phone-folder.js';
import { PhoneHost } from './phone-host.js';
import { processFolder } from './process-folder.js';
import { simulatorRpc } from './simulator-rpc.js';
import { simulatorSocketPath } from './socket-path.js';

// Runs a process in which simulated phones live. Its arguments are the folder that they are kept in, and its index among the processes.
await runProgram(readSimulatorConfig, async ({ config, log, lifecycle }) => {
  const [, , directory, index] = process.argv;
  if (directory === undefined || index === undefined) throw new Error('usage: main.js <folder> <index>');
  const own = processFolder(directory, Number(index));
  lifecycle.add('folder', lockFolder(own));
  const quit = (): void => void process.kill(process.pid, 'SIGTERM');
  const hostSpace = new HostSpace({ measure: () => freeSpaceOf(directory), clock: systemClock });
  const folder = new PhoneFolder(directory, join(own, 'scratch'), hostSpace);
  const { phoneHost: address } = config;
  const build = phoneBuilder({
    ...config,
    clock: systemClock,
    log,
    random: Math.random,
    extraApps: await loadApps(config.appsFolder, systemClock),
    listen: { host: address },
    hostSpace,
    processMemory: new ProcessMemory(config.memoryBytes),
    videoEncoders: new FfmpegEncoders(config.ffmpeg, systemClock),
  });
  const host = lifecycle.add('phones', new PhoneHost({ folder, build, log, process: Number(index), address }));
  lifecycle.add('heap watch', new HeapWatch({ clock: systemClock, onFull: () => host.rebootGreediest() }));
  const lease = new DriverLease({ clock: systemClock, graceMs: config.graceMs, onAbandoned: quit });
  const handler = connectNodeAdapter({
    routes: (router) => router.service(SimulatorService, simulatorRpc(host, lease, quit)),
    interceptors: [sendErrors(log)],
  });
  await folder.clean();
  lifecycle.add('socket', await listenOnSocket(simulatorSocketPath(own), handler));
  log.info({ directory, index: Number(index) }, 'simulator listens');
});

import { connectNodeAdapter } from '@connectrpc/connect-node';
import { systemClock } from '../../../kit/clock.js';
import { lockFolder } from '../../../kit/folder-lock.js';
import { sendErrors } from '../../../kit/rpc/error-crossing.js';
import { runService } from '../../../kit/run-service.js';
import { SimulatorService } from '../../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { Attendance } from './attendance.js';
import { phoneBuilder } from './build-phone.js';
import { readSimulatorConfig } from './config.js';
import { listenOnSocket } from './listen-on-socket.js';
import { PhoneFolder } from './phone-folder.js';
import { PhoneHost } from './phone-host.js';
import { simulatorRpc } from './simulator-rpc.js';
import { simulatorSocketPath } from './socket-path.js';

// The process in which simulated phones live. Its one argument is the folder that they are kept in.
await runService(readSimulatorConfig, async ({ config, log, lifecycle }) => {
  const directory = process.argv[2];
  if (directory === undefined) throw new Error('usage: main.js <folder>');
  lifecycle.add('folder', lockFolder(directory));
  const quit = (): void => void process.kill(process.pid, 'SIGTERM');
  const folder = new PhoneFolder(directory);
  const build = phoneBuilder({ ...config, clock: systemClock, log, random: Math.random });
  const host = lifecycle.add('phones', new PhoneHost({ folder, build, log }));
  const attendance = new Attendance({ clock: systemClock, graceMs: config.graceMs, abandoned: quit });
  const handler = connectNodeAdapter({
    routes: (router) => router.service(SimulatorService, simulatorRpc(host, attendance, quit, directory)),
    interceptors: [sendErrors(log)],
  });
  await folder.clean();
  lifecycle.add('socket', await listenOnSocket(simulatorSocketPath(directory), handler));
  log.info({ directory }, 'simulator listens');
});

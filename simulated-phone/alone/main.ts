import { join, resolve } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { lockFolder } from '../../kit/files/folder-lock.js';
import { runProgram } from '../../kit/service/run-service.js';
import { KeysFile } from '../../phone/adb/device/trusted-keys.js';
import { freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { FfmpegEncoders } from '../../phone/video/ffmpeg-encoders.js';
import { loadApps } from '../host/load-apps.js';
import { phoneBuilder } from '../host/build-phone.js';
import { readSimulatorConfig } from '../host/config.js';
import { PhoneFolder } from '../host/phone-folder.js';
import { HELP, parseFlags } from './flags.js';
import { readHostKernel } from './host-kernel.js';
import { phoneAlone } from './phone-alone.js';

// Runs one simulated phone without the service. It is for anybody's CI, and for trying the attached driver.
await runProgram(readAloneConfig, async ({ config, log, lifecycle }) => {
  const flags = parseFlags(process.argv.slice(2));
  if (flags === undefined) {
    process.stdout.write(HELP, () => process.exit(0));
    return;
  }
  const { host, port, keysFile } = flags;
  const trustedKeys = keysFile === undefined ? undefined : new KeysFile(resolve(keysFile));
  const extraApps = await loadApps(flags.apps === undefined ? config.appsFolder : resolve(flags.apps), systemClock);
  const directory = resolve(flags.data);
  lifecycle.add('folder', lockFolder(directory));
  const hostSpace = new HostSpace({ measure: () => freeSpaceOf(directory), clock: systemClock });
  const folder = new PhoneFolder(directory, join(directory, 'scratch'), hostSpace);
  await folder.clean();
  const spec = await phoneAlone(folder, flags.model, systemClock);
  const build = phoneBuilder({
    ...config,
    clock: systemClock,
    log,
    random: Math.random,
    extraApps,
    listen: { host, port },
    rebootable: true,
    hostSpace,
    videoEncoders: new FfmpegEncoders(config.ffmpeg, systemClock),
    hostKernel: flags.inContainer ? readHostKernel : undefined,
    ...(trustedKeys && { trustedKeys }),
  });
  const phone = build(spec, folder.statePath(spec.phoneId));
  phone.faults.captureDelayMs = flags.captureDelayMs;
  phone.faults.treeDelayMs = flags.treeDelayMs;
  phone.faults.sourceDelayMs = flags.sourceDelayMs;
  lifecycle.onClose('phone', () => phone.shutdown());
  const bound = await phone.boot().catch((error: unknown) => {
    throw isTaken(error) ? new Error(`Port ${port} of ${host} is taken. Choose another with --port.`) : error;
  });
  process.stdout.write(`phone ready on ${host.includes(':') ? `[${host}]` : host}:${bound}\n`);
});

/** Reads the simulator's settings. By default only warnings and errors are logged, as standard output has lines for people. */
function readAloneConfig(environment: NodeJS.ProcessEnv): ReturnType<typeof readSimulatorConfig> {
  return readSimulatorConfig({ LOG_LEVEL: 'warn', ...environment });
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

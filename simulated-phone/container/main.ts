import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { lockFolder } from '../../kit/files/folder-lock.js';
import { runProgram } from '../../kit/service/run-service.js';
import { freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { loadApps } from '../host/load-apps.js';
import { phoneAssembler } from '../host/build-phone.js';
import { readSimulatorConfig } from '../host/config.js';
import { kernelDatagrams } from '../network/kernel-datagrams.js';
import { FfmpegEncoders } from '../../phone/video/ffmpeg-encoders.js';
import { readBootFault } from './boot-fault.js';
import { parseBootWords } from './boot-words.js';
import { readContainerKernel } from './container-kernel.js';
import { makeUpIds } from './made-ids.js';

const DATA = '/data';
/** The folder of the simulated phone's state. The rest of /data is laid out as on Android. */
const STATE = join(DATA, 'simulated');
const ADB_PORT = 5555;
const ANDROID = '14';
/** The memory that the phone reports. */
const MEMORY_MB = 2_048;

/** The time of a boot that never ends: a day, which is longer than anybody waits. */
const NEVER_MS = 86_400_000;

/**
 * Exit statuses of a container whose init ended by SIGHUP or SIGINT. The kernel sends these signals to
 * the init of a container that reboots or powers off: reboot(2).
 */
const REBOOTED_STATUS = 129;
const POWERED_OFF_STATUS = 130;

// Runs the init of a simulated phone in a container. It is the only process there. It has the same arguments as redroid's
// init, and is at the same paths.
await runProgram(readSimulatorConfig, async ({ config, log, lifecycle }) => {
  const { serial, screen, properties } = parseBootWords(process.argv.slice(2));
  lifecycle.add('folder', lockFolder(STATE));
  makeUpIds(DATA, join(STATE, 'settings.json'), randomBytes);
  const fault = readBootFault(DATA);
  const assemble = phoneAssembler({
    ...config,
    ...(fault === 'never-boots' && { bootMs: NEVER_MS }),
    clock: systemClock,
    log,
    random: Math.random,
    extraApps: await loadApps(config.appsFolder, systemClock),
    listen: { host: '0.0.0.0', port: ADB_PORT },
    rebootable: true,
    hostSpace: new HostSpace({ measure: () => freeSpaceOf(STATE), clock: systemClock }),
    videoEncoders: new FfmpegEncoders(config.ffmpeg, systemClock),
    hostKernel: readContainerKernel,
    datagrams: kernelDatagrams,
    bootProperties: properties,
    // Only the container's network, which the engine sets up, restricts the phone, as with any Android in a container.
    allowPrivateTargets: true,
  });
  const model = { model: 'simulated', name: 'Simulated phone', android: [ANDROID], screen, memoryMb: MEMORY_MB };
  const identity = { phoneId: serial, name: 'simulated', serial, model, android: ANDROID };
  // The phone keeps the time zone that it was last set to.
  const phone = assemble(identity, { type: 'direct', country: 'zz', timezone: '' }, STATE);
  // An init cannot start its own container again. It ends, and the engine or its user starts the container.
  phone.onReboot = () => void phone.shutdown().then(() => process.exit(REBOOTED_STATUS));
  phone.onTurnOff = () => process.exit(POWERED_OFF_STATUS);
  if (fault === 'exits') phone.faults.bootFailure = 'system';
  if (fault === 'silent') phone.faults.hang = true;
  lifecycle.onClose('phone', () => phone.shutdown());
  await phone.boot();
  log.info({ ...screen, serial }, 'the phone has booted');
});

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../kit/clock.js';
import { lockFolder } from '../../kit/folder-lock.js';
import { runService } from '../../kit/run-service.js';
import { freeSpaceOf, HostSpace } from '../../kit/host-space.js';
import { phoneAssembler } from '../host/build-phone.js';
import { readSimulatorConfig } from '../host/config.js';
import { FfmpegEncoders } from '../video/ffmpeg-encoders.js';
import { readBootFault } from './boot-fault.js';
import { parseBootWords } from './boot-words.js';
import { readContainerKernel } from './container-kernel.js';
import { makeUpIds } from './made-ids.js';

const DATA = '/data';
/** The phone's own state; the rest of /data has Android's places. */
const STATE = join(DATA, 'simulated');
const ADB_PORT = 5555;
const ANDROID = '14';
/** The figure that the phone reports. */
const MEMORY_MB = 2_048;

/** A day: longer than anybody waits for a boot. */
const NEVER_MS = 86_400_000;

/** Of a container whose init ended by SIGHUP or SIGINT, which is how the kernel ends one that reboots or powers off: reboot(2). */
const REBOOTED_STATUS = 129;
const POWERED_OFF_STATUS = 130;

// The init of a simulated phone in a container: its only process, with the arguments and the places of redroid's.
await runService(readSimulatorConfig, async ({ config, log, lifecycle }) => {
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
    listen: { host: '0.0.0.0', port: ADB_PORT },
    rebootable: true,
    hostSpace: new HostSpace({ measure: () => freeSpaceOf(STATE), clock: systemClock }),
    videoEncoders: new FfmpegEncoders(config.ffmpeg, systemClock),
    hostKernel: readContainerKernel,
    bootProperties: properties,
    // The network that the engine gives the container is all that holds the phone back, as with any Android in a container.
    allowPrivateTargets: true,
  });
  const model = { model: 'simulated', name: 'Simulated phone', android: [ANDROID], screen, memoryMb: MEMORY_MB };
  const identity = { phoneId: serial, name: 'simulated', serial, model, android: ANDROID };
  // The time zone is the one that it was last set to.
  const phone = assemble(identity, { type: 'direct', country: 'zz', timezone: '' }, STATE);
  // An init cannot start its own container again: it ends, and the engine or its user starts it.
  phone.onReboot = () => void phone.shutdown().then(() => process.exit(REBOOTED_STATUS));
  phone.onTurnOff = () => process.exit(POWERED_OFF_STATUS);
  if (fault === 'exits') phone.faults.bootFailure = 'system';
  if (fault === 'silent') phone.faults.hang = true;
  lifecycle.onClose('phone', () => phone.shutdown());
  await phone.boot();
  log.info({ ...screen, serial }, 'the phone has booted');
});

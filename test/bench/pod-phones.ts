import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { Gate } from '../../phone/kubernetes/gate/gate.js';
import { GATE_PORT, PROXY_PORT } from '../../phone/kubernetes/ports.js';
import { phoneAssembler } from '../../simulated-phone/host/build-phone.js';

/** A pod whose phone is to run in this process. */
export interface PodPhone {
  uid: string;
  serial: string;
  /** The token of its gate. */
  token: string;
  adbPort: number;
}

/** Sent to the parent once the phone is reached at `address`. */
export interface PodPhoneRuns {
  uid: string;
  address: string;
}

const SCREEN = { width: 720, height: 1280, density: 320 };
const MODEL = { model: 'stand-in', name: 'Stand-in', android: ['14'], screen: SCREEN, memoryMb: 512 };

// The phones of many pods in one process, each with a loopback address of its own. A thousand processes do not fit into a machine.
const [, , folder = ''] = process.argv;
let count = 0;
process.on('message', (pod: PodPhone) => void run(pod).then((runs) => process.send?.(runs)));

async function run({ uid, serial, token, adbPort }: PodPhone): Promise<PodPhoneRuns> {
  const number = count++;
  const host = `127.20.${Math.floor(number / 250)}.${(number % 250) + 1}`;
  const assemble = phoneAssembler({
    ...{ clock: systemClock, log: silentLog, random: Math.random },
    ...{ bootMs: 50, storageBytes: 64 * 1024 * 1024, allowPrivateTargets: true },
    listen: { host, port: adbPort },
  });
  const directory = join(folder, uid);
  mkdirSync(directory, { recursive: true });
  const identity = { phoneId: uid, name: 'stand-in', serial, model: MODEL, android: '14' };
  const phone = assemble(identity, { type: 'direct', country: 'zz', timezone: '' }, directory);
  await Gate.listen({
    proxy: { host, port: PROXY_PORT },
    gate: { host, port: GATE_PORT },
    ...{ token, clock: systemClock, log: silentLog },
  });
  await phone.boot();
  return { uid, address: host };
}

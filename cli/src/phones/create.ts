import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import { waitForJob } from '../service/wait-for-job.js';
import { deviceFacts } from './device-facts.js';
import { labelsOf, wantedDevice } from './wanted-device.js';

/** The bounds of `idle_stop_s`, seconds. */
export const IDLE_STOP_S = { min: 60, max: 604_800 } as const;

export async function run(invocation: Invocation): Promise<void> {
  const { options, words, signal, newId } = invocation;
  const { phone } = openService(invocation);
  const [name] = words;
  const apps = options.texts('app');
  const idleStopS = options.number('idle-stop-s', IDLE_STOP_S);
  const body = {
    ...(await wantedDevice(phone, options, signal)),
    ...(name !== undefined && { name }),
    labels: labelsOf(options.texts('label')),
    start: !options.flag('no-start'),
    ...(apps.length > 0 && { apps }),
    ...(idleStopS !== undefined && { idle_stop_s: idleStopS }),
  };
  // With this header, a request that is repeated after a lost connection makes no second phone.
  const params = { header: { 'Idempotency-Key': newId() } };
  const made = await phone.post('/v1/devices', { params, body, signal });
  const job = await waitForJob(invocation, phone, made.job);
  const path = { name: made.device.name };
  const { device } = await phone.get('/v1/devices/{name}', { params: { path }, signal });
  print(invocation, { job, device }, deviceFacts(device));
}

import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { plainLine } from '../output/plain-text.js';
import type { Job } from '../service/types.js';
import type { HeldLease } from './held-lease.js';
import type { BegunPhone } from './run-phone.js';
import { whenFree } from './when-free.js';

/** A leased phone of a run. */
export interface HeldPhone extends BegunPhone {
  held: HeldLease;
  /** Whether the run has started it. */
  wasOff: boolean;
}

/** How long the phone of a command that failed stays leased where that is wanted, seconds. */
const KEPT_S = 3_600;

/**
 * Leaves a leased phone and ends its lease. A phone that the run has started is stopped first, unless the end of the lease does something. The
 * requests are not aborted by the end of the program. A failure is reported; the lease then ends by its time.
 */
export async function leaveLeased(
  invocation: Invocation,
  phone: CloudPhone,
  begun: Promise<HeldPhone>,
  hasSucceeded: boolean,
): Promise<void> {
  const { options, signal, terminal } = invocation;
  // A phone that the service has not given has no lease to end.
  const given = await begun.catch(() => undefined);
  if (given === undefined || given.held.lost.aborted) return;
  const { name, held, wasOff } = given;
  try {
    if (options.text('pool') !== undefined && options.flag('keep-on-failure') && !hasSucceeded && !signal.aborted) {
      const until = await held.leaveFor(KEPT_S);
      terminal.note(`cloudphone: ${name} stays leased until ${until}. Look at it: cloudphone open ${name}`);
      return;
    }
    try {
      if (wasOff && held.lease.at_end === 'keep') await stop(invocation, phone, name);
    } finally {
      await held.end();
    }
  } catch (error) {
    const reason = plainLine(error instanceof Error ? error.message : String(error));
    terminal.note(`cloudphone: the lease of ${name} could not be ended, and ends by its time: ${reason}`);
  }
}

/** Stops a phone, and waits for it unless the program is to end: a phone that is at work when its lease ends is free a moment later. */
async function stop({ signal, wait, nowMs }: Invocation, phone: CloudPhone, name: string): Promise<void> {
  const job = await whenFree({ phone, wait, nowMs }, name, () => stopUnlessOff(phone, name));
  if (job !== undefined && !signal.aborted) await phone.waitForJob(job, { signal });
}

/** Stops a phone. One that is off already, as its start has failed, is left as it is. */
async function stopUnlessOff(phone: CloudPhone, name: string): Promise<Job | undefined> {
  const params = { path: { name } };
  const { device } = await phone.get('/v1/devices/{name}', { params });
  if (device.job === undefined && device.state !== 'running') return undefined;
  return (await phone.post('/v1/devices/{name}/stop', { params })).job;
}

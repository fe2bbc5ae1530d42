import type { PhoneDriver } from '../../../phone/driver.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Removes copies of phones that were on their way to this host when their move failed or was given up. A copy stays while a job that moves
 * a phone to this host has its name: the phone may still arrive, or be at work there.
 */
export async function sweepArrivals(context: DevicesContext): Promise<void> {
  for (const driver of context.drivers.all) await sweep(context, driver);
}

async function sweep({ devices, receiving, log }: DevicesContext, { moves }: PhoneDriver): Promise<void> {
  const arrivals = (await moves?.listArrivals()) ?? [];
  if (moves === undefined || arrivals.length === 0) return;
  // Jobs are read after the folders were listed. A job is accepted before its folder is made.
  const atWork = new Set((await devices.findMoves()).map(({ job }) => job?.id));
  for (const name of arrivals) {
    if (atWork.has(name)) continue;
    log.info({ job: name }, 'removing the copy of a phone whose move is over');
    await receiving.run(name, () => moves.discard(name));
  }
}

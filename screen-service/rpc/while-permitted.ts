import type { Clock } from '../../kit/async/clock.js';
import { type Call, withinCall } from '../../kit/call/call.js';
import { LeasedAway } from '../../kit/errors/leased-away.js';

/** How often it is checked whether work on a phone is still permitted, ms. Shorter work is not checked again. */
const CHECK_MS = 1_000;

/**
 * Does the work of a call that changes a phone, and breaks it off when another caller leases the phone. `check` throws LeasedAway then;
 * every other failure of it is left to the work itself.
 */
export function whilePermitted<T>(
  call: Call,
  { clock, check }: { clock: Clock; check: (part: Call) => Promise<unknown> },
  work: (part: Call) => Promise<T>,
): Promise<T> {
  return withinCall(call, { clock, timeoutMs: Infinity }, async (part) => {
    const again = async (): Promise<void> => {
      try {
        await check(part);
      } catch (error) {
        if (error instanceof LeasedAway) part.abort(error);
      }
      timer = clock.after(CHECK_MS, () => void again());
      if (isOver) timer.cancel();
    };
    let isOver = false;
    let timer = clock.after(CHECK_MS, () => void again());
    try {
      return await part.unlessEnded(work(part));
    } finally {
      isOver = true;
      timer.cancel();
    }
  });
}

import type { ServerResponse } from 'node:http';
import { ClientGone } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';

export interface DrainedOptions {
  clock: Clock;
  /** How long the client may accept no bytes, ms. */
  slowMs: number;
  /** Returns the error for a client that accepted no bytes for so long. */
  onSlow: () => Error;
}

/**
 * Resolves when the client has taken what was written. Rejects with the error of `onSlow` when it does not, and with ClientGone when it
 * hangs up.
 */
export function drained(response: ServerResponse, { clock, slowMs, onSlow }: DrainedOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      timer.cancel();
      response.off('drain', onDrain);
      response.off('close', onClose);
    };
    const onDrain = (): void => {
      end();
      resolve();
    };
    const onClose = (): void => {
      end();
      reject(new ClientGone());
    };
    const timer = clock.after(slowMs, () => {
      end();
      reject(onSlow());
    });
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}

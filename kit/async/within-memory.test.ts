import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { abortWith } from '../../client/src/abort-with.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { Cancellation, unlessAborted, within } from './within.js';

const USES = 20_000;
/** The heap moves by some 100 KiB by itself. AbortSignal.any with a listener leaves more than 1 KiB for each use. */
const MAX_LEFT_BYTES_PER_USE = 64;

describe('a signal that lives as long as its process', () => {
  const clock = new FakeClock();
  const { signal } = new Cancellation();
  let collectGarbage: () => void;

  before(() => {
    setFlagsFromString('--expose-gc');
    collectGarbage = runInNewContext('gc') as () => void;
  });

  const heapBytes = async (): Promise<number> => {
    // Weak references hold their targets until the task in which they were made ends.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };

  const leftBytesPerUse = async (use: () => unknown): Promise<number> => {
    for (let at = 0; at < USES / 10; at++) await use();
    const before = await heapBytes();
    for (let at = 0; at < USES; at++) await use();
    return ((await heapBytes()) - before) / USES;
  };

  const listen = (to: AbortSignal): void => to.addEventListener('abort', () => undefined, { once: true });
  const uses: Record<string, () => unknown> = {
    'work with a time limit': () =>
      within({ clock, timeoutMs: 1_000, signals: [signal], onTimeout: () => new Error('late') }, async (limited) =>
        listen(limited),
      ),
    'a cancellation that is ended': () => {
      const cancellation = new Cancellation([signal]);
      listen(cancellation.signal);
      cancellation.end();
    },
    'a cancellation that is aborted': () => {
      const cancellation = new Cancellation([signal]);
      listen(cancellation.signal);
      cancellation.abort(new Error('over'));
    },
    'a stream of events of the client': () => {
      const controller = new AbortController();
      listen(controller.signal);
      abortWith(controller, signal)();
    },
    'work that is awaited unless the signal aborts': () => unlessAborted(signal, Promise.resolve()),
  };

  for (const [name, use] of Object.entries(uses)) {
    it(`keeps nothing of ${name}`, async () => {
      expect(await leftBytesPerUse(use)).to.be.below(MAX_LEFT_BYTES_PER_USE);
    });
  }
});

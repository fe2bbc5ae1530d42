import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { fetch } from 'undici';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { Cancellation, unlessAborted, within } from './within.js';

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const never = new Promise<never>(() => undefined);

describe('work with a time limit', () => {
  let clock: FakeClock;
  beforeEach(() => (clock = new FakeClock()));
  const limit = (signals: (AbortSignal | undefined)[] = []) => ({
    clock,
    timeoutMs: 100,
    signals,
    onTimeout: () => new Error('time is over'),
  });

  it('returns its result, and leaves no timer', async () => {
    expect(await within(limit(), async () => 1)).to.equal(1);
    expect(clock.timers).to.equal(0);
  });

  it('rejects when the time is over, and its signal aborts', async () => {
    let seen: AbortSignal | undefined;
    const failure = failureOf(within(limit(), (signal) => ((seen = signal), never)));
    clock.turn(100);
    expect(await failure).to.have.property('message', 'time is over');
    expect(seen?.aborted).to.equal(true);
  });

  it('rejects with the reason of the first signal that aborts, and does not begin after one has', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const failure = failureOf(within(limit([undefined, one.signal, two.signal]), () => never));
    two.abort(new Error('gone'));
    expect(await failure).to.equal(two.signal.reason);
    const work = async () => expect.fail('begun all the same');
    expect(await failureOf(within(limit([one.signal, two.signal]), work))).to.equal(two.signal.reason);
    expect(clock.timers).to.equal(0);
  });

  describe('by the hundred', () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    beforeEach(() => process.on('warning', onWarning));
    afterEach(() => process.off('warning', onWarning));
    const hundred = (signal: AbortSignal): Promise<unknown>[] =>
      Array.from({ length: 100 }, () => failureOf(within(limit([signal]), () => never)));

    it('may be given one signal, without a warning of the process', async () => {
      const shared = new Cancellation();
      const failures = hundred(shared.signal);
      await settled();
      shared.abort(new Error('closing'));
      expect(await Promise.all(failures)).to.deep.equal(failures.map(() => shared.signal.reason));
      expect(warnings).to.deep.equal([]);
    });

    it('may be requests of undici', async () => {
      const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const request = (signal: AbortSignal): Promise<unknown> => fetch(url, { signal });
      expect(await within(limit(), request)).to.include({ status: 200 });
      expect(await within(limit([new Cancellation().signal]), request)).to.include({ status: 200 });
      expect(await request(new Cancellation().signal)).to.include({ status: 200 });
      server.close();
      server.closeAllConnections();
    });

    it('may be a part of work with a time limit, without a warning of the process', async () => {
      const failures = within(limit(), (signal) => Promise.all(hundred(signal)));
      await settled();
      clock.turn(100);
      await failureOf(failures);
      expect(warnings).to.deep.equal([]);
    });
  });
});

describe('work that ends with a signal', () => {
  const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

  it('returns its result, or its own error', async () => {
    const { signal } = new AbortController();
    const error = new Error('mine');
    expect(await unlessAborted(signal, Promise.resolve(1))).to.equal(1);
    expect(await failureOf(unlessAborted(signal, Promise.reject(error)))).to.equal(error);
  });

  it('rejects with the reason of the signal, and ignores a later failure of the work', async () => {
    const abort = new AbortController();
    const reason = new Error('gone');
    let fail: (error: Error) => void = () => undefined;
    const work = unlessAborted(abort.signal, new Promise((_, reject) => (fail = reject)));
    abort.abort(reason);
    expect(await failureOf(work)).to.equal(reason);
    fail(new Error('late'));
    expect(await failureOf(unlessAborted(abort.signal, Promise.reject(new Error('late'))))).to.equal(reason);
    expect(await failureOf(unlessAborted(AbortSignal.abort('word'), new Promise(() => undefined)))).to.have.property(
      'cause',
      'word',
    );
  });
});

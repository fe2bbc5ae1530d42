import { expect } from 'chai';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { takeLease } from './take-lease.js';

/** A service whose calls take the time that they may wait, and which refuses all calls before a time. */
function service({ freeAtMs, refusesAtOnce = false }: { freeAtMs: number; refusesAtOnce?: boolean }) {
  const clock = { nowMs: 0 };
  const waits: number[] = [];
  const post = (_path: string, { body }: { body: { wait_s: number } }): Promise<object> => {
    waits.push(body.wait_s);
    const endMs = clock.nowMs + body.wait_s * 1_000;
    if (freeAtMs <= endMs) {
      clock.nowMs = Math.max(clock.nowMs, freeAtMs);
      return Promise.resolve({ lease: { id: 'lse_1' }, device: { name: 'demo' } });
    }
    if (!refusesAtOnce) clock.nowMs = endMs;
    return Promise.reject(new CloudPhoneError('It is leased.', { kind: 'busy', status: 409 }));
  };
  const calls = {
    signal: new AbortController().signal,
    nowMs: () => clock.nowMs,
    wait: (ms: number) => Promise.resolve(void (clock.nowMs += ms)),
  };
  return { waits, clock, take: (waitS: number) => takeLease(calls, { post } as unknown as CloudPhone, {}, waitS) };
}

const kindOf = (error: unknown): unknown => error instanceof CloudPhoneError && error.kind;

describe('taking a lease', () => {
  it('is one call where nothing is waited for', async () => {
    const { waits, take } = service({ freeAtMs: 1 });
    expect([await take(0).catch(kindOf), waits]).to.deep.equal(['busy', [0]]);
  });

  it('repeats calls of a minute until the whole time is over', async () => {
    const { waits, take, clock } = service({ freeAtMs: Infinity });
    expect(await take(150).catch(kindOf)).to.equal('busy');
    expect([waits, clock.nowMs]).to.deep.equal([[60, 60, 30], 150_000]);
  });

  it('ends with the phone that becomes free meanwhile', async () => {
    const { waits, take, clock } = service({ freeAtMs: 70_000 });
    expect((await take(600)).device.name).to.equal('demo');
    expect([waits, clock.nowMs]).to.deep.equal([[60, 60], 70_000]);
  });

  it('pauses between calls that are refused at once', async () => {
    const { waits, take, clock } = service({ freeAtMs: Infinity, refusesAtOnce: true });
    expect(await take(5).catch(kindOf)).to.equal('busy');
    expect([waits.length, clock.nowMs]).to.deep.equal([6, 5_000]);
  });
});

import { expect } from 'chai';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { until } from '../../../testing/until.js';
import type { Lease } from '../leases/take-lease.js';
import { Failure, STATUS } from '../output/failure.js';
import { HeldLease, RUN_LEASE_S } from './held-lease.js';

const LEASE = { id: 'lse_1', device: 'demo', expires_at: '2026-11-20T17:15:00.000Z' } as Lease;

const fault = (kind: CloudPhoneError['kind']): CloudPhoneError =>
  new CloudPhoneError('It did not work.', { kind, status: 0 });

/** A service that answers renewals with these faults, one after the other, and with success where there is none. */
function held(faults: readonly (CloudPhoneError['kind'] | undefined)[]) {
  const clock = { nowMs: 0 };
  const sentAtMs: number[] = [];
  const ended: string[] = [];
  const phone = {
    post: () => {
      const kind = faults[sentAtMs.length];
      sentAtMs.push(clock.nowMs);
      return kind === undefined ? Promise.resolve({ lease: LEASE }) : Promise.reject(fault(kind));
    },
    delete: (_path: string, { params }: { params: { path: { id: string } } }) => {
      ended.push(params.path.id);
      return Promise.reject(fault('not_found'));
    },
  } as unknown as CloudPhone;
  // After the last of the faults, time stands still until the lease is left.
  const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      clock.nowMs += ms;
      if (sentAtMs.length < faults.length) resolve();
      else signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  return { held: new HeldLease({ phone, wait, nowMs: () => clock.nowMs }, LEASE), sentAtMs, ended };
}

describe('the lease of a run', () => {
  it('is renewed at each third of its time', async () => {
    const { held: lease, sentAtMs, ended } = held([undefined, undefined, undefined]);
    await until(() => sentAtMs.length === 3);
    expect(sentAtMs).to.deep.equal([1, 2, 3].map((time) => (time * RUN_LEASE_S * 1_000) / 3));
    await lease.end();
    expect([lease.lost.aborted, ended]).to.deep.equal([false, ['lse_1']]);
  });

  it('is lost with its reason when the service says that it has ended', async () => {
    for (const kind of ['not_found', 'forbidden', 'unauthorized'] as const) {
      const { held: lease } = held([undefined, kind, undefined]);
      await until(() => lease.lost.aborted);
      const reason: unknown = lease.lost.reason;
      expect(reason).to.be.instanceOf(Failure);
      expect((reason as Failure).status).to.equal(STATUS.busy);
      expect((reason as Failure).message)
        .to.include('The lease of demo has ended')
        .and.include('It did not work.');
    }
  });

  it('outlasts a service that is away for less than its time', async () => {
    const { held: lease, sentAtMs } = held([...Array.from({ length: 20 }, () => 'unreachable' as const), undefined]);
    await until(() => sentAtMs.length === 21);
    expect(lease.lost.aborted).to.equal(false);
    await lease.end();
  });

  it('is lost when the service is away for all of its time', async () => {
    const { held: lease, sentAtMs } = held(Array.from({ length: 100 }, () => 'unavailable' as const));
    await until(() => lease.lost.aborted);
    expect(sentAtMs.at(-1)).to.equal(RUN_LEASE_S * 1_000);
  });
});

import { expect } from 'chai';
import { deviceDocument } from '../../../testing/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PoolDocument } from '../../store/pools.js';
import { POOL_PATIENCE_MS, POOL_STEADY_MS, REPLACED_AFTER_MS } from '../limits.js';
import { isSteady, isWell, phonesNow, planPool } from './plan-pool.js';

const NOW_MS = Date.parse('2037-01-31T10:00:00Z');
const ago = (ms: number): Date => new Date(NOW_MS - ms);

type Kind = 'ready' | 'old' | 'leased' | 'making' | 'unready' | 'stuck' | 'failed' | 'unfit' | 'sick' | 'ill' | 'going';

/** A phone of each kind. `at` orders the ready ones: a greater one is ready longer. */
function phone(kind: Kind, at: number): DeviceDocument {
  const pool = { id: 'pool_1', name: 'ci', version: kind === 'old' ? 1 : 2, jobId: 'job_1' };
  const ready = { ...pool, readySince: ago(1_000 * at) };
  const job = { id: 'job_1', createdAt: ago(0), progress: 0 };
  const running = deviceDocument({ _id: `${kind}_${at}`, state: 'running', startedAt: ago(1_000) });
  const sick = (ms: number) => ({ kind: 'adb' as const, message: 'The phone does not respond.', since: ago(ms) });
  const lease = {
    id: 'lse_1',
    keyId: 'k',
    name: 'ci',
    atEnd: 'delete' as const,
    begunAt: ago(REPLACED_AFTER_MS),
    expiresAt: ago(-1),
  };
  const of: Record<Kind, Partial<DeviceDocument>> = {
    ready: { pool: ready },
    old: { pool: ready },
    leased: { pool: ready, lease },
    making: { pool, state: 'creating', job: { ...job, kind: 'create' } },
    unready: { pool },
    stuck: { pool: { ...pool, failingSince: ago(POOL_PATIENCE_MS + 1) } },
    failed: { pool, state: 'failed' },
    unfit: { pool: { ...pool, unfit: 'An app was refused.' } },
    sick: { pool: ready, problem: sick(1_000) },
    ill: { pool: ready, problem: sick(POOL_PATIENCE_MS + 1) },
    going: { pool: ready, state: 'deleting', job: { ...job, kind: 'delete' } },
  };
  return { ...running, ...of[kind] };
}

function pool(change: Partial<PoolDocument> = {}): PoolDocument {
  return {
    ...{ _id: 'pool_1', accountId: 'acc_1', name: 'ci', createdBy: 'key_1', maker: { id: 'key_1', isOwner: false } },
    description: { model: 'm', network: { type: 'direct', country: 'us' }, plan: 'minute', apps: [], labels: [] },
    ...{ version: 2, ready: 3, most: 5, createdAt: ago(0), runId: 'r', leaseUntil: ago(0), ...change },
  };
}

describe('the plan of a pool', () => {
  const rows: [what: string, of: PoolDocument, phones: Kind[], make: number, remove: string[]][] = [
    ['makes all phones of a new pool', pool(), [], 3, []],
    ['counts phones that are on their way', pool(), ['ready', 'making', 'unready'], 0, []],
    ['does not count leased phones as free', pool(), ['ready', 'ready', 'ready', 'leased'], 0, []],
    ['makes one for each leased phone', pool(), ['ready', 'ready', 'leased'], 1, []],
    ['makes no more than its most', pool(), ['leased', 'leased', 'leased', 'leased'], 1, []],
    ['makes none beyond its most', pool(), ['leased', 'leased', 'leased', 'leased', 'leased'], 0, []],
    [
      'counts phones that are being deleted to its most',
      pool(),
      ['going', 'going', 'going', 'leased', 'leased'],
      0,
      [],
    ],
    ['waits with the next try', pool({ failed: { tries: 1, at: ago(1), retryAt: ago(-1) } }), [], 0, []],
    ['tries again', pool({ failed: { tries: 1, at: ago(1), retryAt: ago(0) } }), [], 3, []],
    ['deletes those that were ready last', pool({ ready: 1 }), ['ready', 'ready', 'ready'], 0, ['ready_0', 'ready_1']],
    [
      'keeps phones on their way in a smaller pool until they are ready',
      pool({ ready: 1 }),
      ['ready', 'making'],
      0,
      [],
    ],
    ['replaces old phones one by one: makes one', pool(), ['old', 'old', 'old'], 1, []],
    ['replaces old phones one by one: waits for it', pool(), ['old', 'old', 'old', 'making'], 0, []],
    ['replaces old phones one by one: deletes one', pool(), ['old', 'old', 'old', 'ready'], 1, ['old_2']],
    ['makes room by an old phone where there is none', pool({ most: 3 }), ['old', 'old', 'old'], 0, ['old_2']],
    ['replaces phones that failed', pool(), ['ready', 'ready', 'failed'], 1, ['failed_2']],
    ['replaces phones of no use', pool(), ['ready', 'ready', 'unfit'], 1, ['unfit_2']],
    ['replaces phones that did not become ready', pool(), ['ready', 'ready', 'stuck'], 1, ['stuck_2']],
    ['has patience with a problem', pool(), ['ready', 'ready', 'sick'], 0, []],
    ['loses its patience with a problem', pool(), ['ready', 'ready', 'ill'], 1, ['ill_2']],
    [
      'deletes all but leased phones of a deleted pool',
      pool({ deleting: true }),
      ['ready', 'leased', 'failed'],
      0,
      ['failed_2', 'ready_0'],
    ],
    ['makes none where none shall be ready', pool({ ready: 0 }), ['leased'], 0, []],
  ];
  for (const [what, of, kinds, make, remove] of rows) {
    it(what, () => {
      const phones = kinds.map((kind, at) => phone(kind, at));
      const plan = planPool(of, phonesNow(phones, NOW_MS), NOW_MS);
      expect([plan.make, plan.remove.map(({ _id }) => _id).sort()]).to.deep.equal([make, [...remove].sort()]);
    });
  }

  it('reports a pool whose phones are all leased, and phones that broke early', () => {
    const all = Array.from({ length: 5 }, (_, at) => phone('leased', at));
    expect(planPool(pool(), phonesNow(all, NOW_MS), NOW_MS).isFull).to.equal(true);
    const steady = phone('ill', 1);
    steady.pool!.readySince = ago(POOL_STEADY_MS + 1);
    const broken = [phone('failed', 0), steady, phone('ill', 2)];
    const { failed, isFull } = planPool(pool(), phonesNow(broken, NOW_MS), NOW_MS);
    expect([failed.map(({ _id }) => _id), isFull]).to.deep.equal([['failed_0', 'ill_2'], false]);
  });

  it('replaces a leased phone a moment after the lease, so that the holder has its first picture first', () => {
    const leased = phone('leased', 1);
    const at = (ms: number) => ({ ...leased, lease: { ...leased.lease!, begunAt: ago(ms) } });
    const makes = (ms: number): number => planPool(pool({ ready: 1 }), phonesNow([at(ms)], NOW_MS), NOW_MS).make;
    expect([0, REPLACED_AFTER_MS - 1, REPLACED_AFTER_MS].map(makes)).to.deep.equal([0, 0, 1]);
  });

  it('forgets a failure only when a later phone is leased or stays ready, so that the pauses grow', () => {
    const failed = (ms: number) => pool({ ready: 1, failed: { tries: 3, at: ago(ms), retryAt: ago(0) } });
    const of = (kind: Kind, readyMs: number) => {
      const made = phone(kind, 1);
      return phonesNow([{ ...made, pool: { ...made.pool!, readySince: ago(readyMs) } }], NOW_MS);
    };
    const rows = [
      [60_000, of('ready', 1_000), true, false],
      [60_000, of('leased', 1_000), true, true],
      [2 * POOL_STEADY_MS, of('ready', POOL_STEADY_MS), true, true],
      [60_000, of('ready', 120_000), true, false],
      [POOL_STEADY_MS, of('ready', 2 * POOL_STEADY_MS), true, true],
      [60_000, of('failed', 1_000), false, false],
    ] as const;
    for (const [failedMs, now, well, steady] of rows)
      expect([isWell(failed(failedMs), now), isSteady(failed(failedMs), now, NOW_MS)]).to.deep.equal([well, steady]);
  });

  it('counts phones of a silent host as on their way, and as broken after a while', () => {
    const made = { ...phone('ready', 1), hostId: 'away' };
    const kinds = (ms: number) => phonesNow([made], NOW_MS, new Map([['away', ago(ms)]]));
    expect(kinds(POOL_PATIENCE_MS)).to.deep.include({ ready: [], starting: [made] });
    expect(kinds(POOL_PATIENCE_MS + 1)).to.deep.include({ ready: [], broken: [made] });
    expect(phonesNow([made], NOW_MS, new Map([['other', ago(1)]]))).to.deep.include({ ready: [made] });
  });
});

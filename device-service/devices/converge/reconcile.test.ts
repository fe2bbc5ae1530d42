import { expect } from 'chai';
import {
  NOW_MS,
  LOST_MS,
  LOST,
  OBSERVATIONS,
  at,
  checkedAt,
  creating,
  endpoint,
  job,
  neverMade,
  problem,
  runs,
  short,
  steady,
  words,
} from '../../../testing/decisions.js';
import { deviceDocument, runningDocument } from '../../../testing/device-document.js';
import { transitions } from '../../record/transitions.js';
import { JobFailure } from '../jobs/job-failure.js';
import { STEADY_RUN_MS, STEP_MS } from '../limits.js';
import type { Sent } from '../moves/move-phone.js';
import type { DeviceDocument, Job, JobKindWord } from '../../store/device-document.js';
import type { Observation } from './decision.js';
import { reconcile, recordedStatus } from './reconcile.js';

type Row = Record<keyof typeof OBSERVATIONS, string>;
const row = (absent: string, broken: string, stopped: string, starting: string, same: string, other = same): Row => ({
  absent,
  broken,
  stopped,
  starting,
  same,
  other,
});

const BROKEN = 'failed, failed, wanted stopped, broken';
const NO_WORK = 'failed';

const move = { from: 'host-1', to: 'host-2' };
const arrived = { ...move, arrived: true as const };
const refused = { ...move, refused: { error: 'unavailable' as const, message: 'There is no room.' } };
const toRun = (one: Job): DeviceDocument => deviceDocument({ state: 'starting', wanted: 'running', job: one });

/** Every job in each of its phases, by the state of the phone. */
const JOBS: [string, DeviceDocument, Row][] = [
  ['create', creating('running', job('create')), row('create', BROKEN, 'starting', 'start', 'done, running')],
  [
    'create, made',
    deviceDocument({ state: 'starting', wanted: 'running', job: job('create') }),
    row(LOST, BROKEN, 'start', 'start', 'done, running'),
  ],
  [
    'create, not to be started',
    creating('stopped', job('create')),
    row('create', BROKEN, 'done, stopped', 'stop', 'stop'),
  ],
  ['clone', creating('running', job('clone')), row('check', BROKEN, 'starting', 'start', 'done, running')],
  [
    'clone, checked',
    creating('running', job('clone', { checkedAt })),
    row('clone', BROKEN, 'starting', 'start', 'done, running'),
  ],
  [
    'create from a template',
    creating('running', job('create', { template: 'tpl_1' })),
    row('check', BROKEN, 'starting', 'start', 'done, running'),
  ],
  [
    'create from a template, checked, not to be started',
    creating('stopped', job('create', { template: 'tpl_1', checkedAt })),
    row('clone', BROKEN, 'done, stopped', 'stop', 'stop'),
  ],
  [
    'start',
    deviceDocument({ state: 'starting', wanted: 'running', job: job('start') }),
    row(LOST, BROKEN, 'start', 'start', 'done, running'),
  ],
  [
    'start, of a clone that was not made',
    neverMade(deviceDocument({ state: 'starting', wanted: 'running', cloned: true, job: job('start') })),
    row('failed, failed, wanted stopped, create', BROKEN, 'starting', 'start', 'done, running'),
  ],
  [
    'stop',
    runningDocument({ state: 'stopping', wanted: 'stopped', job: job('stop') }),
    row(`${LOST}, settled`, `${BROKEN}, settled`, 'done, stopped, settled', 'stop', 'stop'),
  ],
  [
    'restart',
    runningDocument({ state: 'stopping', wanted: 'running', job: job('restart') }),
    row(`${LOST}, settled`, `${BROKEN}, settled`, 'starting, settled', 'start', 'stop', 'done, running, settled'),
  ],
  [
    'restart, off',
    deviceDocument({ state: 'starting', wanted: 'running', endpoint, job: job('restart') }),
    row(LOST, BROKEN, 'start', 'start', 'stop', 'done, running'),
  ],
  [
    'delete',
    deviceDocument({ state: 'deleting', wanted: 'gone', job: job('delete') }),
    row('done, stopped, gone', 'delete', 'delete', 'delete', 'delete'),
  ],
  [
    'delete of a running device',
    runningDocument({ state: 'deleting', wanted: 'gone', job: job('delete') }),
    row('done, stopped, gone, settled', 'delete', 'delete', 'delete', 'delete'),
  ],
  ['restore', runningDocument({ job: job('restore') }), row('check', 'check', 'check', 'check', 'check')],
  [
    'restore of a running device, checked',
    runningDocument({ state: 'starting', job: job('restore', { checkedAt }) }),
    row(`${LOST}, settled`, 'restore', 'restore', 'stop', 'stop'),
  ],
  [
    'restore of a stopped device, checked',
    deviceDocument({ state: 'starting', wanted: 'running', job: job('restore', { checkedAt }) }),
    row('failed, failed, wanted stopped, data_lost', 'restore', 'restore', 'stop', 'stop'),
  ],
  [
    'restore, restored',
    deviceDocument({ state: 'starting', wanted: 'running', job: job('restore', { checkedAt, restored: true }) }),
    row(LOST, BROKEN, 'start', 'start', 'done, running'),
  ],
  [
    'move of a running device',
    runningDocument({ state: 'stopping', job: job('move', { move }) }),
    row(`${LOST}, settled`, `${BROKEN}, settled`, 'starting, settled', 'stop', 'stop'),
  ],
  ['move, off', toRun(job('move', { move })), row(LOST, BROKEN, 'send', 'stop', 'stop')],
  [
    'move of a stopped device',
    deviceDocument({ job: job('move', { move }) }),
    row(LOST, BROKEN, 'send', 'stop', 'stop'),
  ],
  [
    'move, arrived',
    toRun(job('move', { move: arrived })),
    row('arrive', 'arrive', 'arrive', 'arrive', 'done, running'),
  ],
  [
    'move of a stopped device, arrived',
    deviceDocument({ job: job('move', { move: arrived }) }),
    row('arrive', 'arrive', 'arrive', 'arrive', 'stop'),
  ],
  ['move, refused', toRun(job('move', { move: refused })), row(LOST, BROKEN, 'start', 'start', 'failed, running')],
  [
    'move of a stopped device, refused',
    deviceDocument({ job: job('move', { move: refused }) }),
    row(LOST, BROKEN, 'failed', 'stop', 'stop'),
  ],
  // Its other steps are in reconcile-upgrade.test.ts.
  [
    'upgrade',
    deviceDocument({ job: job('upgrade', { upgrade: { step: 'fetch' } }) }),
    row(LOST, BROKEN, 'fetch', 'fetch', 'fetch'),
  ],
  ...(['install', 'uninstall', 'network', 'rotate'] as const).map((kind): [string, DeviceDocument, Row] => [
    kind,
    runningDocument({ job: job(kind, { work: { kind } as never }) }),
    row(NO_WORK, NO_WORK, NO_WORK, NO_WORK, 'work'),
  ]),
  [
    'snapshot of a running device',
    runningDocument({ job: job('snapshot', { work: { kind: 'snapshot' } as never }) }),
    row(NO_WORK, NO_WORK, NO_WORK, NO_WORK, 'work'),
  ],
  [
    'snapshot of a stopped device',
    deviceDocument({ job: job('snapshot', { work: { kind: 'snapshot' } as never }) }),
    row(NO_WORK, NO_WORK, 'work', NO_WORK, 'work'),
  ],
  // It uses the files of a snapshot alone.
  ...[runningDocument, deviceDocument].map((of): [string, DeviceDocument, Row] => [
    `template of a ${of({}).state} device`,
    of({ job: job('template', { work: { kind: 'template', templateId: 'tpl_1' } }) }),
    row('work', 'work', 'work', 'work', 'work'),
  ]),
];

const well = 'as recorded';
const again = 'begin start, starting';
/** Devices without a job, by the state of the phone. */
const IDLE: [string, DeviceDocument, Row][] = [
  [
    'running, its phone not missed yet',
    runningDocument({ startedAt: new Date(NOW_MS - STEADY_RUN_MS) }),
    row('lost', 'lost', 'lost', 'lost', well, 'moved'),
  ],
  [
    'running for long, its phone missed',
    runningDocument(steady),
    row('failed, data_lost, settled', 'failed, broken, settled', `${again}, settled`, well, well),
  ],
  [
    'running for a moment, its phone missed',
    runningDocument(short),
    row(
      'failed, data_lost, settled',
      'failed, broken, settled',
      'failed, wanted stopped, stopped_by_itself, settled',
      well,
      well,
    ),
  ],
  [
    'wanted, its phone lost',
    deviceDocument({ wanted: 'running', state: 'failed', problem: problem('data_lost') }),
    row(well, 'failed, broken', again, well, 'running, well'),
  ],
  [
    'wanted, its phone broken',
    deviceDocument({ wanted: 'running', state: 'failed', problem: problem('broken') }),
    row('failed, data_lost', well, again, well, 'running, well'),
  ],
  ['stopped', deviceDocument(), row('failed, data_lost', 'failed, broken', well, 'stop', 'stop')],
  [
    'stopped, its phone lost',
    deviceDocument({ state: 'failed', problem: problem('data_lost') }),
    row(well, 'failed, broken', 'stopped, well', 'stop', 'stop'),
  ],
  [
    'stopped, its phone broken',
    deviceDocument({ state: 'failed', problem: problem('broken') }),
    row('failed, data_lost', well, 'stopped, well', 'stop', 'stop'),
  ],
  [
    'failed to start',
    deviceDocument({ state: 'failed', problem: problem('start') }),
    row('failed, data_lost', 'failed, broken', well, 'stop', 'stop'),
  ],
  [
    'never made',
    neverMade(deviceDocument({ state: 'failed', problem: problem('create') })),
    row(well, well, well, 'stop', 'stop'),
  ],
];

describe('the decision for a device', () => {
  for (const [title, rows] of [
    ['with a job', JOBS],
    ['without a job', IDLE],
  ] as const) {
    describe(title, () => {
      for (const [name, device, expected] of rows) {
        it(name, () => {
          const found = Object.entries(OBSERVATIONS).map(([key, observed]) => [
            key,
            words(reconcile(device, observed, at())),
          ]);
          expect(Object.fromEntries(found)).to.deep.equal(expected);
        });
      }
    });
  }

  it('is listed above for every kind of job', () => {
    const listed = new Set(JOBS.map(([, device]) => device.job?.kind));
    expect(Object.keys(transitions).filter((kind) => !listed.has(kind as JobKindWord))).to.deep.equal([]);
  });

  describe('after a step', () => {
    const rows: [string, DeviceDocument, Observation, string][] = [
      [
        'announces a restore',
        runningDocument({ job: job('restore') }),
        { ...OBSERVATIONS.same, after: 'check' },
        'starting, wanted running, checked',
      ],
      [
        'records a check for a clone',
        creating('running', job('clone')),
        { state: 'absent', after: 'check' },
        'checked',
      ],
      [
        'records that the phone is restored',
        runningDocument({ state: 'starting', job: job('restore', { checkedAt }) }),
        { state: 'stopped', after: 'restore' },
        'starting, restored, settled',
      ],
      [
        'ends work',
        runningDocument({ job: job('install', { work: { kind: 'install' } as never }) }),
        { ...OBSERVATIONS.same, after: 'work' },
        'done',
      ],
    ];
    for (const [title, device, observed, expected] of rows)
      it(title, () => expect(words(reconcile(device, observed, at()))).to.equal(expected));
  });

  it('gives a phone that was sent to its new host, or notes why it stays', () => {
    const device = deviceDocument({ job: job('move', { move }) });
    const arrival = { hostId: 'host-2', epoch: 3 };
    const sent = (result: Sent): Observation => ({ state: 'stopped', after: 'send', sent: result });
    expect(reconcile(device, sent({ arrival }), at())).to.deep.equal({ change: { movedTo: arrival } });
    const { refused: why } = refused;
    expect(reconcile(device, sent({ refused: why }), at())).to.deep.equal({ change: { moveRefused: why } });
  });

  it('notes at the end of a move that the old host has files left, and leaves a stopped device as it was', () => {
    const device = deviceDocument({ job: job('move', { move: arrived }) });
    const decision = reconcile(device, { state: 'stopped', after: 'arrive' }, at());
    expect(decision).to.deep.equal({ change: { leftAt: 'host-1' }, end: 'done' });
    expect(words(reconcile(device, { state: 'absent', after: 'arrive' }, at()))).to.equal(LOST);
  });

  it('puts the copy of a phone in place before its move fails, and notes that the old host has files left', () => {
    const device = deviceDocument({ made: true, job: job('move', { move: arrived }) });
    const failure = new JobFailure({ error: 'timeout', message: 'The move took too long.' });
    const decide = (observed: Observation | undefined) => reconcile(device, observed, at({ failure }));
    for (const observed of [undefined, { state: 'absent' }, { state: 'stopped' }, OBSERVATIONS.broken] as const)
      expect(decide(observed)).to.deep.equal({ step: 'arrive' });
    const changeOf = (observed: Observation | undefined) => (decide(observed) as { change: object }).change;
    expect(changeOf({ state: 'stopped', after: 'arrive' })).to.include({ leftAt: 'host-1' });
    // Only the old host may have the data then.
    for (const observed of [{ state: 'absent' }, OBSERVATIONS.broken] as const)
      expect(changeOf({ ...observed, after: 'arrive' })).not.to.have.property('leftAt');
  });

  it('writes when a phone was first missed before anything else', () => {
    const missedMs = NOW_MS - 5_000;
    const device = runningDocument({ startedAt: new Date(0) });
    expect(reconcile(device, OBSERVATIONS.stopped, at({ missedMs }))).to.deep.equal({
      change: { lostAt: new Date(missedMs) },
    });
    const stopping = runningDocument({ state: 'stopping', wanted: 'stopped', job: job('stop') });
    expect(words(reconcile(stopping, OBSERVATIONS.stopped, at({ missedMs })))).to.equal('lost');
    expect(words(reconcile(stopping, OBSERVATIONS.stopped, at({ missedMs: NOW_MS })))).to.equal(
      'done, stopped, settled',
    );
  });

  it('ends the run of a missed phone at that time, neither in the future nor before its start', () => {
    const endOf = (lostMs: number): unknown => {
      const device = runningDocument({ ...steady, lostAt: new Date(lostMs) });
      return (reconcile(device, OBSERVATIONS.absent, at()) as { endMs: number }).endMs;
    };
    expect([LOST_MS, NOW_MS + 60_000, 0].map(endOf)).to.deep.equal([LOST_MS, NOW_MS, NOW_MS - STEADY_RUN_MS]);
  });

  it('takes a phone that is found running for not lost', () => {
    expect(reconcile(runningDocument(steady), OBSERVATIONS.same, at())).to.deep.equal({ change: { lostAt: null } });
  });

  it('starts a phone again that ended with the last process of its host, however short it ran', () => {
    const decision = reconcile(runningDocument(short), OBSERVATIONS.stopped, at({ begunMs: NOW_MS }));
    expect(words(decision)).to.equal(`${again}, settled`);
  });

  it('stops a phone whose boot does not end', () => {
    const booting = (bootMs: number) => runningDocument({ startedAt: new Date(0), lostAt: new Date(NOW_MS - bootMs) });
    expect(words(reconcile(booting(STEP_MS.start), OBSERVATIONS.starting, at()))).to.equal(well);
    expect(words(reconcile(booting(STEP_MS.start + 1), OBSERVATIONS.starting, at()))).to.equal('stop');
  });

  it('adopts a phone that runs at another address, and the run goes on', () => {
    for (const moved of [
      { ...endpoint, port: 2 },
      { ...endpoint, host: '127.0.0.2' },
    ]) {
      const decision = reconcile(runningDocument(), { state: 'running', endpoint: moved }, at());
      expect(decision).to.deep.equal({ change: { endpoint: moved, nextGeneration: true } });
    }
  });

  it('names the reason and the next call for a phone that stopped by itself', () => {
    const decision = reconcile(runningDocument(short), { state: 'stopped', reason: 'power loss' }, at());
    expect(decision).to.have.nested.property('change.problem.message').that.contains('(power loss)');
    expect(decision).to.have.nested.property('change.problem.message').that.contains('/v1/devices/one/start');
  });
});

describe('the recorded state of a phone', () => {
  it('is that of the document', () => {
    expect(recordedStatus(creating('running', job('create')))).to.deep.equal({ state: 'absent' });
    expect(recordedStatus(deviceDocument({ job: job('start') }))).to.deep.equal({ state: 'stopped' });
    expect(recordedStatus(runningDocument({ job: job('stop') }))).to.deep.equal(OBSERVATIONS.same);
  });

  it('is unknown where a create failed, or the phone was missed', () => {
    const failed = neverMade(deviceDocument({ state: 'deleting', wanted: 'gone', job: job('delete') }));
    expect(recordedStatus(failed)).to.equal(undefined);
    expect(recordedStatus(runningDocument(runs))).to.equal(undefined);
  });
});

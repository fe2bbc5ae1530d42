import { expect } from 'chai';
import { LOST, OBSERVATIONS, at, checkedAt, job, problem, words } from '../../../testing/decisions.js';
import { deviceDocument, runningDocument } from '../../../testing/device-document.js';
import { PROBLEMS, type ProblemKind } from '../../store/problem-kinds.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { DeviceDocument, Job } from '../../store/device-document.js';
import type { Decision, Observation } from './decision.js';
import { reconcile } from './reconcile.js';

describe('the decision for a job that failed', () => {
  const failure = new JobFailure({ error: 'timeout', message: 'too slow' });
  const decide = (device: DeviceDocument, observed: Observation | undefined): string =>
    words(reconcile(device, observed, at({ failure })));
  const start = deviceDocument({ state: 'starting', wanted: 'running', job: job('start') });
  const stop = runningDocument({ state: 'stopping', wanted: 'stopped', job: job('stop') });
  const restore = (more: Partial<Job>, from = runningDocument): DeviceDocument => from({ job: job('restore', more) });
  const rows: [string, DeviceDocument, Observation | undefined, string][] = [
    ['takes a running phone for wanted', start, OBSERVATIONS.same, 'failed, running, wanted running, start'],
    ['takes a stopped phone for wanted', start, OBSERVATIONS.stopped, 'failed, failed, wanted stopped, start'],
    ['takes a booting phone for stopped', start, OBSERVATIONS.starting, 'failed, failed, wanted stopped, start'],
    ['reports a lost phone', start, OBSERVATIONS.absent, LOST],
    ['lets the run go on', stop, OBSERVATIONS.same, 'failed, running, wanted running, stop'],
    [
      'lets the recorded run go on where the driver does not respond',
      stop,
      undefined,
      'failed, running, wanted running, stop',
    ],
    ['ends the run', stop, OBSERVATIONS.stopped, 'failed, failed, wanted stopped, stop, settled'],
    ['leaves a running device as it is before a restore', restore({}), OBSERVATIONS.same, 'failed'],
    ['leaves a stopped device as it is before a restore', restore({}, deviceDocument), OBSERVATIONS.stopped, 'failed'],
    [
      'returns a stopped device from a restore that did nothing',
      restore({ checkedAt }, deviceDocument),
      OBSERVATIONS.stopped,
      'failed, stopped, wanted stopped',
    ],
    [
      'reports a phone that was stopped for a restore',
      restore({ checkedAt }),
      OBSERVATIONS.stopped,
      'failed, failed, wanted stopped, restore, settled',
    ],
  ];
  for (const [title, device, observed, expected] of rows)
    it(title, () => expect(decide(device, observed)).to.equal(expected));
});

describe('the decision on a problem', () => {
  const kinds = Object.keys(PROBLEMS) as ProblemKind[];
  const clearedBy = (event: string): ProblemKind[] =>
    kinds.filter((kind) => (PROBLEMS[kind].cleared as readonly string[]).includes(event));
  const cleared = (decide: (kind: ProblemKind) => Decision): ProblemKind[] =>
    kinds.filter((kind) => words(decide(kind)).includes('well'));

  it('clears those of the host and of the phone once the phone is found as recorded', () => {
    const running = (kind: ProblemKind) =>
      reconcile(runningDocument({ problem: problem(kind) }), OBSERVATIONS.same, at());
    expect(cleared(running))
      .to.deep.equal(['data_lost', 'broken', 'not_stopped', 'host_away'])
      .and.to.deep.equal(clearedBy('found'));
    const off = (kind: ProblemKind) =>
      reconcile(deviceDocument({ state: 'failed', problem: problem(kind) }), OBSERVATIONS.stopped, at());
    expect(cleared(off)).to.deep.equal(clearedBy('found'));
  });

  it('clears every one by a start, and a used-up balance, or too many files, by nothing else', () => {
    const start = (kind: ProblemKind) =>
      reconcile(
        deviceDocument({ wanted: 'running', job: job('start'), problem: problem(kind) }),
        OBSERVATIONS.same,
        at(),
      );
    expect(cleared(start)).to.deep.equal(kinds);
    const stop = (kind: ProblemKind) =>
      reconcile(deviceDocument({ job: job('stop'), problem: problem(kind) }), OBSERVATIONS.stopped, at());
    expect(kinds.filter((kind) => !cleared(stop).includes(kind))).to.deep.equal(['storage', 'balance', 'bookkeeping']);
  });
});

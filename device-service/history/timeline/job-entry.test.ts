import { expect } from 'chai';
import { deviceDocument } from '../../../testing/device-document.js';
import type { Job } from '../../store/device-document.js';
import { jobEntry } from './job-entry.js';

describe('a job in a timeline', () => {
  const on = deviceDocument({ timeline: true });
  const job = (more: Partial<Job>): Job => ({
    id: 'job_0123456789abcdef',
    kind: 'install',
    requestedBy: 'key_1',
    createdAt: new Date(1_000),
    progress: 100,
    outcome: { state: 'done', finishedAt: new Date(4_000) },
    ...more,
  });
  const requestOf = (more: Partial<Job>): unknown => JSON.parse(jobEntry(on, job(more))?.request ?? 'null');

  it('is the same entry each time, with its key, time and outcome', () => {
    const install = job({ work: { kind: 'install', package: 'com.example', from: { upload: true } } });
    expect(jobEntry(on, install)).to.include({
      id: 'tl_0123456789abcdef',
      keyId: 'key_1',
      outcome: 'done',
      durationMs: 3_000,
    });
    const failed = {
      state: 'failed',
      finishedAt: new Date(2_000),
      error: { error: 'timeout', message: 'Too slow.' },
    } as const;
    expect(jobEntry(on, job({ outcome: failed }))).to.include({
      outcome: 'timeout',
      message: 'Too slow.',
      durationMs: 1_000,
    });
  });

  it('has what was done, and nothing of how an exit is reached', () => {
    expect(requestOf({ work: { kind: 'install', package: 'com.example', from: { upload: true } } })).to.deep.equal({
      job: 'install',
      package: 'com.example',
    });
    const exit = { type: 'custom', country: 'zz', timezone: 'UTC', proxy: 'sealed', session: 'tag' };
    expect(requestOf({ kind: 'network', work: { kind: 'network', exit, zoneIsFree: true } })).to.deep.equal({
      job: 'network',
      exit: { type: 'custom', country: 'zz', timezone: 'UTC' },
    });
    expect(requestOf({ kind: 'restore', snapshot: 'snap_1' })).to.deep.equal({ job: 'restore', snapshot: 'snap_1' });
    expect(requestOf({ kind: 'snapshot', work: { kind: 'snapshot', snapshotId: 'snap_1', label: '' } })).to.deep.equal({
      job: 'snapshot',
      snapshot: 'snap_1',
    });
  });

  it('is none of power, of unfinished jobs, and where the timeline is off', () => {
    expect(jobEntry(on, job({ kind: 'restart' }))).to.equal(undefined);
    expect(jobEntry(deviceDocument(), job({}))).to.equal(undefined);
    const running = job({});
    delete running.outcome;
    expect(jobEntry(on, running)).to.equal(undefined);
  });
});

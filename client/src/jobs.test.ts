import { expect } from 'chai';
import { CloudPhoneError } from './errors.js';
import { type Job, JobFailedError, waitForJob } from './jobs.js';

const job = (state: Job['state'], more: Partial<Job> = {}): Job => ({
  ...{ id: 'job_1', kind: 'start', state, device: 'demo', progress: state === 'done' ? 100 : 40 },
  ...{ created_at: '2026-11-20T17:00:00.000Z', ...more },
});

/** Requests for a job that is in these states one after the other; each takes as long as it may. */
function jobIn(states: readonly Job[]): {
  requestJob: (waitS: number) => Promise<Job>;
  waits: number[];
  nowMs: () => number;
} {
  let nowMs = 0;
  const waits: number[] = [];
  const requestJob = async (waitS: number): Promise<Job> => {
    const seen = states[Math.min(waits.length, states.length - 1)]!;
    waits.push(waitS);
    nowMs += waitS * 1_000;
    return seen;
  };
  return { requestJob, waits, nowMs: () => nowMs };
}

describe('waiting for a job', () => {
  it('requests it until it is done, and reports each state', async () => {
    const { requestJob, waits, nowMs } = jobIn([job('running'), job('running'), job('done')]);
    const progress: number[] = [];
    const ended = await waitForJob(requestJob, { onProgress: (seen) => void progress.push(seen.progress) }, nowMs);
    expect(ended.state).to.equal('done');
    expect(progress).to.deep.equal([40, 40, 100]);
    expect(waits).to.deep.equal([60, 60, 60]);
  });

  it('throws the error of a job that failed', async () => {
    const failed = job('failed', { error: { error: 'unavailable', message: 'No host has room.' } });
    const { requestJob, nowMs } = jobIn([failed]);
    const error: unknown = await waitForJob(requestJob, {}, nowMs).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(JobFailedError).and.include({ kind: 'unavailable', message: 'No host has room.' });
    expect((error as JobFailedError).job).to.equal(failed);
  });

  it('ends at its time limit', async () => {
    const { requestJob, waits, nowMs } = jobIn([job('running')]);
    const error: unknown = await waitForJob(requestJob, { timeoutMs: 100_000 }, nowMs).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(CloudPhoneError).and.include({ kind: 'timeout' });
    expect(waits).to.deep.equal([60, 40]);
  });
});

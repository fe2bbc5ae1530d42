import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ApiError } from '../../../kit/errors/api-error.js';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { GetJobResponseSchema } from '../../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { StartDeviceRequestSchema } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { IdempotencyStore } from '../../store/idempotency.js';
import { type ChosenIds, Once } from './once.js';

describe('a request that is done once', () => {
  let opened: TemporaryDatabase;
  let clock: FakeClock;
  let store: IdempotencyStore;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock();
    store = new IdempotencyStore(opened.database);
  });
  afterEach(() => opened.close());

  type Work = (ids: ChosenIds) => Promise<{ id: string }>;

  /** Runs the work as one process does; another `Once` on the same store stands for another process. */
  function run(work: Work, options: { name?: string; key?: string; process?: Once } = {}) {
    const request = {
      callerId: 'key_1',
      idempotencyKey: options.key ?? 'k',
      schema: StartDeviceRequestSchema,
      message: create(StartDeviceRequestSchema, { name: options.name ?? 'a' }),
    };
    const once = options.process ?? new Once(store, clock);
    return once.run(
      request,
      GetJobResponseSchema,
      async (ids) => create(GetJobResponseSchema, { job: await work(ids) }),
      new AbortController().signal,
    );
  }

  const refusal = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'none',
      (error: unknown) => error,
    );

  it('is taken up by the next try with the same ids after a crash at any point', async () => {
    const seen: ChosenIds[] = [];
    // A process that dies in the middle of the work never returns and never writes.
    void run((ids) => {
      seen.push(ids);
      return new Promise(() => undefined);
    });
    while (seen.length === 0) await settled();
    let done = 0;
    const retry = run(async (ids) => {
      seen.push(ids);
      return { id: 'made' };
    }).finally(() => done++);
    while (done === 0) await clock.pass(1_000, 500);
    expect((await retry).response.job?.id).to.equal('made');
    expect(seen[1]).to.deep.equal(seen[0]);
  });

  it('keeps the outcome that was written first, should two be at it after all', async () => {
    let finish: (job: { id: string }) => void = () => undefined;
    let begun = 0;
    const slow = run(() => {
      begun++;
      return new Promise((resolve) => (finish = resolve));
    });
    while (begun === 0) await settled();
    clock.turn(11_000);
    const fast = await run(async () => ({ id: 'fast' }));
    finish({ id: 'slow' });
    expect((await slow).response.job?.id).to.equal('fast');
    expect(fast.replayed).to.equal(false);
    expect((await slow).replayed).to.equal(true);
  });

  it('stays with the try that took over, when the one before fails for our reasons after all', async () => {
    const tries: { fail: (reason: Error) => void; finish: (job: { id: string }) => void }[] = [];
    const begin = () => run(() => new Promise((finish, fail) => tries.push({ fail, finish })));
    const slow = refusal(begin());
    while (tries.length < 1) await settled();
    clock.turn(3_000);
    const second = begin();
    while (tries.length < 2) await settled();
    tries[0]?.fail(new Error('too late'));
    expect(await slow).to.have.property('message', 'too late');
    let done = 0;
    const third = begin().finally(() => done++);
    await clock.pass(1_000);
    expect(tries).to.have.length(2);
    tries[1]?.finish({ id: 'second' });
    expect((await second).response.job?.id).to.equal('second');
    while (done === 0) await clock.pass(50);
    expect((await third).replayed).to.equal(true);
  });

  it('may be tried again when it failed for our reasons, and not when for the caller’s', async () => {
    let works = 0;
    const failing = (error: Error) =>
      refusal(
        run(async () => {
          works++;
          throw error;
        }),
      );
    expect(await failing(new Error('bug'))).to.have.property('message', 'bug');
    expect(await failing(new ApiError('unavailable', 'no room'))).to.have.property('kind', 'unavailable');
    expect(await failing(new ApiError('insufficient_funds', 'too low'))).to.have.property('replayed', undefined);
    expect(await failing(new ApiError('bad_request', 'never asked'))).to.include({
      kind: 'insufficient_funds',
      message: 'too low',
      replayed: true,
    });
    expect(works).to.equal(3);
  });

  it('is forgotten after a day', async () => {
    const first = await run(async (ids) => ({ id: ids.jobId }));
    clock.turn(86_400_000 - 1);
    expect((await run(async () => ({ id: 'new' }))).response).to.deep.equal(first.response);
    clock.turn(1);
    expect((await run(async () => ({ id: 'new' }))).response.job?.id).to.equal('new');
  });

  it('is refused when its key was for another request', async () => {
    await run(async () => ({ id: 'a' }));
    expect(await refusal(run(async () => ({ id: 'b' }), { name: 'other' }))).to.have.property('kind', 'bad_request');
  });
});

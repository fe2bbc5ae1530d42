import { expect } from 'chai';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { type JobDocument, JobStore } from './jobs.js';
import { errorOf } from '../../testing/conformance-database.js';

describe('the jobs collection', () => {
  let opened: TemporaryDatabase;
  let jobs: JobStore;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    jobs = new JobStore(opened.database);
  });
  afterEach(() => opened.close());

  function job(_id: string): JobDocument {
    const at = new Date(Date.UTC(2037, 0, 5));
    const outcome = { state: 'done' as const, finishedAt: at };
    const device = { phoneId: 'ph_1', device: 'one', deviceCreatedBy: 'key_1' };
    return { _id, accountId: 'acc_1', kind: 'stop', ...device, createdAt: at, progress: 100, outcome, expiresAt: at };
  }

  it('keeps a job once that is filed twice', async () => {
    await jobs.file([job('job_1')]);
    await jobs.file([job('job_1'), job('job_2')]);
    expect(await jobs.find('job_2')).to.deep.equal(job('job_2'));
  });

  it('reports that a job was refused although another one of the same call was filed before', async () => {
    await jobs.file([job('job_1')]);
    // A database refuses an array as the id of a document.
    const refused = job(['job_2'] as never);
    await errorOf(jobs.file([job('job_1'), refused]));
  });
});

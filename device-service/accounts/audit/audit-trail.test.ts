import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { type AuditDocument, AuditStore, END_SEQ } from '../../store/audit.js';
import { type AuditLine, digestOf, MAX_TEXT_CHARACTERS } from './audit-line.js';
import { AuditTrail, type AuditTrailOptions } from './audit-trail.js';
import { removeOldEntries } from './remove-old-entries.js';

const lineOf = (number: number, more: Partial<AuditLine> = {}): AuditLine => ({
  accountId: 'acc_1',
  at: new Date(1_000 + number),
  actorKind: 'key',
  actorId: 'key_1',
  actorName: 'a key',
  action: 'DeviceService.StopDevice',
  device: `device-${number}`,
  outcome: 'ok',
  address: '192.0.2.1',
  requestId: `req_${number}`,
  ...more,
});

describe('the chains of audit logs', () => {
  let temporary: TemporaryDatabase;
  let store: AuditStore;
  beforeEach(async () => {
    temporary = await openTemporaryDatabase();
    store = new AuditStore(temporary.database);
    await store.createIndexes();
  });
  afterEach(() => temporary.close());

  const trailOver = (writer: string, over: AuditTrailOptions['store'] = store): AuditTrail =>
    new AuditTrail({ store: over, writer, log: silentLog });

  async function chain(): Promise<AuditDocument[]> {
    const entries = (await store.list('acc_1', {}, { first: 1, end: END_SEQ }, 1_000)).reverse();
    let before = '';
    for (const [at, entry] of entries.entries()) {
      expect(entry.seq).to.equal(at + 1);
      expect(entry.before).to.equal(before);
      expect(entry.digest).to.equal(digestOf(entry));
      expect(entry.at.getTime()).to.be.at.least(entries[at - 1]?.at.getTime() ?? 0);
      before = entry.digest;
    }
    return entries;
  }

  it('never fork, with two processes and 200 calls at once', async () => {
    const trails = [trailOver('wri_1'), trailOver('wri_2')];
    const lines = Array.from({ length: 200 }, (_, number) => lineOf(number));
    await Promise.all(lines.flatMap((line, number) => trails[number % 2]?.append(line) ?? []));
    const entries = await chain();
    expect(new Set(entries.map(({ requestId }) => requestId)).size).to.equal(200);
    expect(entries).to.have.length(200);
  });

  it('keep an entry whose write failed, refuse changes until it is written, and have it once', async () => {
    let isAway = true;
    let isWritten = false;
    const trail = trailOver('wri_1', {
      findLast: (accountId) => store.findLast(accountId),
      findByIds: (ids) => store.findByIds(ids),
      insert: async (entries) => {
        // The first write is made, and its answer is lost.
        if (!isAway || !isWritten) await store.insert(entries);
        isWritten = true;
        if (isAway) throw new Error('the connection broke');
        return true;
      },
    });
    const refusal = async (work: Promise<void>): Promise<unknown> =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await refusal(trail.append(lineOf(1)))).to.deep.include({ kind: 'unavailable' });
    expect(await refusal(trail.append(lineOf(2)))).to.deep.include({ kind: 'unavailable' });
    expect(await refusal(trail.assertWritable('acc_1'))).to.deep.include({ kind: 'unavailable' });
    await trail.assertWritable('acc_2');
    isAway = false;
    await trail.assertWritable('acc_1');
    await trail.append(lineOf(3));
    expect((await chain()).map(({ requestId }) => requestId)).to.deep.equal(['req_1', 'req_2', 'req_3']);
    expect(trail.waiting).to.equal(0);
  });

  it('cut texts of ten times the bound, and keep half a character out', async () => {
    const long = '\ud83d'.concat('x'.repeat(10 * MAX_TEXT_CHARACTERS));
    await trailOver('wri_1').append(lineOf(1, { actorName: long, target: 'a\nb', requestId: long }));
    const [entry] = await chain();
    expect(entry?.actorName).to.have.length(MAX_TEXT_CHARACTERS);
    expect(entry?.actorName.startsWith('\ufffdx')).to.equal(true);
    expect(entry?.target).to.equal('a\nb');
  });

  it('go on from the last entry after the others were removed', async () => {
    const trail = trailOver('wri_1');
    for (const number of [1, 2, 3]) await trail.append(lineOf(number));
    const task = removeOldEntries(store, 365, { now: () => 400 * 86_400_000 });
    await task.run(new AbortController().signal);
    const [left, ...others] = await store.list('acc_1', {}, { first: 1, end: END_SEQ }, 10);
    expect(left?.seq).to.equal(3);
    expect(others).to.deep.equal([]);
    await trailOver('wri_2').append(lineOf(4));
    expect((await store.findLast('acc_1'))?.before).to.equal(left?.digest);
  });
});

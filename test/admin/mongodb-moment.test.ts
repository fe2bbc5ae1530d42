import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EJSON, Timestamp } from 'bson';
import { expect } from 'chai';
import { saveDocuments } from '../../admin/backup/save-documents.js';
import type { BsonDocument } from '../../embedded-mongo/values/document.js';
import { type TestDocument, useDatabase } from '../../testing/conformance-database.js';
import { DatabaseFront, type Treatment } from '../../testing/database-front.js';
import { rejection } from './backup-world.js';

/** The moment that the server gives to the first read. */
const MOMENT = new Timestamp({ t: 1_700_000_000, i: 3 });

describe('the moment of a backup of a MongoDB', () => {
  // The embedded server is no replica set with reads of one moment: the front stands for one.
  const mongo = useDatabase(undefined);
  let directory: string;
  let front: DatabaseFront;
  let reads: BsonDocument[];
  let failing: string | undefined;

  before(async () => {
    const collections = ['devices', 'jobs', 'keys'].map((name) => mongo.db.collection<TestDocument>(name));
    for (const collection of collections)
      await collection.insertMany(Array.from({ length: 2_300 }, (_, _id) => ({ _id })));
  });
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'moment-'));
    [reads, failing] = [[], undefined];
    front = await DatabaseFront.open(mongo.url, treat);
  });
  afterEach(async () => {
    await front.close();
    rmSync(directory, { recursive: true });
  });

  function treat(body: BsonDocument): Treatment | undefined {
    const { readConcern, find } = body as { readConcern?: BsonDocument; find?: string };
    if (readConcern?.['level'] !== 'snapshot') return undefined;
    // The driver sends it with each further piece of a cursor too, where a server ignores it.
    if (find === undefined) return { without: 'readConcern' };
    reads.push(readConcern);
    if (failing === find) return { answer: { ok: 0, code: 239, codeName: 'SnapshotTooOld', errmsg: 'too old' } };
    const changeReply = (reply: BsonDocument): BsonDocument => ({
      ...reply,
      cursor: { ...(reply['cursor'] as BsonDocument), atClusterTime: MOMENT },
    });
    return { without: 'readConcern', changeReply };
  }

  const saved = (url: string) => saveDocuments({ url, database: mongo.db.databaseName }, directory);

  it('is that of its first read in all collections, where the server can return to a moment', async () => {
    const { one_moment: isOfOne, collections } = await saved(front.url());
    expect(isOfOne).to.equal(true);
    expect(collections.map(({ name, documents }) => [name, documents])).to.deep.equal([
      ['devices', 2_300],
      ['jobs', 2_300],
      ['keys', 2_300],
    ]);
    const [first, ...others] = reads;
    expect(first).not.to.have.property('atClusterTime');
    expect(others).to.have.length(3);
    for (const other of others) expect(EJSON.stringify(other['atClusterTime'])).to.equal(EJSON.stringify(MOMENT));
  });

  it('is named as lost where the server has forgotten it', async () => {
    failing = 'jobs';
    expect(await rejection(saved(front.url()))).to.contain('forgot the moment');
  });

  it('is none where the server has no such reads, which the backup says', async () => {
    const { one_moment: isOfOne, collections } = await saved(mongo.url);
    expect(isOfOne).to.equal(false);
    expect(collections).to.have.length(3);
  });
});

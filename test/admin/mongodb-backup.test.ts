import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { documentsFile, readBackupFile } from '../../admin/backup/backup-file.js';
import type { BackedUp } from '../../admin/backup/back-up.js';
import type { MongoPlace } from '../../admin/backup/mongo-place.js';
import { restoreBackup, type Restored } from '../../admin/backup/restore-backup.js';
import { verifyBackup } from '../../admin/backup/verify-backup.js';
import { systemClock } from '../../kit/async/clock.js';
import { migrate } from '../../kit/db/migrations.js';
import { type Restoring, RESTORING } from '../../kit/db/restoring.js';
import { silentLog } from '../../kit/log/log.js';
import { type TestDocument, useDatabase } from '../../testing/conformance-database.js';
import { BackupWorld, rejection } from './backup-world.js';

const MINUTE_MS = 60_000;

/** Values of types that the embedded server refuses, and a MongoDB may have. */
const TYPES_OF_MONGODB = {
  ...{ long: Long.fromString('9007199254740993'), decimal: Decimal128.fromString('1.10') },
  ...{ pattern: new BSONRegExp('a.*', 'ix'), stamp: new Timestamp({ t: 7, i: 1 }) },
};

describe('a backup of an installation with a MongoDB', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);
  let world: BackupWorld;
  let source: MongoPlace;
  let target: MongoPlace;
  let serial = 0;

  beforeEach(async () => {
    world = await BackupWorld.open();
    serial++;
    source = { url: mongo.url, database: `backup_${process.pid}_${serial}` };
    target = { url: mongo.url, database: `restored_${process.pid}_${serial}` };
  });
  afterEach(async () => {
    if (process.env['MONGODB_URL'] !== undefined)
      for (const { database } of [source, target]) await mongo.client.db(database).dropDatabase();
    await world.close();
  });

  const collection = ({ database }: MongoPlace, name: string): Collection<TestDocument> =>
    mongo.client.db(database).collection<TestDocument>(name);
  const made = (name = 'one', place = source): Promise<BackedUp> => world.made(name, { mongodb: place });
  const folder = (name = 'one'): string => join(world.directory, name);

  interface More {
    place?: MongoPlace | undefined;
    isForData?: boolean;
    laterMs?: number;
  }
  function restored({ place = target, isForData = false, laterMs = 0 }: More = {}, to = 'new'): Promise<Restored> {
    return restoreBackup({
      dataDirectory: join(world.directory, to),
      ...{ mongodb: place, isForData, from: folder(), onProgress: () => undefined },
      clock: { ...systemClock, now: () => Date.now() + laterMs },
    });
  }

  /** The bytes of all documents, in the order of their ids. */
  async function bytesOf(place: MongoPlace, name: string): Promise<string[]> {
    const all = await collection(place, name).find({}, { raw: true }).sort({ _id: 1 }).toArray();
    return all.map((bytes) => Buffer.from(bytes as unknown as Uint8Array).toString('base64'));
  }

  async function fill(): Promise<void> {
    const things = collection(source, 'things');
    await things.createIndex({ n: -1 }, { name: 'by_n', unique: true, sparse: true }, {});
    await things.createIndex({ at: 1 }, { name: 'by_age', expireAfterSeconds: 86_400 }, {});
    await things.insertMany(
      Array.from({ length: 2_500 }, (_, n) => ({ _id: n, n: new Int32(n), at: new Date(), text: `é${n}` })),
    );
    await things.insertOne({
      ...{ _id: 'types', double: new Double(1), negative: new Double(-0), list: [null, { deep: [] }] },
      ...{ bytes: new Binary(Buffer.alloc(16), Binary.SUBTYPE_UUID), id: new ObjectId(), yes: true, at: new Date(0) },
      ...(process.env['MONGODB_URL'] !== undefined && TYPES_OF_MONGODB),
    });
    // More than one batch by its bytes, though by few documents.
    const large = Array.from({ length: 12 }, (_, at) => ({ _id: at, text: 'x'.repeat(1_000_000) }));
    await collection(source, 'large').insertMany(large);
  }

  it('comes back byte for byte in another database, with indexes and the files of the data folder', async () => {
    await fill();
    const { file } = await made();
    expect(file).to.include({ format: 3 });
    expect(file.mongodb?.collections.map(({ name, documents }) => [name, documents])).to.deep.equal([
      ['large', 12],
      ['things', 2_501],
    ]);
    expect(existsSync(join(folder(), 'data.mdb'))).to.equal(false);
    await restored();
    for (const name of ['things', 'large'])
      expect(await bytesOf(target, name)).to.deep.equal(await bytesOf(source, name));
    expect(await collection(target, 'things').indexes()).to.deep.equal(await collection(source, 'things').indexes());
    expect(readFileSync(join(world.directory, 'new/steps-key'), 'utf8')).to.equal('key');
    expect(existsSync(join(world.directory, 'new/database'))).to.equal(false);
    expect(await collection(target, RESTORING).countDocuments({})).to.equal(0);
  });

  it('chooses phones by the documents, as one of an embedded database does', async () => {
    for (const [id, state] of [
      ['off', 'stopped'],
      ['on', 'running'],
    ] as const) {
      world.write(`container/phones/${id}/phone.json`, '{}');
      await collection(source, 'devices').insertOne({ _id: id, name: `name-${id}`, state, made: true });
    }
    await collection(source, 'devices').insertOne({ _id: 'far', name: 'name-far', state: 'stopped', made: true });
    const { file } = await made();
    expect(Object.keys(file.trees)).to.deep.equal(['container/phones/off']);
    expect(file.left_out).to.have.deep.members([
      { id: 'on', device: 'name-on', reason: 'it is on' },
      { id: 'far', device: 'name-far', reason: 'its files are not on this host' },
    ]);
  });

  it('is damaged where a file of documents is cut, changed, longer or gone', async () => {
    await fill();
    await made();
    const path = documentsFile(folder(), 1);
    const whole = readFileSync(path);
    const verified = (): Promise<unknown> => verifyBackup(folder(), () => undefined);
    await verified();
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(40) ^ 1, 40);
    for (const content of [whole.subarray(0, -3), changed, whole.subarray(0, whole.readInt32LE(0)), Buffer.alloc(9)]) {
      writeFileSync(path, content);
      expect(await rejection(verified())).to.contain('is damaged: the documents of things');
    }
    writeFileSync(path, whole);
    appendFileSync(path, whole.subarray(0, whole.readInt32LE(0)));
    expect(await rejection(restored())).to.contain('differ from those that were backed up');
    expect(await mongo.client.db(target.database).listCollections().toArray()).to.deep.equal([]);
    truncateSync(path, whole.length);
    await verified();
    const description = join(folder(), 'backup.json');
    writeFileSync(description, readFileSync(description, 'utf8').replace('"collections"', '"others"'));
    expect(await rejection(verified())).to.contain('names no database');
  });

  it('is refused by a database with documents, which stay', async () => {
    await fill();
    await made();
    await collection(target, 'mine').insertOne({ _id: 'kept' });
    expect(await rejection(restored())).to.contain(`"${target.database}" of MONGODB_URL has documents already`);
    expect(readdirSync(world.directory)).not.to.include('new/steps-key');
    expect(await bytesOf(target, 'mine')).to.have.length(1);
    expect(await collection(target, RESTORING).countDocuments({})).to.equal(0);
  });

  it('begins again after a restore that was killed, until when no service starts', async () => {
    await fill();
    await made();
    const killed: Restoring = {
      ...{ _id: 'restore', holder: 'killed', began: true },
      until: new Date(Date.now() + MINUTE_MS),
    };
    await mongo.client.db(target.database).collection<Restoring>(RESTORING).insertOne(killed);
    await collection(target, 'things').insertMany([{ _id: 0, part: true }, { _id: 'strange' }]);
    await collection(target, 'things').createIndex({ part: 1 }, { name: 'by_part' }, {});
    const options = { database: mongo.client.db(target.database), clock: systemClock, log: silentLog };
    const start = (): Promise<void> => migrate({ ...options, service: 'x', migrations: [] });
    expect(await rejection(start())).to.contain('Give `admin restore` again');
    expect(await rejection(made('two', target))).to.contain('Give `admin restore` again');
    expect(await rejection(restored())).to.contain('killed less than a minute ago');
    await restored({ laterMs: 2 * MINUTE_MS });
    expect(await bytesOf(target, 'things')).to.deep.equal(await bytesOf(source, 'things'));
    expect(await collection(target, 'things').indexes()).to.have.length(3);
    await start();
  });

  it('does not clear a database for a restore that was killed before it wrote', async () => {
    await made();
    const killed: Restoring = { _id: 'restore', holder: 'killed', until: new Date(0) };
    await mongo.client.db(target.database).collection<Restoring>(RESTORING).insertOne(killed);
    await collection(target, 'mine').insertOne({ _id: 'kept' });
    expect(await rejection(restored())).to.contain('has documents already');
    expect(await bytesOf(target, 'mine')).to.have.length(1);
  });

  it('gives the other hosts of an installation their folders alone', async () => {
    await fill();
    await made();
    await restored();
    const before = await bytesOf(target, 'things');
    expect(await rejection(restored({}, 'second'))).to.contain('has documents already');
    await restored({ isForData: true }, 'second');
    expect(readFileSync(join(world.directory, 'second/steps-key'), 'utf8')).to.equal('key');
    expect(await bytesOf(target, 'things')).to.deep.equal(before);
  });

  it('is not mixed up with one of an embedded database', async () => {
    await made();
    const embedded = (more: object): Promise<unknown> =>
      restoreBackup({
        ...{ dataDirectory: join(world.directory, 'new'), from: folder(), onProgress: () => undefined },
        ...{ clock: systemClock, ...more },
      });
    expect(await rejection(embedded({}))).to.contain('Set MONGODB_URL');
    await world.made('two');
    expect(await rejection(embedded({ from: folder('two'), mongodb: target }))).to.contain('Restore without it');
    expect(await rejection(embedded({ from: folder('two'), isForData: true }))).to.contain('--data-only');
    mkdirSync(join(world.directory, 'older'));
    const older = { ...readBackupFile(folder()), format: 4 };
    writeFileSync(join(world.directory, 'older/backup.json'), JSON.stringify(older));
    expect(await rejection(embedded({ from: folder('older') }))).to.contain('this version reads 1, 2 and 3');
  });
});

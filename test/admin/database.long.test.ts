import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, EJSON } from 'bson';
import { expect } from 'chai';
import { restoreBackup } from '../../admin/backup/restore-backup.js';
import { readBackupFile } from '../../admin/backup/backup-file.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { lockFolder } from '../../kit/files/folder-lock.js';
import { folderIdOf, hostIdOf } from '../../kit/files/host-id.js';
import { readKept } from '../../kit/files/kept-text.js';
import { VERIFIED_BACKUP_FILE } from '../../kit/files/verified-backup.js';
import { silentLog } from '../../kit/log/log.js';
import { systemClock } from '../../kit/async/clock.js';
import { until } from '../../testing/until.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';

const main = fileURLToPath(new URL('../../admin/main.js', import.meta.url));

describe("the operator's backup, restore and export", function () {
  let directory: string;
  let server: EmbeddedMongo;
  let connection: MongoConnection;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-backup-'));
    await open(join(directory, 'data'));
  });
  afterEach(async () => {
    await close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function open(dataDirectory: string): Promise<void> {
    hostIdOf(dataDirectory, undefined);
    folderIdOf(dataDirectory);
    server = await startEmbeddedMongo({ directory: join(dataDirectory, 'database'), log: silentLog });
    connection = await connectMongo({ url: server.url, log: silentLog });
  }
  async function close(): Promise<void> {
    await connection.close();
    await server.close();
  }

  interface Ran {
    status: number | null;
    out: string;
    error: string;
  }
  async function admin(
    args: string[],
    environment: Record<string, string> = {},
    kill?: number | (() => Promise<boolean>),
  ): Promise<Ran> {
    const own = Object.entries(process.env).filter(([name]) => name !== 'MONGODB_URL');
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...Object.fromEntries(own), DATA_DIR: join(directory, 'data'), ...environment },
    });
    if (typeof kill === 'number') setTimeout(() => child.kill('SIGKILL'), kill);
    if (typeof kill === 'function') await until(kill).finally(() => child.kill('SIGKILL'));
    let [out, error] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { status, out, error };
  }

  /** The bytes of all documents of a collection, in the order of their ids. */
  async function bytesOf(name: string): Promise<string[]> {
    const all = await connection.database.collection(name, { raw: true }).find().sort({ _id: 1 }).toArray();
    return all.map((bytes) => Buffer.from(bytes as unknown as Uint8Array).toString('base64'));
  }

  async function fill(): Promise<void> {
    const things = connection.database.collection<{ _id: number }>('things');
    await things.createIndex({ n: -1 }, { name: 'by_n', unique: true }, {});
    const at = new Date();
    await things.insertMany(
      Array.from({ length: 500 }, (_, n) => ({
        _id: n,
        n,
        at,
        list: [n, null, { deep: `é${n}` }],
        bytes: Buffer.from([n & 255]),
      })),
    );
    await connection.database.collection<{ _id: string }>('others').insertOne({ _id: 'x' });
  }

  it('come back byte for byte, with indexes and ids', async () => {
    await fill();
    const before = await bytesOf('things');
    const backup = join(directory, 'backup');
    expect(await admin(['backup', '--to', backup])).to.include({ status: 0, error: '' });
    const { out } = await admin(['backup', 'verify', '--from', backup, '--json']);
    expect(JSON.parse(out)).to.include({ verified: backup, noted: true });
    expect(readKept(join(directory, 'data', VERIFIED_BACKUP_FILE))).to.equal(readBackupFile(backup).made_at);
    const ids = [hostIdOf(join(directory, 'data'), undefined), folderIdOf(join(directory, 'data'))];
    await close();
    const DATA_DIR = join(directory, 'new');
    expect(await admin(['restore', '--from', backup], { DATA_DIR })).to.include({ status: 0, error: '' });
    await open(DATA_DIR);
    expect(await bytesOf('things')).to.deep.equal(before);
    expect(await bytesOf('others')).to.have.length(1);
    expect((await connection.database.collection('things').indexes()).map(({ name }) => name)).to.deep.equal([
      '_id_',
      'by_n',
    ]);
    expect([hostIdOf(DATA_DIR, undefined), folderIdOf(DATA_DIR)]).to.deep.equal(ids);
  });

  it('are of one moment while documents are written', async () => {
    // Two collections that are written in turn: a copy of one moment has at most one more in the first.
    const [first, second] = ['first', 'second'].map((name) => connection.database.collection<{ _id: number }>(name));
    const writes = { over: false };
    const writing = (async () => {
      for (let n = 0; !writes.over; n++) {
        await first?.insertOne({ _id: n });
        await second?.insertOne({ _id: n });
      }
      return true;
    })();
    while ((await second?.countDocuments()) === 0) await connection.database.command({ ping: 1 });
    const backup = join(directory, 'backup');
    const { status, error } = await admin(['backup', '--to', backup]);
    writes.over = true;
    await writing;
    expect(error).to.equal('');
    expect(status).to.equal(0);
    await close();
    await admin(['restore', '--from', backup], { DATA_DIR: join(directory, 'new') });
    await open(join(directory, 'new'));
    const [ones, twos] = [await bytesOf('first'), await bytesOf('second')];
    expect(ones.length - twos.length).to.be.oneOf([0, 1]);
    expect(twos.length).to.be.greaterThan(0);
  });

  it('leave no backup that restores when killed in the middle', async () => {
    await fill();
    for (const ms of [150, 250, 300, 350, 400, 500]) {
      const backup = join(directory, `backup-${ms}`);
      await admin(['backup', '--to', backup], {}, ms);
      const DATA_DIR = join(directory, `new-${ms}`);
      const folders = readdirSync(directory).filter((name) => name.startsWith(`backup-${ms}`));
      for (const folder of folders) {
        const { status } = await admin(['restore', '--from', join(directory, folder)], { DATA_DIR });
        const isWhole = folder === `backup-${ms}` && existsSync(join(directory, folder, 'backup.json'));
        expect(status === 0, folder).to.equal(isWhole);
      }
    }
  });

  it('refuse in one line a folder in use, one with data, a damaged file and one that is no backup', async () => {
    await fill();
    const backup = join(directory, 'backup');
    await admin(['backup', '--to', backup]);
    const refused = async (ran: Promise<Ran>, text: string): Promise<void> => {
      const { status, out, error } = await ran;
      expect([status, out]).to.deep.equal([1, '']);
      expect(error.trim().split('\n')).to.have.length(1);
      expect(error).to.contain(text);
    };
    await refused(admin(['backup', '--to', backup]), 'is not empty');
    await refused(admin(['restore', '--from', backup]), 'has a database already');
    const lock = lockFolder(join(directory, 'busy'));
    await refused(admin(['restore', '--from', backup], { DATA_DIR: join(directory, 'busy') }), 'in use');
    lock.close();
    await refused(admin(['restore', '--from', directory], { DATA_DIR: join(directory, 'new') }), 'is not a backup');
    await refused(admin(['backup', '--to', join(directory, 'b')], { DATA_DIR: join(directory, 'none') }), 'No service');
    const away = { MONGODB_URL: 'mongodb://name:secret@127.0.0.1:1' };
    await refused(admin(['backup', '--to', join(directory, 'x')], away), 'not respond at mongodb://127.0.0.1:1');
    await refused(admin(['restore', '--from', backup], away), 'has an embedded database');
    await refused(admin(['export', '--to', 'x'], away), 'mongodump');
    truncateSync(join(backup, 'data.mdb'), 8_192);
    await refused(admin(['restore', '--from', backup], { DATA_DIR: join(directory, 'new') }), 'damaged');
    expect(existsSync(join(directory, 'new', 'database'))).to.equal(false);
  });

  it('begin a restore to a MongoDB again that was killed in the middle', async () => {
    await fill();
    for (let from = 0; from < 20_000; from += 1_000) {
      const some = Array.from({ length: 1_000 }, (_, at) => ({ _id: from + at, text: 'x'.repeat(100) }));
      await connection.database.collection<{ _id: number }>('many').insertMany(some);
    }
    const MONGODB_URL = server.url;
    const backup = join(directory, 'backup');
    expect(await admin(['backup', '--to', backup], { MONGODB_URL })).to.include({ status: 0, error: '' });
    expect(await admin(['backup', 'verify', '--from', backup])).to.include({ status: 0, error: '' });
    const restored = connection.database.client.db('restored');
    const killed = admin(
      ['restore', '--from', backup],
      { MONGODB_URL, MONGODB_DATABASE: 'restored', DATA_DIR: join(directory, 'new') },
      async () => (await restored.collection('many').findOne({})) !== null,
    );
    expect((await killed).status).to.equal(null);
    expect(await restored.collection('many').countDocuments({})).to.be.within(1, 19_999);
    await restoreBackup({
      ...{ dataDirectory: join(directory, 'new'), mongodb: { url: MONGODB_URL, database: 'restored' }, from: backup },
      ...{ onProgress: () => undefined, clock: { ...systemClock, now: () => Date.now() + 120_000 } },
    });
    const before = await bytesOf('many');
    connection.database = restored;
    expect(await bytesOf('many')).to.deep.equal(before);
    expect(await bytesOf('things')).to.have.length(500);
  });

  it('restore a backup of an earlier release, which has the database and names alone', async () => {
    await fill();
    const before = await bytesOf('things');
    const made = join(directory, 'made');
    await admin(['backup', '--to', made]);
    await close();
    const older = join(directory, 'older');
    mkdirSync(older);
    const files: Record<string, string> = {};
    for (const [from, name] of [
      ['data.mdb', 'data.mdb'],
      ['data/host-id', 'host-id'],
      ['data/folder-id', 'folder-id'],
    ] as const) {
      const bytes = readFileSync(join(made, from));
      writeFileSync(join(older, name), bytes);
      files[name] = createHash('sha256').update(bytes).digest('hex');
    }
    writeFileSync(
      join(older, 'backup.json'),
      JSON.stringify({ format: 1, made_at: '2026-01-01T00:00:00.000Z', files }),
    );
    expect(await admin(['backup', 'verify', '--from', older])).to.include({ status: 0, error: '' });
    const DATA_DIR = join(directory, 'new');
    expect(await admin(['restore', '--from', older], { DATA_DIR })).to.include({ status: 0, error: '' });
    await open(DATA_DIR);
    expect(await bytesOf('things')).to.deep.equal(before);
    expect(hostIdOf(DATA_DIR, undefined)).to.equal(hostIdOf(join(directory, 'data'), undefined));
  });

  it('export files that mongorestore reads: documents in BSON, one file for each collection, and their indexes', async () => {
    await fill();
    const to = join(directory, 'export');
    const { status, out } = await admin(['export', '--to', to, '--json']);
    expect([status, JSON.parse(out)]).to.deep.equal([0, { documents: 501 }]);
    expect(readdirSync(join(to, 'cloudphone')).sort()).to.deep.equal([
      'others.bson',
      'others.metadata.json',
      'things.bson',
      'things.metadata.json',
    ]);
    const dump = readFileSync(join(to, 'cloudphone', 'things.bson'));
    const documents: string[] = [];
    for (let at = 0; at < dump.length; at += dump.readInt32LE(at)) {
      const bytes = dump.subarray(at, at + dump.readInt32LE(at));
      expect(deserialize(bytes)).to.have.property('_id', documents.length);
      documents.push(bytes.toString('base64'));
    }
    expect(documents).to.deep.equal(await bytesOf('things'));
    const metadata = EJSON.parse(readFileSync(join(to, 'cloudphone', 'things.metadata.json'), 'utf8')) as object;
    expect(metadata).to.deep.include({ collectionName: 'things', options: {} });
    expect(metadata)
      .to.have.property('indexes')
      .that.deep.equals([
        { v: 2, key: { _id: 1 }, name: '_id_' },
        { v: 2, key: { n: -1 }, name: 'by_n', unique: true },
      ]);
  });

  it('has a manifest with the digest of each file', async () => {
    const backup = join(directory, 'backup');
    await admin(['backup', '--to', backup]);
    const { files } = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8')) as {
      files: Record<string, string>;
    };
    expect(Object.keys(files).sort()).to.deep.equal(['data.mdb', 'folder-id', 'host-id']);
    const digest = createHash('sha256')
      .update(readFileSync(join(backup, 'data.mdb')))
      .digest('hex');
    expect(files['data.mdb']).to.equal(digest);
    writeFileSync(join(backup, 'data', 'host-id'), 'other\n');
    const { error } = await admin(['restore', '--from', backup], { DATA_DIR: join(directory, 'new') });
    expect(error).to.contain('host-id');
  });
});

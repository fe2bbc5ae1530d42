import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BackedUp, backUp, type BackUpOptions } from '../../admin/backup/back-up.js';
import { restoreBackup, type Restored } from '../../admin/backup/restore-backup.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { systemClock } from '../../kit/async/clock.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { folderIdOf } from '../../kit/files/host-id.js';
import { silentLog } from '../../kit/log/log.js';

/** A time so late that no file counts as just changed. */
const clock = { ...systemClock, now: () => Date.now() + 60_000 };

interface StoredRecord {
  _id: string;
  state: string;
  [field: string]: unknown;
}

/** A data folder with a running database, and a folder beside it for backups and for what is restored. */
export class BackupWorld {
  /** Holds the data folder and, by their names, all backups and restored folders. */
  readonly directory: string;
  readonly data: string;
  readonly #server: EmbeddedMongo;
  readonly #connection: MongoConnection;

  private constructor(directory: string, server: EmbeddedMongo, connection: MongoConnection) {
    this.directory = directory;
    this.data = join(directory, 'data');
    this.#server = server;
    this.#connection = connection;
  }

  static async open(): Promise<BackupWorld> {
    const directory = mkdtempSync(join(tmpdir(), 'cloudphone-backup-'));
    const data = join(directory, 'data');
    folderIdOf(data);
    const server = await startEmbeddedMongo({ directory: join(data, 'database'), log: silentLog });
    const world = new BackupWorld(directory, server, await connectMongo({ url: server.url, log: silentLog }));
    world.write('steps-key', 'key');
    world.write('set-settings', 'PORT\nSECRETS_KEY\n');
    world.write('attached/adbkey', 'adb key');
    world.write('lock', 'process 1');
    world.write('simulator/processes/0/scratch/junk', 'junk');
    return world;
  }

  async close(): Promise<void> {
    await this.#connection.close();
    await this.#server.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Writes a file of the data folder. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.data, path)), { recursive: true });
    writeFileSync(join(this.data, path), text);
  }

  /** Adds a phone in a container: its files, and the record of its device. */
  async phone(id: string, state: string, more: object = {}): Promise<void> {
    this.write(
      `container/phones/${id}/phone.json`,
      JSON.stringify({ phoneId: id, digest: 'sha256:1', source: 'r/i@sha256:2' }),
    );
    this.write(`container/phones/${id}/data/a/file`, `of ${id}`);
    await this.record('devices', { _id: id, state, made: true, driver: 'container', name: `name-${id}`, ...more });
  }

  async snapshot(id: string, state: string): Promise<void> {
    this.write(`container/snapshots/${id}/data/file`, `of ${id}`);
    await this.record('snapshots', { _id: id, state });
  }

  async record(collection: 'devices' | 'snapshots' | 'templates', record: StoredRecord): Promise<void> {
    await this.#connection.database.collection<StoredRecord>(collection).insertOne(record);
  }

  made(name: string, more: Partial<BackUpOptions> = {}): Promise<BackedUp> {
    return backUp({
      dataDirectory: this.data,
      to: join(this.directory, name),
      phones: 'stopped',
      hold: () => Promise.reject(new Error('no phone is held here')),
      onProgress: () => undefined,
      clock,
      ...more,
    });
  }

  restored(name: string, to: string): Promise<Restored> {
    return restoreBackup({
      dataDirectory: join(this.directory, to),
      from: join(this.directory, name),
      onProgress: () => undefined,
      clock,
    });
  }

  /** Returns the place of a file in a backup. */
  inBackup(name: string, path: string): string {
    return join(this.directory, name, 'data', path);
  }
}

/** Returns the text of the error with which `work` failed. */
export function rejection(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it succeeded',
    (error: unknown) => String(error),
  );
}

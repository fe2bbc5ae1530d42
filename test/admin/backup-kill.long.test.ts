import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { folderIdOf } from '../../kit/files/host-id.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { describeTree } from '../../phone/files/manifest.js';

const main = fileURLToPath(new URL('../../admin/main.js', import.meta.url));
const PHONES = 6;
/** Parts of the files and folders that the whole command writes; once they are there, it is killed. */
const KILLS = [0.01, 0.2, 0.4, 0.6, 0.8, 0.95];

describe('kill -9 of the operator’s command, in the middle', function () {
  this.timeout(300_000);
  let directory: string;
  let data: string;
  let server: EmbeddedMongo;
  let connection: MongoConnection;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-kill-backup-'));
    data = join(directory, 'data');
    folderIdOf(data);
    server = await startEmbeddedMongo({ directory: join(data, 'database'), log: silentLog });
    connection = await connectMongo({ url: server.url, log: silentLog });
    const devices = connection.database.collection<{ _id: string; state: string; made: true }>('devices');
    for (let at = 0; at < PHONES; at++) {
      const root = join(data, `container/phones/ph_${at}`);
      for (let file = 0; file < 200; file++) {
        mkdirSync(dirname(join(root, `data/${file % 10}/${file}`)), { recursive: true });
        writeFileSync(join(root, `data/${file % 10}/${file}`), Buffer.alloc(50_000, `${at} ${file} `));
      }
      await devices.insertOne({ _id: `ph_${at}`, state: 'stopped', made: true });
    }
  });
  after(async () => {
    await connection.close();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs the command. With `isKilled`, it is killed as soon as that returns true; the time that a command takes varies too much. */
  async function admin(args: string[], dataDirectory: string, isKilled?: () => boolean) {
    const own = Object.entries(process.env).filter(([name]) => name !== 'MONGODB_URL');
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...Object.fromEntries(own), DATA_DIR: dataDirectory },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let error = '';
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    const looks = setInterval(() => isKilled?.() === true && child.kill('SIGKILL'), 5);
    const status = await new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
    clearInterval(looks);
    return { status, error };
  }
  /** The number of files and folders below a folder; 0 while one of them is being renamed. */
  function entriesIn(folder: string): number {
    try {
      return readdirSync(folder, { recursive: true }).length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
  }
  const checksums = async (root: string): Promise<string[]> =>
    Promise.all(
      Array.from({ length: PHONES }, async (_, at) => {
        return (await describeTree(join(root, `container/phones/ph_${at}`), { owners: true })).checksum;
      }),
    );

  it('leaves a backup that is whole, or none', async () => {
    const { status, error } = await admin(['backup', '--to', join(directory, 'first')], data);
    expect([status, error]).to.deep.equal([0, '']);
    const whole = entriesIn(join(directory, 'first'));
    let cut = 0;
    for (const [at, part] of KILLS.entries()) {
      const folder = join(directory, `killed-${at}`, 'backup');
      mkdirSync(dirname(folder));
      await admin(['backup', '--to', folder], data, () => entriesIn(dirname(folder)) >= whole * part);
      for (const name of readdirSync(dirname(folder))) {
        const verified = await admin(['backup', 'verify', '--from', join(dirname(folder), name)], data);
        expect(verified.status, `${name} after ${part}: ${verified.error}`).to.equal(name === 'backup' ? 0 : 1);
        if (name !== 'backup') cut++;
      }
    }
    expect(cut, 'kills that came in the middle').to.be.at.least(KILLS.length / 2);
  });

  it('leaves a data folder into which the same backup is restored whole by the same command', async () => {
    const from = join(directory, 'first');
    const expected = await checksums(data);
    expect(await admin(['restore', '--from', from], join(directory, 'whole'))).to.include({ status: 0 });
    const whole = entriesIn(join(directory, 'whole'));
    let cut = 0;
    for (const [at, part] of KILLS.entries()) {
      const into = join(directory, `into-${at}`);
      mkdirSync(into);
      await admin(['restore', '--from', from], into, () => entriesIn(into) >= whole * part);
      if (existsSync(join(into, 'container/phones/.restoring'))) cut++;
      if (!existsSync(join(into, 'database/data.mdb'))) {
        const again = await admin(['restore', '--from', from], into);
        expect([again.status, again.error], `killed after ${part}`).to.deep.equal([0, '']);
        for (const folder of ['', 'container', 'container/phones', 'database'])
          expect(readdirSync(join(into, folder)).filter((name) => name.startsWith('.'))).to.deep.equal([]);
      }
      expect(await checksums(into), `killed after ${part}`).to.deep.equal(expected);
    }
    expect(cut, 'kills that came in the middle').to.be.at.least(KILLS.length / 2);
  });
});

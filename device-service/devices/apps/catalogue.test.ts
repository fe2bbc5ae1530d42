import { copyFile, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { type Log, silentLog } from '../../../kit/log/log.js';
import { CATALOGUE_FRESH_MS } from '../limits.js';
import { systemClock } from '../../../kit/async/clock.js';
import { AppReader } from '../../../phone/apk/app-reader.js';
import { AppFolders } from '../uploads/app-folders.js';
import { Catalogue } from './catalogue.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../phone/apk/fixtures/${name}`, import.meta.url));

describe('the catalogue of apps', () => {
  let folder: string;
  let directory: string;
  let warnings: unknown[];
  let clock: FakeClock;
  let catalogue: Catalogue;
  const appReader = new AppReader({ clock: systemClock });
  after(() => appReader.close());

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'catalogue-'));
    directory = path.join(folder, 'offered');
    await mkdir(directory);
    warnings = [];
    clock = new FakeClock();
    const log = Object.assign(Object.create(silentLog) as Log, {
      warn: (fields: unknown) => void warnings.push(fields),
    });
    const folders = new AppFolders(path.join(folder, 'own'));
    catalogue = new Catalogue({ directory, appFolders: folders, appReader, clock, log });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const apps = async (): Promise<string[]> => {
    clock.turn(CATALOGUE_FRESH_MS);
    return (await catalogue.list()).map(({ app, version }) => `${app} ${version}`);
  };

  it('has the name, version and icon that each file declares', async () => {
    await copyFile(fixture('fixture-v2.apk'), path.join(directory, 'my-app_1.0.apk'));
    const found = await catalogue.find('my-app_1.0');
    expect(found).to.include({ package: 'com.example.fixture', name: 'Pröbe 例', version: '1.2.3', sizeBytes: 8687 });
    expect(found?.icon).to.include({ contentType: 'image/png' });
    expect(found?.icon?.etag).to.match(/^"[0-9a-f]{32}"$/);
    expect(await catalogue.find('other')).to.equal(undefined);
  });

  it('follows the folder', async () => {
    expect(await apps()).to.deep.equal([]);
    await copyFile(fixture('fixture-v1.apk'), path.join(directory, 'b.apk'));
    expect(await apps()).to.deep.equal(['b 1.0']);
    await copyFile(fixture('fixture-v2.apk'), path.join(directory, 'a.apk'));
    expect(await apps()).to.deep.equal(['a 1.2.3', 'b 1.0']);
    await copyFile(fixture('fixture-v2.apk'), path.join(directory, 'b.apk'));
    expect(await apps()).to.deep.equal(['a 1.2.3', 'b 1.2.3']);
    await rm(path.join(directory, 'a.apk'));
    expect(await apps()).to.deep.equal(['b 1.2.3']);
    await rm(directory, { recursive: true });
    expect(await apps()).to.deep.equal([]);
  });

  it('leaves out files that it cannot offer, logs each once, and reads it again when it has changed', async () => {
    await writeFile(path.join(directory, 'Bad Name.apk'), 'x');
    await writeFile(path.join(directory, 'notes.txt'), 'x');
    await writeFile(path.join(directory, '.hidden.apk'), 'x');
    await mkdir(path.join(directory, 'folder.apk'));
    const copied = path.join(directory, 'slow.apk');
    await copyFile(fixture('fixture-v2.apk'), copied);
    await truncate(copied, 5_000);
    expect(await apps()).to.deep.equal([]);
    expect(await apps()).to.deep.equal([]);
    expect(warnings).to.have.length(3);
    await copyFile(fixture('fixture-v2.apk'), copied);
    await copyFile(fixture('fixture-v1.apk'), path.join(directory, 'slow.apks'));
    expect(await apps()).to.deep.equal(['slow 1.2.3']);
    expect(warnings.at(-1)).to.deep.equal({ file: 'slow.apks', reason: 'there is another file for the same app' });
  });

  it('leaves nothing of its own behind', async () => {
    await copyFile(fixture('fixture-v2.apk'), path.join(directory, 'a.apk'));
    await apps();
    expect(await readdir(path.join(folder, 'own'))).to.deep.equal([]);
  });

  it('reads the folder once for all requests at the same time, and no more often than every second', async () => {
    await copyFile(fixture('fixture-v2.apk'), path.join(directory, 'a.apk'));
    clock.turn(CATALOGUE_FRESH_MS);
    const [one, two] = await Promise.all([catalogue.list(), catalogue.list()]);
    expect(one[0]).to.equal(two[0]);
    await rm(path.join(directory, 'a.apk'));
    expect(await catalogue.list()).to.have.length(1);
    expect(await apps()).to.deep.equal([]);
  });
});

describe('the folders of apps on their way', () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(path.join(os.tmpdir(), 'folders-'))));
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('are removed after use, and kept only where that is wanted and went well', async () => {
    const folders = new AppFolders(directory);
    await folders.hold('job_1', () => writeFile(folders.upload('job_1'), 'x'));
    await folders.hold('job_2', () => writeFile(folders.upload('job_2'), 'x'), { keep: true });
    const failed = folders.hold('job_3', () => Promise.reject(new Error('no')), { keep: true });
    await failed.catch(() => undefined);
    expect(await readdir(directory)).to.deep.equal(['job_2']);
  });

  it('are swept when neither a job nor an upload has them', async () => {
    const folders = new AppFolders(directory);
    for (const name of ['job_left', 'job_at_work', 'catalogue-x']) await mkdir(path.join(directory, name));
    await folders.hold('job_under_way', async () => {
      await folders.sweep(async () => new Set(['job_at_work']));
      expect(await readdir(directory)).to.have.members(['job_at_work', 'job_under_way']);
    });
  });

  it('are swept beside the files of libraries, which stay', async () => {
    const folders = new AppFolders(directory);
    await mkdir(folders.library);
    await mkdir(path.join(directory, 'job_left'));
    await folders.sweep(async () => new Set());
    expect(await readdir(directory)).to.deep.equal([path.basename(folders.library)]);
  });

  it('need not be there', async () => {
    await new AppFolders(path.join(directory, 'none')).sweep(() => Promise.reject(new Error('not asked')));
  });
});

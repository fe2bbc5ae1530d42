import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pathExists } from '../files/path-exists.js';
import { DataSnapshots } from './data-snapshots.js';
import { type Flush, flush as toDisk } from './flush.js';
import { type ImageBasedPhone, PhoneFolders } from './phone-folders.js';
import { failureOf } from './testing/image-based-world.js';

const DIGEST = 'sha256:1';

describe('what counts of the data of image-based phones is on the disk', () => {
  let folder: string;
  let saved: DataSnapshots;
  let folders: PhoneFolders;
  /** What there was at each flush. */
  let seen: string[];
  let look: (folder: string) => Promise<string> = () => Promise.resolve('');
  /** Set to make the disk refuse what was written. */
  let fault: Error | undefined;

  const flush: Flush = {
    content: async (path) => {
      seen.push(`content: ${await look(path)}`);
      if (fault !== undefined) throw fault;
      await toDisk.content(path);
    },
    names: async (path) => {
      seen.push(`names: ${await look(path)}`);
      await toDisk.names(path);
    },
  };
  const pathOf = (path: string): string => join(folder, path);
  const read = (path: string): Promise<string> => readFile(pathOf(path), 'utf8');
  const take = (): Promise<unknown> => saved.take({ data: pathOf('phone'), digest: DIGEST }, 'snap_1', {});

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flush-'));
    await mkdir(pathOf('phone'));
    await writeFile(pathOf('phone/mark'), 'golden');
    [saved, folders] = [
      new DataSnapshots(pathOf('snapshots'), flush),
      new PhoneFolders(pathOf('phones'), undefined, flush),
    ];
    for (const one of [saved, folders]) await one.clean();
    [seen, fault] = [[], undefined];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const [name, id, make] of [
    ['a snapshot', 'snap_1', take],
    ['a template', 'tpl_1', () => saved.copy('snap_1', 'tpl_1', {})],
  ] as const) {
    it(`before ${name} has its name, and its name before the database has it`, async () => {
      if (id !== 'snap_1') await take();
      seen = [];
      look = async (path) =>
        [await pathExists(join(path, 'data/mark')), await pathExists(pathOf(`snapshots/${id}`))].join(' ');
      await make();
      expect(seen).to.deep.equal(['content: true false', 'names: false true']);
    });

    it(`or there is no ${name.slice(2)}`, async () => {
      if (id !== 'snap_1') await take();
      fault = new Error('the disk is broken');
      expect(await failureOf(make())).to.equal('Error: the disk is broken');
      expect(await saved.has(id)).to.equal(false);
      expect(await readdir(pathOf('snapshots/.scratch'))).to.deep.equal([]);
    });
  }

  describe('as that of a restored phone, before its old data is removed', () => {
    beforeEach(async () => {
      await folders.create({ phoneId: 'ph_1' } as ImageBasedPhone, ({ data }) =>
        writeFile(join(data, 'mark'), 'as it was'),
      );
      seen = [];
    });
    const restore = (): Promise<void> =>
      folders.replaceData('ph_1', (data) => writeFile(join(data, 'mark'), 'restored'));

    it('with its name', async () => {
      look = async () => {
        const old = await read('phones/.scratch/ph_1.data/mark').catch(() => 'in place');
        return `${await read('phones/ph_1/data/mark')}, the old ${old}`;
      };
      await restore();
      expect(seen).to.deep.equal(['content: as it was, the old in place', 'names: restored, the old as it was']);
      expect(await readdir(pathOf('phones/.scratch'))).to.deep.equal([]);
    });

    it('or the old data stays', async () => {
      look = () => Promise.resolve('');
      fault = new Error('the disk is broken');
      expect(await failureOf(restore())).to.equal('Error: the disk is broken');
      expect(await read('phones/ph_1/data/mark')).to.equal('as it was');
      expect(await readdir(pathOf('phones/.scratch'))).to.deep.equal([]);
    });
  });
});

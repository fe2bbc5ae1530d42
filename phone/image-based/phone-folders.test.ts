import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { DamagedPhone, type ImageBasedPhone, PhoneFolders } from './phone-folders.js';

const PHONE: Omit<ImageBasedPhone, 'data'> = {
  ...{ phoneId: 'ph_1', name: 'one', model: 'm', android: '14' },
  exit: { type: 'direct', country: 'us', timezone: 'UTC' },
  made: {
    ...{
      model: 'm',
      name: 'M',
      android: ['14'],
      screen: { width: 720, height: 1280, density: 320 },
      driver: 'emulator',
    },
    ...{
      memoryMb: 512,
      cpus: 1,
      diskMb: 512,
      bootLimitS: 60,
      systemImage: 'system-images;a;b;c',
      gpu: 'off',
      args: [],
    },
  },
  ...{ digest: 'sha256:1', serial: 'S', on: false },
};

describe('folders of phones', () => {
  let directory: string;
  let folders: PhoneFolders;
  const open = async (): Promise<void> => {
    folders = new PhoneFolders(directory);
    await folders.clean();
  };
  const fill = (text: string) => (data: string) => writeFile(join(data, 'file'), text);
  const read = (): Promise<string> => readFile(join(directory, 'ph_1', 'data', 'file'), 'utf8');

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'made-'));
    await open();
    await folders.create(PHONE, ({ data }) => fill('old')(data));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('hold the description and the data of a phone', async () => {
    expect(await folders.read('ph_1')).to.deep.equal({ ...PHONE, data: join(directory, 'ph_1', 'data') });
    expect(await folders.list()).to.deep.equal(['ph_1']);
    expect(await folders.read('ph_2')).to.equal(undefined);
  });

  it('are made once, and not at all when they cannot be filled', async () => {
    await folders.create(PHONE, ({ data }) => fill('new')(data));
    expect(await read()).to.equal('old');
    const failing = folders.create({ ...PHONE, phoneId: 'ph_2' }, () => Promise.reject(new Error('no room')));
    expect(await failing.catch(String)).to.equal('Error: no room');
    expect(await folders.list()).to.deep.equal(['ph_1']);
    expect(await readdir(join(directory, '.scratch'))).to.deep.equal([]);
  });

  it('keep the old data until the new is whole', async () => {
    const failing = folders.replaceData('ph_1', () => Promise.reject(new Error('no room')));
    await failing.catch(() => undefined);
    expect(await read()).to.equal('old');
    await folders.replaceData('ph_1', fill('new'));
    expect(await read()).to.equal('new');
  });

  it('are completed after a crash between the two steps of new data', async () => {
    const scratch = join(directory, '.scratch');
    await mkdir(join(scratch, 'ph_1.restored'));
    await fill('new')(join(scratch, 'ph_1.restored'));
    await rename(join(directory, 'ph_1', 'data'), join(scratch, 'ph_1.data'));
    await open();
    expect(await read()).to.equal('new');
    expect(await readdir(scratch)).to.deep.equal([]);
  });

  it('of which the data was lost do not get a part of a restore that a crash cut off', async () => {
    await rm(join(directory, 'ph_1', 'data'), { recursive: true });
    let scratch = '';
    const crashing = folders.replaceData('ph_1', async (data) => {
      await fill('part')(data);
      scratch = data;
      await new Promise(() => undefined);
    });
    void crashing;
    await until(() => scratch !== '');
    await open();
    expect(await folders.read('ph_1').catch((error: unknown) => error)).to.be.instanceOf(DamagedPhone);
  });

  it('lose the remains of other crashes', async () => {
    const scratch = join(directory, '.scratch');
    for (const name of ['ph_1.restored', 'ph_2.new', 'ph_3.old']) await mkdir(join(scratch, name));
    await open();
    expect(await read()).to.equal('old');
    expect(await readdir(scratch)).to.deep.equal([]);
  });

  it('vanish whole', async () => {
    await folders.delete('ph_1');
    await folders.delete('ph_1');
    expect(await folders.list()).to.deep.equal([]);
    expect(existsSync(join(directory, 'ph_1'))).to.equal(false);
  });

  it('that are damaged are reported as such', async () => {
    const failure = (): Promise<unknown> => folders.read('ph_1').catch((error: unknown) => error);
    await rm(join(directory, 'ph_1', 'data'), { recursive: true });
    expect(await failure())
      .to.be.instanceOf(DamagedPhone)
      .with.property('message')
      .that.contains('Restore a snapshot');
    expect(await folders.describe('ph_1')).to.include({ digest: 'sha256:1' });
    for (const text of ['{', '{"phoneId": "ph_2"}', 'null']) {
      await writeFile(join(directory, 'ph_1', 'phone.json'), text);
      expect(await failure(), text).to.be.instanceOf(DamagedPhone);
    }
  });

  it('have no names that lead elsewhere', () => {
    for (const id of ['..', 'a/b', '', '.scratch', 'x'.repeat(65)])
      expect(() => folders.path(id), id).to.throw('not a phone id');
  });
});

import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { KeptPhones } from './kept-phones.js';
import { type ImageBasedPhone, PhoneFolders } from './phone-folders.js';
import { failureOf, STAND_IN } from './testing/image-based-world.js';

const PHONE: Omit<ImageBasedPhone, 'data'> = {
  ...{ phoneId: 'ph_1', name: 'one', model: STAND_IN.model, android: '14', digest: 'sha256:1', serial: 'S', on: false },
  exit: { type: 'direct', country: 'us', timezone: 'UTC' },
  made: { ...STAND_IN, driver: 'container', image: 'phone:14', pids: 64, binder: false },
};

describe('copies of phones that get another image', () => {
  let directory: string;
  let folders: PhoneFolders;
  let kept: KeptPhones;
  let freeDiskMb: number;
  let phone: ImageBasedPhone;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kept-'));
    folders = new PhoneFolders(join(directory, 'phones'));
    await folders.clean();
    freeDiskMb = 100_000;
    kept = new KeptPhones({ directory, folders, freeDiskMb: async () => freeDiskMb });
    await folders.create(PHONE, ({ data }) => writeFile(join(data, 'file'), 'as before'));
    phone = (await folders.read('ph_1'))!;
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Gives the phone another image, which writes data and boots. */
  async function change(): Promise<void> {
    await folders.replace({ ...phone, digest: 'sha256:2', source: 'phone@2', booted: { start: '1', identity: 'S/1' } });
    await writeFile(join(phone.data, 'file'), 'of the new image');
  }
  const data = (): Promise<string> => readFile(join(phone.data, 'file'), 'utf8');

  it('are put back with the description, without what the new image added to either', async () => {
    await kept.keep(phone, 'job_1');
    await change();
    await writeFile(join(phone.data, 'more'), '');
    await kept.putBack('ph_1');
    expect(await folders.read('ph_1')).to.deep.equal(phone);
    expect(await readdir(phone.data)).to.deep.equal(['file']);
    expect([await data(), await kept.list()]).to.deep.equal(['as before', []]);
    await change();
    await kept.putBack('ph_1');
    expect(await data(), 'without a copy').to.equal('of the new image');
  });

  it('stay as they are when they are to be made again', async () => {
    await kept.keep(phone, 'job_1');
    await change();
    await kept.keep((await folders.read('ph_1'))!, 'job_1');
    expect((await kept.find('ph_1'))?.digest).to.equal('sha256:1');
    expect((await kept.list()).map(({ digest }) => digest)).to.deep.equal(['sha256:1']);
  });

  it('of an earlier job are made again, as the phone has gone on since', async () => {
    await kept.keep(phone, 'job_1');
    await writeFile(join(phone.data, 'file'), 'weeks later');
    await kept.keep(phone, 'job_2');
    await change();
    await kept.putBack('ph_1');
    expect(await data()).to.equal('weeks later');
  });

  it('are not made where the disk would have less than its reserve, and nothing of them is left', async () => {
    freeDiskMb = 512;
    expect(await failureOf(kept.keep(phone, 'job_1'))).to.match(
      /^PhoneFailure: .* needs 513 MiB, and 512 MiB are free/,
    );
    const aborted = AbortSignal.abort(new Error('given up'));
    freeDiskMb = 513;
    expect(await failureOf(kept.keep(phone, 'job_1', { signal: aborted }))).not.to.equal('no failure');
    expect(await kept.find('ph_1')).to.equal(undefined);
    expect(await readdir(join(directory, 'kept/.scratch'))).to.deep.equal([]);
  });

  it('are put back after a crash between two renames', async () => {
    await kept.keep(phone, 'job_1');
    await change();
    await rename(phone.data, join(directory, 'phones/.scratch/ph_1.data'));
    await folders.clean();
    await kept.clean(new Set(['ph_1']));
    expect(await failureOf(folders.read('ph_1'))).to.contain('DamagedPhone');
    await kept.putBack('ph_1');
    expect([await data(), (await folders.read('ph_1'))?.digest]).to.deep.equal(['as before', 'sha256:1']);
  });

  it('are removed at a start where their phone is gone, with half of one that was being made', async () => {
    await kept.keep(phone, 'job_1');
    await mkdir(join(directory, 'kept/.scratch/ph_2'), { recursive: true });
    await kept.clean(new Set(['ph_1']));
    expect(await kept.list()).to.have.length(1);
    await kept.clean(new Set());
    expect(await readdir(join(directory, 'kept'))).to.deep.equal(['.scratch']);
    expect(await readdir(join(directory, 'kept/.scratch'))).to.deep.equal([]);
  });
});

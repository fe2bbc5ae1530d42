import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ProjectIds } from './project-ids.js';
import { idsIn } from './project-quota.js';

describe('the projects of phones', () => {
  let phones: string;
  let ids: ProjectIds;
  const none = async (): Promise<ReadonlySet<number>> => new Set<number>();
  const home = async (...names: string[]): Promise<string> => {
    const path = join(phones, ...names);
    await mkdir(path, { recursive: true });
    return path;
  };

  beforeEach(async () => {
    phones = await mkdtemp(join(tmpdir(), 'projects-'));
    ids = new ProjectIds(phones);
  });
  afterEach(() => rm(phones, { recursive: true, force: true }));

  it('differ, also from those of phones that are being made at the same time', async () => {
    const homes = await Promise.all([['ph_1'], ['ph_2'], ['.scratch', 'ph_3.new']].map((names) => home(...names)));
    const chosen = await Promise.all(homes.map((one) => ids.choose(one, none)));
    expect(new Set(chosen).size).to.equal(3);
    for (const [at, one] of homes.entries()) expect(await ids.read(one)).to.equal(chosen[at]);
    // Another process of the service finds the same.
    const next = await new ProjectIds(phones).choose(await home('ph_4'), none);
    expect(chosen).not.to.include(next);
  });

  it('are not read from what is no file, nor from a file of others', async () => {
    const path = await home('ph_1');
    const file = join(path, 'project');
    await mkdir(file);
    expect(await ids.read(path)).to.equal(undefined);
    await rm(file, { recursive: true });
    await promisify(execFile)('mkfifo', [file]);
    expect(await ids.read(path)).to.equal(undefined);
    await rm(file);
    await symlink('/dev/zero', file);
    expect(await ids.read(path)).to.equal(undefined);
    await rm(file);
    await writeFile(file, `${2 ** 30 - 1}\n${'9'.repeat(1_000_000)}`);
    expect(await ids.read(path)).to.equal(undefined);
  });

  it('are free again when the phone is gone, and not while the file system has files of them', async () => {
    const first = await ids.choose(await home('ph_1'), none);
    const second = await ids.choose(await home('ph_2'), none);
    await rm(join(phones, 'ph_1'), { recursive: true });
    expect(await ids.choose(await home('ph_3'), async () => new Set([first]))).to.equal(second + 1);
    expect(await ids.choose(await home('ph_4'), none)).to.equal(first);
  });

  it('are not taken from files that are cut, foreign, or of another folder', async () => {
    const path = await home('ph_1');
    const id = await ids.choose(path, none);
    const file = join(path, 'project');
    expect(await readFile(file, 'utf8')).to.equal(`${id}\n`);
    for (const text of ['', String(id), '0\n', '1048577\n', 'x\n', `${id}\n${id}\n`, `-${id}\n`, `${id + 2 ** 16}\n`]) {
      await writeFile(file, text);
      expect(await ids.read(path), text).to.equal(undefined);
    }
  });

  it('of which none is left are an error', async () => {
    const all = new Set<number>();
    const first = await ids.choose(await home('ph_1'), none);
    for (let id = first; id < first + 2 ** 16; id++) all.add(id);
    const failure = await ids.choose(await home('ph_2'), async () => all).catch(String);
    expect(failure).to.contain('all 65536 project ids of this service are in use');
  });
});

describe('a report of quotas', () => {
  const HEAD =
    'Project,BlockStatus,FileStatus,BlockUsed,BlockSoftLimit,BlockHardLimit,BlockGrace,FileUsed,FileSoftLimit,';

  it('names the projects that have files', () => {
    const report = `${HEAD}\n#0,ok,ok,13,0,0,,2,0,\n#1073741900,ok,ok,0,0,20480,,0,0,\n#1073741901,ok,ok,0,0,9,,1,0,\n`;
    expect(idsIn(report)).to.deep.equal(new Set([0, 1073741901]));
  });

  it('in another form is an error', () => {
    expect(() => idsIn('*** Report for project quotas')).to.throw('no columns Project and FileUsed');
  });
});

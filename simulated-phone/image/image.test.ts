import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { writeImage } from './archive.js';
import { addEntry, type ImageTree } from './image-entry.js';
import { addPackages } from './node-packages.js';
import { addBusybox } from './programs.js';

const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../..');

const SETTINGS = {
  names: ['test/image:1'],
  entrypoint: ['/init'],
  environment: ['PATH=/bin'],
  ports: ['5555/tcp'],
  volumes: ['/data'],
};

describe('an image made of files', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'image-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
  const tar = (...words: string[]): string =>
    execFileSync('tar', words, { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });
  const tree = (source: string): ImageTree => {
    const made: ImageTree = new Map();
    addEntry(made, { kind: 'link', path: 'bin/sh', target: 'busybox', mode: 0o777 });
    addEntry(made, { kind: 'file', path: 'bin/busybox', source, sizeBytes: 5, mode: 0o755 });
    addEntry(made, { kind: 'text', path: 'a', text: 'é', mode: 0o600 });
    return made;
  };

  it('is the same for the same content, and describes its layers', async () => {
    const [one, other, source] = ['one.tar', 'other.tar', 'source'].map((name) => join(folder, name)) as [string, string, string]; // prettier-ignore
    writeFileSync(source, 'bytes');
    const made = await writeImage(one, [{ tree: tree(source), about: 'all' }], SETTINGS);
    const again = await writeImage(other, [{ tree: tree(source), about: 'all' }], SETTINGS);
    expect(again).to.deep.equal(made);
    expect(sha256(one)).to.equal(sha256(other));

    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    tar('-xf', one, '-C', unpacked);
    const readJson = (name: string): unknown => JSON.parse(readFileSync(join(unpacked, name), 'utf8'));
    const [manifest] = readJson('manifest.json') as [{ Config: string; RepoTags: string[]; Layers: string[] }];
    expect(manifest.RepoTags).to.deep.equal(['test/image:1']);
    expect(sha256(join(unpacked, manifest.Config))).to.equal(made.id);
    const [layer = ''] = manifest.Layers;
    const config = readJson(manifest.Config) as { rootfs: { diff_ids: string[] }; config: object };
    expect(config.rootfs.diff_ids).to.deep.equal([`sha256:${sha256(join(unpacked, layer))}`]);
    expect(config.config).to.deep.include({ Entrypoint: ['/init'], Volumes: { '/data': {} }, StopSignal: 'SIGTERM' });
    expect(tar('-tvf', join(unpacked, layer)).replace(/ +/g, ' ').trim().split('\n')).to.deep.equal([
      '-rw------- 0/0 2 1970-01-01 00:00 a',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 bin',
      '-rwxr-xr-x 0/0 5 1970-01-01 00:00 bin/busybox',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin/sh -> busybox',
    ]);
  });

  it('is left out when a file cannot be read as it was found', async () => {
    const [path, source] = [join(folder, 'image.tar'), join(folder, 'source')];
    const failed = async (): Promise<unknown> =>
      writeImage(path, [{ tree: tree(source), about: 'all' }], SETTINGS).catch((error: unknown) => error);
    expect(await failed()).to.be.instanceOf(Error);
    writeFileSync(source, 'longer than it was');
    expect(await failed()).to.be.instanceOf(Error);
    writeFileSync(source, 'less');
    expect(await failed()).to.be.instanceOf(Error);
    expect(readdirSync(folder)).to.deep.equal(['source']);
  });

  describe('of packages', () => {
    const place = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const packageAt = (path: string, needs: object): void => place(`${path}/package.json`, JSON.stringify(needs));

    it('has those that a workspace needs, where Node finds them, without what no program reads', () => {
      packageAt('work', { dependencies: { a: '1' }, devDependencies: { dev: '1' } });
      packageAt('node_modules/a', { dependencies: { b: '2', a: '1' }, optionalDependencies: { other: '1' } });
      packageAt('node_modules/a/node_modules/b', { peerDependencies: { c: '1', d: '1' }, peerDependenciesMeta: { d: { optional: true } } }); // prettier-ignore
      packageAt('node_modules/b', {});
      packageAt('node_modules/c', {});
      packageAt('node_modules/dev', {});
      for (const name of ['index.js', 'index.d.ts', 'index.js.map', 'README.md', 'LICENSE.md', 'test/x.js', 'lib/x.js'])
        place(`node_modules/c/${name}`, '');
      const made: ImageTree = new Map();
      addPackages(made, folder, 'work', 'opt');
      expect([...made.values()].filter(({ kind }) => kind === 'file').map(({ path }) => path).sort()).to.deep.equal([
        'opt/node_modules/a/node_modules/b/package.json',
        'opt/node_modules/a/package.json',
        'opt/node_modules/c/LICENSE.md',
        'opt/node_modules/c/index.js',
        'opt/node_modules/c/lib/x.js',
        'opt/node_modules/c/package.json',
      ]); // prettier-ignore
    });

    it('has the fonts that the phone loads when a text needs them', () => {
      const made: ImageTree = new Map();
      addPackages(made, REPOSITORY, 'simulated-phone', 'opt');
      const fonts = [...made.keys()].filter((path) => path.endsWith('.woff'));
      expect(fonts.map((path) => basename(path))).to.deep.equal(['noto-color-emoji-emoji-400-normal.woff']);
    });

    it('fails for a package that is not installed', () => {
      packageAt('work', { dependencies: { a: '1' } });
      expect(() => addPackages(new Map(), folder, 'work', 'opt')).to.throw(
        'The package a is not installed. Run npm ci.',
      );
    });
  });

  it('has no shell but a static one', function () {
    if (process.platform !== 'linux') skip(this, 'needs the program ldd of Linux');
    const error = 'Install the Debian package busybox-static.';
    expect(() => addBusybox(new Map(), [join(folder, 'nowhere')])).to.throw(error);
    // Node is a program with libraries, as is Debian's other busybox.
    expect(() => addBusybox(new Map(), [process.execPath])).to.throw(error);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FolderInUseError, lockFolder } from './folder-lock.js';
import { skip } from '../../testing/skip.js';

/** Locks the folder, prints that, and waits; or prints why not. */
const SCRIPT = `
  const { lockFolder } = await import(process.argv[1]);
  try {
    lockFolder(process.argv[2]);
    console.log('locked');
    setInterval(() => undefined, 1000);
  } catch (error) {
    console.log(error.message);
  }`;

const MODULE = new URL('./folder-lock.js', import.meta.url).href;

describe('the lock on a folder', () => {
  it('is refused, by one line with the reason, where no folder can be', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cloudphone-lock-')), 'file');
    writeFileSync(file, '');
    const fault = 'Choose another one.';
    for (const place of [file, join(file, 'below')]) {
      expect(() => lockFolder(place)).to.throw(`The data folder ${place} (DATA_DIR) is a file, or is in one. ${fault}`);
    }
    expect(() => lockFolder('/proc/cloudphone')).to.throw(
      /^The data folder \/proc\/cloudphone \(DATA_DIR\) cannot be /,
    );
  });

  let directory: string;
  const children: ChildProcess[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-lock-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  /** The output of a process that locks the folder, started by `words` before it. */
  async function lockElsewhere(words: string[] = []): Promise<{ said: string; child: ChildProcess }> {
    const [command, ...args] = [...words, process.execPath, '--input-type=module', '-e', SCRIPT, MODULE, directory];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const said = await new Promise<string>((resolve) =>
      child.stdout.once('data', (text) => resolve(String(text).trim())),
    );
    return { said, child };
  }

  it('is had by one, and by the next when that one closes it', () => {
    const first = lockFolder(directory);
    expect(() => lockFolder(directory))
      .to.throw(FolderInUseError, directory)
      .with.property('owner');
    first.close();
    first.close();
    lockFolder(directory).close();
  });

  it('names the process that has it, and is free as soon as that one is killed', async () => {
    const { said, child } = await lockElsewhere();
    expect(said).to.equal('locked');
    expect(() => lockFolder(directory)).to.throw(`process ${child.pid} on ${hostname()}`);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    lockFolder(directory).close();
  });

  it('holds between containers: other host names and process ids on one volume', async function () {
    const container: [string, ...string[]] = [
      'unshare',
      '--uts',
      '--pid',
      '--net',
      '--fork',
      '--kill-child',
      '--mount-proc',
      '--',
    ];
    const named = (name: string): string[] => [...container, 'sh', '-c', `hostname ${name} && exec "$@"`, 'sh'];
    if (!(await canRun([...container, 'true']))) skip(this, 'needs the right to make namespaces');
    expect((await lockElsewhere(named('web-1'))).said).to.equal('locked');
    const second = (await lockElsewhere(named('web-2'))).said;
    expect(second).to.contain(directory).and.to.contain('on web-1');
    expect(second.split('\n')).to.have.length(1);
    expect(() => lockFolder(directory)).to.throw(FolderInUseError);
  });
});

/** Namespaces need rights that not everyone has. */
function canRun([command, ...args]: [string, ...string[]]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('exit', (status) => resolve(status === 0));
  });
}

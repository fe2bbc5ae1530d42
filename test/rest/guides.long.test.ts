import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { Receiver } from '../webhooks/receiver.js';
import { startWorld, type World } from '../world.js';

/** Beside the sources, of which dist/ has compiled files only. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The commands of a guide, as they stand there: those between `from` and the next heading of its level, or all. */
function commandsOf(guide: string, from = ''): string {
  const text = readFileSync(join(ROOT, guide), 'utf8');
  const part = from === '' ? text : (text.slice(text.indexOf(from) + from.length).split(/^## /m)[0] ?? '');
  return [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join('');
}

describe('the commands of the guides, pasted into a new shell', function () {
  this.timeout(180_000);
  let world: World;
  let receiver: Receiver;
  let folder: string;
  let apps: string;
  before(async function () {
    const missing = ['curl', 'jq'].filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
    if (missing.length > 0) skip(this, `needs ${missing.join(' and ')}`);
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-guides-'));
    apps = mkdtempSync(join(tmpdir(), 'cloudphone-apps-'));
    const catalogue = join(ROOT, 'device-service/apps/demo/catalogue');
    world = await startWorld({ apps: { catalogue, folder: apps }, allowPrivateTargets: true });
    receiver = await new Receiver().listen();
    // As in the folder of a service that npm start has started.
    symlinkSync(join(ROOT, 'device-service'), join(folder, 'device-service'));
    mkdirSync(join(folder, 'data'));
    const { email, password, key } = world;
    const started = { base_url: `${world.mesh.url}/v1`, api_key: key, email, password };
    writeFileSync(join(folder, 'data', 'quickstart.json'), JSON.stringify(started));
  });
  after(async () => {
    await world.close();
    await receiver.close();
    for (const path of [folder, apps]) rmSync(path, { recursive: true, force: true });
  });

  /** Runs commands with nothing in the environment but the path, and `more`. */
  function paste(commands: string, more: Record<string, string> = {}): Promise<string> {
    const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: apps, ...more };
    return new Promise((resolve, reject) => {
      execFile('sh', ['-eu', '-c', commands], { cwd: folder, env }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${commands}\nprinted ${stdout}\n${stderr}`, { cause: error }));
      });
    });
  }

  it('of the first call make a phone and use it, and print no picture', async () => {
    const printed = await paste(commandsOf('README.md', '## A first call'));
    expect(printed)
      .to.include('"state":"done"')
      .and.include('"app":"com.cloudphone.notes"')
      .and.not.match(/"error"|[A-Za-z0-9+/]{200}/);
    expect(readFileSync(join(folder, 'demo.png')).subarray(1, 4).toString()).to.equal('PNG');
  });

  it('of the relay lead adb to that phone', async function () {
    if (spawnSync('sh', ['-c', 'command -v adb']).status !== 0) skip(this, 'needs adb');
    const own = { ANDROID_ADB_SERVER_PORT: String(await freePort()) };
    try {
      // In the same shell as those of the first call, whose first two lines they use.
      const first = commandsOf('README.md', '## A first call').split('\n').slice(0, 2).join('\n');
      const printed = await paste(`${first}\n${commandsOf('README.md', '## adb')}`, own);
      expect(printed)
        .to.include('login ok')
        .and.match(/^demo$/m);
    } finally {
      await paste('adb kill-server', own);
    }
  });

  it('of apps install, list, remove and upload them', async () => {
    const printed = await paste(commandsOf('docs/apps.md'));
    expect(printed.match(/(?:un)?install: \w+/g), printed).to.deep.equal([
      'install: done',
      'uninstall: done',
      'install: done',
      'install: done',
    ]);
    expect(printed).to.include('org.cloudphone.demo.trails').and.not.include('"error"');
  });

  it('of network exits change and rotate them, and check a proxy', async () => {
    // A proxy that does not respond: the way to one that does is the test of the network.
    const printed = await paste(commandsOf('docs/network.md', '## For customers'), {
      PROXY: `http://127.0.0.1:${await freePort()}`,
    });
    expect(printed.match(/network: \w+/g)).to.deep.equal(['network: done', 'network: failed']);
    expect(printed).to.include('rotate: done').and.include('"ok":false');
  });

  it('of snapshots save, go back, clone and delete', async () => {
    const printed = await paste(commandsOf('docs/snapshots.md'));
    expect(printed.split('\n').slice(0, 3)).to.deep.equal(['snapshot: done', 'restore: done', 'clone: done']);
    expect((await world.api.get('/v1/devices/demo/snapshots')).body.snapshots).to.deep.equal([]);
    expect((await world.api.get('/v1/devices/demo-2')).body.device.state).to.equal('running');
  });

  it('of groups make two phones, run steps on them, and plan them', async () => {
    const printed = await paste(commandsOf('docs/groups.md'));
    expect(printed, printed).to.include('group: done').and.include('"next_run_at"');
    expect(printed.match(/"state": "done"/g)).to.have.length(2);
  });

  it('of timelines switch one on', async () => {
    expect(await paste(commandsOf('docs/timeline.md'))).to.include('"timeline":true');
  });

  it('of shares make a link, list it and end it', async () => {
    const printed = await paste(commandsOf('docs/shares.md'));
    expect(printed)
      .to.match(/^http:\/\/\S+\/share#sh_\w{43}$/m)
      .and.include('"access":"read"');
    expect((await world.api.get('/v1/devices/demo/shares')).body.shares).to.deep.equal([]);
  });

  it('of conditions set some, and take them back', async () => {
    const printed = (await paste(commandsOf('docs/conditions.md'))).trim().split('\n');
    expect(printed).to.have.length(3);
    expect(printed[1]).to.include('"level":15').and.include('"kbps":400');
    expect(printed[2]).to.include('"device"').and.not.include('"conditions"');
  });

  it('of webhooks make a key without leaving the session in the folder', async () => {
    const guide = commandsOf('docs/webhooks.md', '## A key with a webhook');
    // The operator's own needs the process of a service.
    const commands = guide.slice(guide.indexOf('BASE='));
    const before = readdirSync(folder);
    await paste(commands, { HOOK: receiver.url('/hook') });
    await until(() => receiver.received.some(({ path }) => path === '/hook'));
    expect(readdirSync(folder)).to.deep.equal(before);
    expect(readdirSync(apps).filter((name) => name.startsWith('tmp.'))).to.deep.equal([]);
  });

  it('hold nothing that has to be replaced first', () => {
    const guides = [
      'README.md',
      ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
    ];
    const faults = guides.flatMap((guide) =>
      commandsOf(guide)
        .split('\n')
        .filter((line) => /<[a-z_ ]+>|(?:job|snap|grp|cp)_…|devices\/one\b/i.test(line))
        .map((line) => `${guide}: ${line}`),
    );
    expect(faults).to.deep.equal([]);
  });
});

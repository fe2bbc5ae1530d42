import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { platformWait, type Wait } from '../../client/src/platform.js';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';
import { type Called, startCli } from './program.js';

/** Waits as the platform does, but a lease of a run is renewed soon. */
const soonRenewed: Wait = (ms, signal) => platformWait(ms === 100_000 ? 100 : ms, signal);

describe('leases and pools by the command line', () => {
  let world: World;
  let owner: PanelClient;
  let home: string;
  let environment: Record<string, string>;
  let others: Record<string, string>;

  before(async () => {
    world = await startWorld();
    owner = await signIn(world);
    home = mkdtempSync(join(tmpdir(), 'cloudphone-cli-leases-'));
    environment = { HOME: home, PATH: process.env['PATH'] ?? '', CLOUDPHONE_URL: world.mesh.url };
    others = { ...environment, CLOUDPHONE_KEY: await owner.createKey({ name: 'other' }) };
    environment['CLOUDPHONE_KEY'] = await owner.createKey({ name: 'ci' });
    for (const name of ['one', 'two']) await world.api.createPhone({ name });
    for (const name of ['one', 'two']) await world.api.ask('PATCH', `/v1/devices/${name}`, { labels: { team: 'qa' } });
  });
  after(async () => {
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(() => noLeases());

  interface Listed {
    name: string;
    state: string;
    job?: string;
    pool?: string;
  }
  const cli = (...words: string[]): Promise<Called> => callCli(words, environment);
  const phones = async (): Promise<Listed[]> => (await world.api.get('/v1/devices')).body.devices;
  const leases = async (): Promise<{ id: string; device: string }[]> =>
    (await owner.ask('GET', '/v1/leases')).body.leases;
  const noLeases = (): Promise<void> => until(async () => (await leases()).length === 0);

  async function good(...words: string[]): Promise<string> {
    const { status, stdout, stderr } = await cli(...words);
    expect(status, `${words.join(' ')}: ${stderr}`).to.equal(0);
    return stdout;
  }
  const json = async (...words: string[]) => JSON.parse(await good(...words, '--json'));

  it('lease a phone, renew, list and end the lease', async () => {
    const line = await good('lease', 'one', '--ttl', '1m', '--at-end', 'keep', '--note', 'nightly run');
    const [, device, id = '', until1 = ''] = /^(\S+) {2}(lse_\S+) {2}(\S+)\n$/.exec(line) ?? [];
    expect(device).to.equal('one');
    const refused = await callCli(['lease', 'one', '--wait', '1s'], others);
    expect([refused.status, refused.stderr.includes('leased by ci for "nightly run"')]).to.deep.equal([5, true]);
    const renewed = await json('lease', 'renew', id, '--ttl', '2h');
    expect(Date.parse(renewed.lease.expires_at)).to.be.above(Date.parse(until1) + 3_600_000);
    expect(await good('leases')).to.match(/^PHONE .*\none +lse_\S+ +ci +\S+ +keep +- +nightly run\n$/);
    expect((await callCli(['lease', 'end', id], others)).status).to.equal(1);
    expect(await good('lease', 'end', id)).to.equal(`${id} has ended.\n`);
    expect(await good('leases')).to.equal('No phone is leased.\n');
    expect((await cli('lease', 'end', id)).status).to.equal(4);
  });

  it('refuse a lease of nothing, of two things, and with words that are none', async () => {
    const calls = [['lease'], ['lease', 'one', '--pool', 'ci'], ['lease', 'one', '--ttl', '5x']];
    for (const words of [...calls, ['lease', 'one', '--at-end', 'burn'], ['run', '--wait', '1m', '--', 'true']])
      expect((await cli(...words)).status, words.join(' ')).to.equal(2);
  });

  it('wait for a phone that another key holds', async () => {
    const { lease } = await json('lease', 'one');
    const waiting = callCli(['lease', '--label', 'team:qa', '--wait', '5m', '--json'], others);
    expect(JSON.parse((await waiting).stdout).lease.device).to.equal('two');
    const next = callCli(['lease', '--label', 'team:qa', '--wait', '5m', '--json'], others);
    await until(async () => (await world.database.collection('lease_waits').countDocuments()) === 1);
    await good('lease', 'end', lease.id);
    expect(JSON.parse((await next).stdout).lease.device).to.equal('one');
    for (const { id } of await leases()) await callCli(['lease', 'end', id], others);
  });

  it('have two runs use different phones of a label, and leave them as they were', async () => {
    const script = (name: string, other: string): string =>
      `echo $CLOUDPHONE_DEVICE > ${home}/${name}; until [ -s ${home}/${other} ]; do sleep 0.1; done`;
    const ends = await Promise.all([
      callCli(['run', '--no-adb', '--label', 'team:qa', '--', 'bash', '-c', script('a', 'b')], environment),
      callCli(['run', '--no-adb', '--label', 'team:qa', '--', 'bash', '-c', script('b', 'a')], others),
    ]);
    expect(
      ends.map(({ status }) => status),
      ends.map(({ stderr }) => stderr).join(),
    ).to.deep.equal([0, 0]);
    const used = ['a', 'b'].map((name) => readFileSync(join(home, name), 'utf8').trim());
    expect(used.sort()).to.deep.equal(['one', 'two']);
    expect((await phones()).map(({ state, job }) => [state, job])).to.deep.equal([
      ['running', undefined],
      ['running', undefined],
    ]);
    const { lease } = await json('lease', 'one');
    const few = await callCli(['run', '--no-adb', '--label', 'team:qa', '--shards', '2', '--', 'true'], others);
    expect([few.status, few.stderr.includes('Only 1 of the 2 phones')]).to.deep.equal([5, true]);
    // The one that was free is free again.
    expect((await leases()).map(({ device }) => device)).to.deep.equal(['one']);
    await good('lease', 'end', lease.id);
  });

  it('stop a phone again that a run has started, as the end of its lease', async () => {
    await good('stop', 'two');
    expect((await cli('run', '--no-adb', '--device', 'two', '--', 'false')).status).to.equal(1);
    await until(async () => (await phones()).find(({ name }) => name === 'two')?.state === 'stopped');
    await noLeases();
    await good('run', '--no-adb', '--device', 'two', '--wait', '5s', '--', 'true');
    await until(async () => (await phones()).find(({ name }) => name === 'two')?.state === 'stopped');
    await noLeases();
    await good('start', 'two');
  });

  describe('of a pool', () => {
    before(async () => {
      const made = await cli(
        'pool',
        'put',
        'ci',
        '--model',
        'phone-720p',
        '--ready',
        '2',
        '--most',
        '4',
        '--label',
        'of:ci',
      );
      expect([made.status, made.stderr.includes('2 ready phones: ')], made.stderr).to.deep.equal([0, true]);
      expect(made.stdout)
        .to.match(/^most +4$/m)
        .and.match(/^labels +of:ci$/m)
        .and.match(/^ready costs +\d/m);
      await isReady();
    });
    after(async () => {
      expect(await good('pool', 'delete', 'ci')).to.equal('The pool ci is deleted.\n');
      await until(async () => (await phones()).every(({ pool }) => pool === undefined));
    });

    const isReady = (): Promise<void> => until(async () => (await json('pool', 'get', 'ci')).pool.phones.ready === 2);

    it('are listed, and refused with what is wrong', async () => {
      expect(await good('pools')).to.match(/\nci +phone-720p +2 of 2 +0 +0 +4 +-\n$/);
      expect((await cli('pool', 'put', 'ci', '--ready', '2')).status).to.equal(2);
      expect((await cli('pool', 'put', 'ci', '--model', 'none')).status).to.equal(1);
      expect((await cli('pool', 'get', 'none')).status).to.equal(4);
      expect((await cli('pool')).stderr).to.include('Did you mean pool put, pool get, pool delete, pools?');
      expect((await cli('run', '--no-adb', '--pool', 'none', '--', 'true')).status).to.equal(4);
    });

    it('give each part of a run a phone, keep the status, and get none of them back', async () => {
      await isReady();
      const script = `echo $CLOUDPHONE_DEVICE > ${home}/part-$CLOUDPHONE_SHARD; [ $CLOUDPHONE_SHARD = 1 ] || exit 7`;
      const words = ['run', '--no-adb', '--pool', 'ci', '--shards', '2', '--', 'bash', '-c', script];
      const { status, stderr } = await cli(...words);
      expect(status, stderr).to.equal(7);
      const used = [1, 2].map((part) => readFileSync(join(home, `part-${part}`), 'utf8').trim());
      for (const name of used) expect(name).to.match(/^ci-\w{6}$/);
      expect(new Set(used).size).to.equal(2);
      await until(async () => (await phones()).every(({ name }) => !used.includes(name)));
    });

    it('end the command with the reason when the lease is ended in the panel', async () => {
      await isReady();
      const running = callCli(['run', '--no-adb', '--pool', 'ci', '--', 'sleep', '1000'], environment, {
        wait: soonRenewed,
      });
      await until(async () => (await leases()).length === 1);
      const [lease] = await leases();
      await owner.ask('DELETE', `/v1/leases/${lease?.id ?? ''}`);
      const { status, stderr } = await running;
      expect([status, stderr.includes(`The lease of ${lease?.device ?? ''} has ended`)], stderr).to.deep.equal([
        5,
        true,
      ]);
    });

    it('are given back after SIGTERM, and kept for a while where a failed command is to be looked at', async () => {
      await isReady();
      const ready = join(home, 'ready');
      const script = `touch ${ready}; exec sleep 1000`;
      const calling = startCli(['run', '--no-adb', '--pool', 'ci', '--', 'bash', '-c', script], environment);
      await until(() => existsSync(ready));
      expect(await leases()).to.have.length(1);
      calling.child.kill('SIGTERM');
      expect((await calling.ended).status).to.equal(143);
      await noLeases();
      const kept = await cli('run', '--no-adb', '--keep-on-failure', '--pool', 'ci', '--', 'false');
      expect([kept.status, kept.stderr.includes('stays leased until')]).to.deep.equal([1, true]);
      const [lease] = await leases();
      await good('lease', 'end', lease?.id ?? '');
    });
  });
});

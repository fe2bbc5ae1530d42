import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { failureOf } from '../image-based/testing/image-based-world.js';
import { containerOf, ContainerWorld } from './testing/container-world.js';

describe('phones in containers, when others interfere', function () {
  let world: ContainerWorld;

  before(async function () {
    const started = await ContainerWorld.start();
    if (typeof started === 'string') skip(this, started);
    world = started;
  });
  after(() => (world as ContainerWorld | undefined)?.close());

  it('are not offered while the engine hangs, and go on after it', async () => {
    const { phoneId } = await world.create();
    const at = await world.driver.start(phoneId);
    world.engine.freeze();
    try {
      expect((await world.driver.capacity()).problems?.[0]).to.contain('the container engine does not respond');
      expect(world.driver.capabilities().models).to.deep.equal([]);
      expect(world.driver.capabilities().withheld).to.deep.equal(['stand-in', 'no-image']);
      expect(await failureOf(world.driver.create(world.spec()))).to.contain('cannot run this model now');
      // A hung engine is no reason to report a customer's phone as off.
      const limit = AbortSignal.timeout(2_000);
      expect(await failureOf(world.driver.inspect(phoneId, limit))).to.match(/TimeoutError|aborted/);
      expect(await world.page(at), 'the phone itself').to.contain('ok');
    } finally {
      world.engine.resume();
    }
    expect((await world.driver.capacity()).problems).to.deep.equal([]);
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: at });
    await world.driver.delete(phoneId);
  });

  it('are adopted once an engine goes on that hung while the service started, which it did not hold up', async () => {
    const { phoneId } = await world.create();
    const at = await world.driver.start(phoneId);
    await world.driver.close();
    world.engine.freeze();
    try {
      const begunMs = performance.now();
      world.driver = await world.open();
      // The first try of 5 s, and a measure of 4 s; a call of the engine alone takes up to 30 s.
      expect(performance.now() - begunMs).to.be.lessThan(20_000);
      expect((await world.driver.capacity()).problems?.[0]).to.contain('did not respond within 4 s');
      expect(world.driver.capabilities().models).to.deep.equal([]);
    } finally {
      world.engine.resume();
    }
    await until(async () => (await world.driver.capacity()).problems?.length === 0, 60_000);
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: at });
    expect(await world.page(at)).to.contain('ok');
    await world.driver.delete(phoneId);
  });

  it('are stopped and deleted in the middle of their boot', async () => {
    for (const end of ['stop', 'delete'] as const) {
      const { phoneId } = await world.create();
      await mkdir(join(world.dataOf(phoneId), 'local/tmp'), { recursive: true });
      await writeFile(join(world.dataOf(phoneId), 'local/tmp/simulated-boot-fault'), 'never-boots');
      const given = new AbortController();
      const starting = world.driver.start(phoneId, {
        signal: given.signal,
      });
      // Its init has begun, and takes signals.
      await until(() => existsSync(join(world.dataOf(phoneId), 'simulated/settings.json')));
      given.abort(new Error('given up'));
      const ending = end === 'stop' ? world.driver.stop(phoneId, 'save') : world.driver.delete(phoneId);
      expect(await failureOf(starting)).to.equal('Error: given up');
      await ending;
      expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: end === 'stop' ? 'stopped' : 'absent' });
      await world.driver.delete(phoneId);
    }
    expect(await world.engine.cli('ps', '--all', '--quiet')).to.equal('');
  });

  it('go on when the operator withdraws their model, and start again as they were made', async () => {
    const { phoneId } = await world.create();
    const at = await world.driver.start(phoneId);
    const { model } = world;
    world.model = { ...model, model: 'another', memoryMb: 256, args: [] };
    await world.reopen();
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: at });
    await world.driver.stop(phoneId, 'save');
    const next = await world.driver.start(phoneId);
    expect(await world.shell(next, 'getprop ro.product.model')).to.equal('Stand-in\n');
    expect(await failureOf(world.driver.create(world.spec()))).to.contain('The operator has withdrawn the model');
    await world.driver.delete(phoneId);
    world.model = model;
    await world.reopen();
  });

  it('that use more memory or processes than their model has are held to it, and the reason is reported', async () => {
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    const forks = 'i=0; while [ $i -lt 5000 ]; do busybox sleep 20 & i=$((i+1)); done 2>/dev/null; busybox ps | busybox wc -l'; // prettier-ignore
    await world.inside(phoneId, forks);
    const { pids_stats: pids = {} } = await new Docker({ socketPath: world.engine.socketPath })
      .getContainer(containerOf(phoneId))
      .stats({ stream: false });
    expect(pids.current).to.be.within(400, 500);
    await world.driver.stop(phoneId, 'kill');
    await world.driver.start(phoneId);
    const { changes, end } = world.watch();
    // Ten times its memory.
    const hog =
      'const kept = []; for (let at = 0; at < 5120; at++) kept.push(Buffer.alloc(1 << 20, 1)); console.log(1)';
    expect(await world.inside(phoneId, `node -e "${hog}"`)).not.to.equal('1\n');
    const after = await world.driver.inspect(phoneId);
    expect(after.state).to.be.oneOf(['running', 'stopped']);
    if (after.state === 'stopped') {
      expect(after).to.have.property('reason', 'it used more memory than its model has');
      await until(() => changes.includes(phoneId));
    }
    await end();
    await world.driver.start(phoneId);
    await world.driver.delete(phoneId);
  });
});

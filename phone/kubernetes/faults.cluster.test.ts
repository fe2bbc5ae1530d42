import { expect } from 'chai';
import type { CallSide, Refusal } from '../../testing/kubernetes/api-proxy.js';
import { fastClock } from '../../testing/fast-clock.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { nameOf } from './objects.js';
import { failureOf } from '../image-based/testing/image-based-world.js';
import { KubernetesWorld } from './testing/kubernetes-world.js';

describe('phones in pods, under faults of the API server and of nodes', function () {
  let world: KubernetesWorld;

  before(async function () {
    const started = await KubernetesWorld.start();
    if (typeof started === 'string') skip(this, started);
    world = started;
  });
  after(() => (world as KubernetesWorld | undefined)?.close());
  afterEach(() => void (world.proxy.onCall = () => undefined));

  const stateOf = async (phoneId: string): Promise<string> => (await world.driver.inspect(phoneId)).state;
  const kill = (phoneId: string): void =>
    world.kubelet.podOf(nameOf('phone', phoneId))?.processOf('phone')?.kill('SIGKILL');
  const count = (call: string): number => world.proxy.calls.filter((one) => one === call).length;

  /** Has the first calls of each kind refused, `times` each. */
  function refuse(
    times: number,
    refusal: Refusal,
    isMeant: (call: string) => boolean = () => true,
  ): Map<string, number> {
    const refused = new Map<string, number>();
    world.proxy.onCall = (call: string, side: CallSide) => {
      const before = refused.get(call) ?? 0;
      if (side !== 'asked' || call.startsWith('WATCH') || !isMeant(call) || before === times) return undefined;
      refused.set(call, before + 1);
      return refusal;
    };
    return refused;
  }

  it('outlive an API server that is away, which is reported, and what happens meanwhile is seen afterwards', async () => {
    const [phone, ended] = [await world.create(), await world.create()];
    const at = await world.driver.start(phone.phoneId);
    await world.driver.start(ended.phoneId);
    const { changes, end } = world.watch();
    await world.cluster.stopServer();
    expect(await world.shell(at, 'echo here')).to.equal('here\n');
    expect(await world.page(at)).to.contain('ok');
    kill(ended.phoneId);
    const created = world.spec();
    expect(await failureOf(world.driver.create(created))).to.match(/^(ClusterUnavailable|ApiError): /);
    await until(async () =>
      (await failureOf(world.driver.start(phone.phoneId, { endedIdentity: 'x' }))).startsWith('ClusterUnavailable'),
    );
    const isNotOffered = 'model "stand-in" is not offered: the Kubernetes API does not serve';
    // Measured once for all that ask within 15 s.
    await until(async () => (await world.driver.capacity()).problems?.join().includes(isNotOffered) === true, 40_000);
    await world.cluster.startServer();
    await until(() => changes.includes(ended.phoneId));
    await until(async () => (await stateOf(ended.phoneId)) === 'stopped');
    expect(await world.driver.inspect(phone.phoneId)).to.deep.equal({ state: 'running', endpoint: at });
    await until(async () => (await world.driver.capacity()).problems?.length === 1, 40_000);
    await end();
    await world.driver.start(ended.phoneId);
    for (const { phoneId } of [phone, ended]) await world.driver.delete(phoneId);
  });

  it('fail within the limit of a call while the API server is frozen for 30 s, and stay usable', async () => {
    await world.reopen({ clock: fastClock(10) });
    const { phoneId } = await world.create();
    const at = await world.driver.start(phoneId);
    await world.driver.stop(phoneId, 'save');
    world.cluster.freeze();
    try {
      expect(await failureOf(world.driver.start(phoneId))).to.match(/^(ClusterUnavailable|ApiError): /);
    } finally {
      world.cluster.resume();
    }
    expect((await world.driver.start(phoneId)).identity).not.to.equal(at.identity);
    await world.driver.delete(phoneId);
    await world.reopen();
  });

  it('are listed anew when their watch has expired (410), and a change in the gap is seen', async () => {
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    const { changes, end } = world.watch();
    const lists = count('LIST pods');
    // No watch again before the phone has ended.
    const isBegun = (): boolean =>
      world.kubelet.podOf(nameOf('phone', phoneId))?.processOf('phone')?.exitCode !== undefined;
    world.proxy.onCall = async (call, side) => {
      if (side === 'asked' && /^(LIST|WATCH) pods$/.test(call)) await until(isBegun);
      return undefined;
    };
    world.proxy.expireWatches();
    kill(phoneId);
    await until(() => changes.includes(phoneId));
    expect(count('LIST pods')).to.be.greaterThan(lists);
    expect(await world.driver.inspect(phoneId)).to.deep.equal({
      ...{ state: 'stopped', reason: 'its Android ended with status 137' },
    });
    await end();
    await world.driver.delete(phoneId);
  });

  it('are watched again where the new watch is refused with 410, and with 500', async () => {
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    const { changes, end } = world.watch();
    const statuses = [410, 500, 410];
    world.proxy.onCall = (call, side) => {
      const status = call === 'WATCH pods' && side === 'asked' ? statuses.shift() : undefined;
      return status === undefined ? undefined : { status };
    };
    world.proxy.expireWatches();
    await until(() => statuses.length === 0);
    kill(phoneId);
    await until(() => changes.includes(phoneId));
    await end();
    await world.driver.delete(phoneId);
  });

  it('are made, started and deleted although the API server first refuses each kind of call with 429', async () => {
    const refused = refuse(2, { status: 429, headers: { 'retry-after': '0' } });
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    expect(await stateOf(phoneId)).to.equal('running');
    await world.driver.delete(phoneId);
    for (const call of ['PATCH persistentvolumeclaims', 'PATCH pods', 'DELETE pods', 'DELETE persistentvolumeclaims'])
      expect(refused.get(call), call).to.equal(2);
  });

  it('are made although it first refuses each change with 409, and cuts connections after the change', async () => {
    const refused = refuse(2, { status: 409 }, (call) => call.startsWith('PATCH'));
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    expect(refused.get('PATCH pods')).to.equal(2);
    await world.driver.stop(phoneId, 'save');
    const cut = new Set<string>();
    world.proxy.onCall = (call, side) => {
      if (side !== 'done' || call.startsWith('WATCH') || cut.has(call)) return undefined;
      cut.add(call);
      return 'cut';
    };
    await world.driver.start(phoneId);
    await world.driver.stop(phoneId, 'save');
    expect([...cut]).to.include.members(['PATCH pods', 'GET pods', 'DELETE pods']);
    await world.driver.delete(phoneId);
  });

  it('end with what the API server refuses for longer than it is tried, and are as they were', async () => {
    const { phoneId } = await world.create();
    refuse(Infinity, { status: 429, headers: { 'retry-after': '0' } }, (call) => call === 'PATCH pods');
    expect(await failureOf(world.driver.start(phoneId))).to.match(/^ClusterUnavailable: 429 refused by the test/);
    world.proxy.onCall = () => undefined;
    expect(await stateOf(phoneId)).to.equal('stopped');
    await world.driver.start(phoneId);
    await world.driver.delete(phoneId);
  });

  it('need renewed credentials once theirs have expired, and no restart of the service', async () => {
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    const { changes, end } = world.watch();
    await world.account.expire('first');
    const problem = 'it refuses the credentials (401): renew them in their file';
    await until(async () => (await failureOf(world.driver.stop(phoneId, 'save'))) === `ClusterUnavailable: ${problem}`);
    await world.writeKubeconfig('second');
    world.proxy.expireWatches();
    await world.driver.stop(phoneId, 'save');
    await world.driver.start(phoneId);
    changes.length = 0;
    kill(phoneId);
    await until(() => changes.includes(phoneId));
    await end();
    await world.driver.delete(phoneId);
  });

  it('of two services at the same time are apart: each sees, starts and deletes its own alone', async () => {
    const another = await world.open({ directory: `${world.folder}/another`, owner: 'another' });
    try {
      const [mine, theirs] = [await world.create(), world.spec()];
      await another.create(theirs);
      const { changes, end } = world.watch();
      await Promise.all([world.driver.start(mine.phoneId), another.start(theirs.phoneId)]);
      expect([...(await world.driver.list()).keys()])
        .to.include(mine.phoneId)
        .and.not.include(theirs.phoneId);
      expect([...(await another.list()).keys()]).to.deep.equal([theirs.phoneId]);
      await Promise.all([world.driver.delete(mine.phoneId), another.stop(theirs.phoneId, 'kill')]);
      expect((await another.inspect(theirs.phoneId)).state).to.equal('stopped');
      await another.delete(theirs.phoneId);
      expect(changes).not.to.include(theirs.phoneId);
      await end();
    } finally {
      await another.close();
    }
  });

  it('have one Android at most on their volume, also when two processes of one service start them at the same time', async () => {
    const { phoneId } = await world.create();
    const twin = await world.open();
    let most = 0;
    const started = Promise.allSettled([world.driver.start(phoneId), twin.start(phoneId)]);
    let isOver = false;
    void started.finally(() => (isOver = true));
    await until(() => {
      most = Math.max(most, world.kubelet.running(nameOf('phone', phoneId), 'phone'));
      return isOver;
    });
    expect(most).to.equal(1);
    await twin.close();
    await world.driver.start(phoneId);
    expect(await stateOf(phoneId)).to.equal('running');
    await world.driver.delete(phoneId);
  });

  // The last: the node does not come back.
  it('of a lost node are reported so, start only once it is declared dead, and then on another one', async () => {
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    const another = await world.addNode({ name: 'node-2' });
    await world.reopen({ clock: fastClock(10) });
    world.kubelet.lose();
    await until(async () => (await stateOf(phoneId)) === 'stopped');
    expect(await world.driver.inspect(phoneId))
      .to.have.property('reason')
      .that.contains('DeletionByTaintManager');
    expect(await failureOf(world.driver.start(phoneId))).to.equal(
      "PhoneFailure: Kubernetes does not confirm that the phone's last pod has ended (node node-1). Try again once the node is back, or inform the operator.",
    );
    // The machine is switched off, and an operator declares that.
    kill(phoneId);
    await world.cluster.api.call('DELETE', world.podPath(phoneId), { gracePeriodSeconds: 0 });
    await world.driver.start(phoneId);
    expect(another.podOf(nameOf('phone', phoneId))).not.to.equal(undefined);
    await world.driver.delete(phoneId);
  });
});

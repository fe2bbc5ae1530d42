import { expect } from 'chai';
import type { DumpOutcome } from '../system/system.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

async function opened(component: string, extras: Record<string, string> = {}): Promise<ScreenWorld> {
  const world = new ScreenWorld();
  world.screen.home();
  world.screen.launch({ component, extras });
  await world.settle(400);
  return world;
}

async function dumpTime(world: ScreenWorld, compressed = false): Promise<{ outcome: DumpOutcome; ms: number }> {
  const begunMs = world.clock.monotonicMs();
  let ended: { outcome: DumpOutcome; ms: number } | undefined;
  void world.screen.dump({ compressed }).then((outcome) => {
    ended = { outcome, ms: world.clock.monotonicMs() - begunMs };
  });
  for (let at = 0; at < 1200 && !ended; at++) await world.clock.pass(10, 10);
  if (!ended) throw new Error('the dump never ended');
  return ended;
}

describe('waiting for idle', () => {
  it('takes no time on a screen that has been quiet for a second', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.settle(2000);
    expect((await dumpTime(world)).ms).to.equal(0);
  });

  it('waits until a second after the last change', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.settle(2000);
    world.tap(360, 240);
    const { outcome, ms } = await dumpTime(world);
    expect(outcome.kind).to.equal('xml');
    expect(ms).to.be.within(1000, 1020);
  });

  it('fails after ten seconds while a stopwatch runs, but not when compressed', async () => {
    const world = await opened('com.cloudphone.clock/.Main', { tab: 'stopwatch' });
    await world.tapOn('start_stop');
    const { outcome, ms } = await dumpTime(world);
    expect(outcome).to.deep.equal({ kind: 'not-idle' });
    expect(ms).to.be.within(10_000, 10_020);
    const second = await dumpTime(world, true);
    expect(second.outcome.kind).to.equal('xml');
    expect(second.ms).to.be.within(1000, 1020);
  });

  it('is not held up by a caret or a spinner', async () => {
    for (const screen of ['.Caret', '.Spinner']) {
      const world = await opened(`com.cloudphone.lab/${screen}`);
      await world.settle(2000);
      expect((await dumpTime(world)).ms, screen).to.equal(0);
    }
  });

  it('counts from the end of a coasting list', async () => {
    const world = await opened('com.cloudphone.lab/.List');
    await world.settle(2000);
    world.swipe([360, 1000], [360, 400], 100);
    const coastEndMs = world.screen.settlesAtMs ?? 0;
    const begunMs = world.clock.monotonicMs();
    expect(coastEndMs).to.be.greaterThan(begunMs + 300);
    const { ms } = await dumpTime(world);
    expect(begunMs + ms).to.be.within(coastEndMs + 990, coastEndMs + 1030);
  });

  it('ends when its caller gives up', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    const abort = new AbortController();
    const dumping = world.screen.dump({ compressed: false, signal: abort.signal });
    abort.abort(new Error('enough'));
    const error = await dumping.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error).with.property('message', 'enough');
    expect(world.clock.timers).to.equal(0);
  });

  it('has no root before the launcher is up', async () => {
    const world = new ScreenWorld();
    world.screen.showBoot('system');
    await world.settle(2000);
    expect((await dumpTime(world)).outcome).to.deep.equal({ kind: 'null-root' });
  });
});

import { expect } from 'chai';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import type { TreeDump, TreeSource } from '../tree-source.js';
import type { ResidentServer } from './resident-server.js';
import { ResidentTrees } from './resident-trees.js';

const xml = (text: string) =>
  `<hierarchy rotation="0"><android.widget.TextView text="${text}" hint="h" drawing-order="3" /></hierarchy>`;

function world() {
  const clock = new FakeClock();
  const phone = { clock, inputs: { lastMs: -Infinity }, metrics: { tree: (work: () => unknown) => work() } };
  const world = {
    clock,
    phone,
    isRunning: true,
    sources: [] as string[],
    read: 0,
    lost: 0,
    whenRead: (): void => undefined,
    dumped: 0,
    dump: { tree: undefined, beganMs: 0, endedMs: 0, busy: false } as TreeDump,
  };
  const server = {
    get isRunning() {
      return world.isRunning;
    },
    connect: async () => world.isRunning,
    source: async () => {
      world.read++;
      world.whenRead();
      const next = world.sources.length > 1 ? world.sources.shift() : world.sources[0];
      if (next === undefined) throw new Error('lost');
      return next;
    },
    lose: async () => {
      world.lost++;
      world.isRunning = false;
    },
  };
  const dumps: TreeSource = {
    next: async () => {
      world.dumped++;
      return world.dump;
    },
    hurry: () => undefined,
    usualMs: 1_500,
    aheadMs: 750,
  };
  const trees = new ResidentTrees(phone as unknown as ReachedPhone, server as unknown as ResidentServer, dumps);
  const dumpOf = async (): Promise<TreeDump> => {
    const reading = trees.next({ signal: new AbortController().signal });
    for (let turns = 0; turns < 8; turns++) {
      await settled();
      clock.turn(60);
    }
    return reading;
  };
  const next = async (): Promise<string | undefined> => (await dumpOf()).tree?.roots[0]?.text;
  return Object.assign(world, { trees, dumpOf, next });
}

describe('a source of trees with a resident server', () => {
  it('reads one source of a screen without input', async () => {
    const on = world();
    on.sources = [xml('One')];
    expect(await on.next()).to.equal('One');
    expect(on).to.include({ read: 1, dumped: 0 });
  });

  it('reads on after an input until two sources are the same, and four at the most', async () => {
    const on = world();
    on.phone.inputs.lastMs = on.clock.monotonicMs();
    on.sources = [xml('One'), xml('Two'), xml('Two')];
    expect(await on.next()).to.equal('Two');
    expect(on.read).to.equal(3);
    on.sources = [xml('1'), xml('2'), xml('3'), xml('4'), xml('5')];
    expect(await on.next()).to.equal('4');
  });

  it('has a tree that is as new as the request of an equal one', async () => {
    const on = world();
    on.phone.inputs.lastMs = on.clock.monotonicMs();
    on.sources = [xml('One'), xml('Two'), xml('Two')];
    const { beganMs, readMs = 0 } = await on.dumpOf();
    expect([beganMs, readMs].map((ms) => ms - on.phone.inputs.lastMs)).to.deep.equal([120, 240]);
  });

  it('reads once more where a picture shows a change while two equal sources are read', async () => {
    const on = world();
    on.phone.inputs.lastMs = on.clock.monotonicMs();
    on.sources = [xml('One'), xml('One'), xml('Two'), xml('Two')];
    on.whenRead = () => {
      if (on.read === 2) on.trees.noteChange();
    };
    const { tree, readMs = 0 } = await on.dumpOf();
    expect(tree?.roots[0]?.text).to.equal('Two');
    expect(readMs - on.phone.inputs.lastMs).to.equal(360);
  });

  it('reads four sources at the most of a screen that changes all the time', async () => {
    const on = world();
    on.phone.inputs.lastMs = on.clock.monotonicMs();
    on.sources = [xml('One')];
    on.whenRead = () => on.trees.noteChange();
    await on.dumpOf();
    expect(on.read).to.equal(4);
  });

  it('dumps where the server is lost in the middle, or sends no tree', async () => {
    for (const sources of [[], ['<hierarchy><unended>'], ['<!DOCTYPE h><hierarchy/>'], ['']]) {
      const on = world();
      on.sources = sources;
      await on.next();
      expect(on, sources.join()).to.include({ lost: 1, dumped: 1 });
    }
  });

  it('reads no hints and no drawing order where the phone’s dumps have none', async () => {
    const on = world();
    on.sources = [xml('One')];
    const root = async () => (await on.trees.next({ signal: new AbortController().signal })).tree?.roots[0];
    expect(await root()).to.include({ hint: 'h', drawingOrder: 3 });
    on.isRunning = false;
    const tree = { rotation: 0 as const, roots: [{ drawingOrder: undefined }] };
    on.dump = { ...on.dump, tree } as unknown as TreeDump;
    await root();
    on.isRunning = true;
    expect(await root()).to.include({ hint: '', drawingOrder: undefined });
  });

  it('has the usual time of the source that it uses', async () => {
    const on = world();
    expect(on.trees.usualMs).to.equal(1_500);
    on.sources = [xml('One')];
    await on.next();
    expect(on.trees.usualMs).to.equal(0);
    on.isRunning = false;
    expect(on.trees.usualMs).to.equal(1_500);
  });
});

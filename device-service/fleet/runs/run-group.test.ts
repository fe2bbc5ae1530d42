import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import type { GroupDevice, GroupDocument } from '../../store/groups.js';
import type { FleetContext } from '../fleet-context.js';
import { LostRun, runGroup } from './run-group.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the devices of a group', () => {
  let begun: string[];
  let underWay: number;
  let maxUnderWay: number;
  /** Whether the group is this process's still, once the device is written. */
  let isOurs: (name: string) => boolean | Error;

  beforeEach(() => {
    begun = [];
    underWay = 0;
    maxUnderWay = 0;
    isOurs = () => true;
  });

  /** Runs a group without steps: each device is written once, as done. */
  async function run(count: number, concurrency: number) {
    const note = async (_group: GroupDocument, _index: number, { name }: GroupDevice): Promise<boolean> => {
      begun.push(name);
      maxUnderWay = Math.max(maxUnderWay, ++underWay);
      await turn();
      underWay--;
      const result = isOurs(name);
      if (result instanceof Error) throw result;
      return result;
    };
    const devices = Array.from({ length: count }, (_, index) => ({
      name: `phone-${index}`,
      state: 'waiting',
      step: 0,
    }));
    const group = { _id: 'grp_1', devices, concurrency, onError: 'continue' } as unknown as GroupDocument;
    const context = { clock: new FakeClock(), groups: { note } } as unknown as FleetContext;
    const { signal } = new AbortController();
    return runGroup(context, group, { steps: [], token: '', signal, cancelled: signal });
  }

  it('run in their order, as many at a time as the group has', async () => {
    expect(await run(20, 3)).to.deep.equal({ state: 'done' });
    expect(begun).to.deep.equal(Array.from({ length: 20 }, (_, index) => `phone-${index}`));
    expect(maxUnderWay).to.equal(3);
    expect((await run(2, 50)).state).to.equal('done');
  });

  it('begin no more once another process has the group', async () => {
    isOurs = (name) => name !== 'phone-4';
    const error = await run(20, 3).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(LostRun);
    expect(begun).to.include('phone-4');
    expect(begun).not.to.include('phone-7');
    expect(underWay).to.equal(0);
  });

  it('end with the failure itself, not with that of those that did not begin', async () => {
    const fault = new Error('the document is too large');
    isOurs = () => fault;
    expect(await run(20, 2).catch((thrown: unknown) => thrown)).to.equal(fault);
    expect(begun).to.have.length(2);
  });
});

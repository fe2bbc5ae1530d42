import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { DeviceDocument } from '../../store/device-document.js';
import { ResidentHelpers } from './resident-helpers.js';

const ENDPOINT = { host: '127.0.0.1', port: 5555, identity: 'S/1' };

function world(isOn = true) {
  const clock = new FakeClock();
  const done: string[] = [];
  const world: { clock: FakeClock; done: string[]; respond: () => Promise<never>; helpers: ResidentHelpers } = {
    clock,
    done,
    respond: async () => ({}) as never,
    helpers: new ResidentHelpers({
      isOn,
      clock,
      log: silentLog,
      devices: {
        lend: async (phoneIds, until) => void done.push(`${phoneIds.join()} until ${until.getTime() - clock.now()}`),
      },
      screen: {
        releaseHelpers: ({ phoneIds }) => {
          done.push(`release ${phoneIds?.join() ?? ''}`);
          return world.respond();
        },
      },
    }),
  };
  return world;
}

const device = (change: object) => ({ _id: 'ph_1', endpoint: ENDPOINT, ...change }) as unknown as DeviceDocument;

describe('helper programs on phones', () => {
  it('may run on phones that the service makes, and on those of the operator that are listed so', () => {
    const { helpers } = world();
    expect(helpers.mayRun(device({}))).to.equal(true);
    expect(helpers.mayRun(device({ slot: 'bench' }))).to.equal(false);
    expect(helpers.mayRun(device({ slot: 'bench', endpoint: { ...ENDPOINT, helpers: true } }))).to.equal(true);
  });

  it('may run nowhere where the operator has turned them off', () => {
    const { helpers } = world(false);
    expect(helpers.mayRun(device({}))).to.equal(false);
    expect(helpers.mayRun(device({ slot: 'bench', endpoint: { ...ENDPOINT, helpers: true } }))).to.equal(false);
  });

  it('may not run while a snapshot is taken, and run during other work', () => {
    const { helpers } = world();
    expect(helpers.mayRun(device({ job: { work: { kind: 'snapshot' } } }))).to.equal(false);
    expect(helpers.mayRun(device({ job: { work: { kind: 'install' } } }))).to.equal(true);
  });

  it('may not run for a minute after the phone was lent', () => {
    const { helpers, clock } = world();
    const lent = device({ adbLentUntil: new Date(clock.now() + 60_000) });
    clock.turn(59_999);
    expect(helpers.mayRun(lent)).to.equal(false);
    clock.turn(1);
    expect(helpers.mayRun(lent)).to.equal(true);
  });

  it('end on phones that are lent, which is written first', async () => {
    const { helpers, done } = world();
    await helpers.lend(['ph_1', 'ph_2']);
    expect(done).to.deep.equal(['ph_1,ph_2 until 60000', 'release ph_1,ph_2']);
  });

  it('hold up no ADB client and no snapshot where the screen service does not respond', async () => {
    const failing = world();
    failing.respond = () => Promise.reject(new ApiError('unavailable', 'gone'));
    await failing.helpers.release(['ph_1']);
    expect(failing.done).to.deep.equal(['release ph_1']);
    const none = new ResidentHelpers({ isOn: true, clock: failing.clock, log: silentLog, screen: undefined, devices: { lend: async () => undefined } }); // prettier-ignore
    await none.release(['ph_1']);
  });

  it('are asked for nothing where they are off; a lend is noted as a use', async () => {
    const { helpers, done } = world(false);
    await helpers.lend(['ph_1']);
    await helpers.release(['ph_1']);
    expect(done).to.deep.equal(['ph_1 until 60000']);
  });
});

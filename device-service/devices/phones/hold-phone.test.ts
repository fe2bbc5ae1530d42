import { expect } from 'chai';
import type { HeldFiles, PhoneDriver, UseFiles } from '../../../phone/driver.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { MAX_HOLD_MS, ORPHAN_GRACE_MS } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import { holdPhone } from './hold-phone.js';
import { PhoneDrivers } from './phone-drivers.js';

describe('a phone that is held', () => {
  let clock: FakeClock;
  let isStill: boolean;
  let device: Partial<DeviceDocument> | null;
  const files: HeldFiles[] = [{ place: '', path: '/data/phones/ph_1' }];

  beforeEach(() => {
    clock = new FakeClock();
    isStill = false;
    device = { _id: 'ph_1', name: 'one', hostId: 'here', driver: 'able' };
  });

  const keepStill = async (_: string, use: UseFiles): Promise<void> => {
    isStill = true;
    try {
      await use(files);
    } finally {
      isStill = false;
    }
  };
  const drivers = new PhoneDrivers([{ kind: 'able', keepStill } as Partial<PhoneDriver> as PhoneDriver]);
  function held(signal: AbortSignal): ReturnType<typeof holdPhone> {
    const devices = { findById: () => Promise.resolve(device) } as Partial<DeviceStore> as DeviceStore;
    return holdPhone({ devices, drivers, hostId: 'here', clock }, 'ph_1', signal);
  }
  const failure = async (): Promise<string> =>
    held(new AbortController().signal)
      .next()
      .then(
        () => 'it was held',
        (error: unknown) => String(error),
      );

  it('goes on when the caller is gone', async () => {
    const caller = new AbortController();
    const stream = held(caller.signal);
    expect((await stream.next()).value).to.deep.equal({ files });
    expect(isStill).to.equal(true);
    const end = stream.next();
    caller.abort();
    expect((await end).done).to.equal(true);
    expect(isStill).to.equal(false);
  });

  it('goes on after its time, which is less than that of the sweep of snapshots', async () => {
    const stream = held(new AbortController().signal);
    await stream.next();
    const end = stream.next();
    await clock.pass(MAX_HOLD_MS, MAX_HOLD_MS);
    expect((await end).done).to.equal(true);
    expect(isStill).to.equal(false);
    expect(MAX_HOLD_MS).to.be.lessThan(ORPHAN_GRACE_MS);
  });

  it('is refused where it is not here, at work, or of a kind that cannot be held', async () => {
    device = { ...device, driver: 'other' };
    expect(await failure()).to.contain('cannot be kept still');
    device = { ...device, job: { id: 'j' } as DeviceDocument['job'] & object };
    expect(await failure()).to.contain('A job is at work on "one"');
    device = { ...device, hostId: 'there' };
    expect(await failure()).to.contain('There is no phone');
    device = null;
    expect(await failure()).to.contain('There is no phone');
  });
});

import { expect } from 'chai';
import { FakeDriver } from '../../../test/fake-driver.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { takeStep } from './take-step.js';

describe('the restore of a phone', () => {
  for (const [to, forgetIdentity] of [
    [{ snapshot: 'snap_1' }, false],
    [{ template: 'tpl_1' }, true],
  ] as const)
    it(`to a ${Object.keys(to)[0]} ${forgetIdentity ? 'forgets' : 'keeps'} the identity in it`, async () => {
      const driver = new FakeDriver();
      const restored: unknown[] = [];
      driver.snapshots.restore = async (phoneId, id, options) =>
        void restored.push([phoneId, id, options?.forgetIdentity]);
      const device = { _id: 'ph_1', job: to as Partial<Job> } as DeviceDocument;
      const prepareExit = (): Promise<never> => Promise.reject(new Error('a restore needs no exit'));
      const parts = { driver, clock: new FakeClock(), prepareExit };
      const options = { signal: new AbortController().signal, onProgress: () => undefined, maxMs: 60_000 };
      expect(await takeStep(parts, 'restore', device, options)).to.deep.equal({ state: 'stopped' });
      expect(restored).to.deep.equal([['ph_1', Object.values(to)[0], forgetIdentity]]);
    });
});

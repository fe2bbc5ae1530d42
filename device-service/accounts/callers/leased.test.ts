import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { DeviceHandover } from '../../store/handover.js';
import type { DeviceLease } from '../../store/lease.js';
import { type Leasable, refusalOf } from './leased.js';

describe('a phone that somebody else has', () => {
  const at = new Date(0);
  const lease = {
    id: 'lse_1',
    keyId: 'key_ci',
    name: 'ci',
    note: 'release 7',
    begunAt: at,
    expiresAt: at,
  } as DeviceLease;
  const handover = {
    ...{ id: 'hnd_1', reason: 'Type the code', shareId: 'shr_2' },
    requestedBy: { name: 'agent' },
  } as DeviceHandover;
  const viewer = create(CallerSchema, { keyId: 'shr_1', sharedPhoneId: 'ph_1', sharedBy: 'key_1' });
  const key = create(CallerSchema, { keyId: 'key_1' });

  for (const [what, device, words] of [
    ['by a lease', { name: 'demo', lease }, ['ci', 'release 7']],
    ['by a hand-over', { name: 'demo', handover }, ['agent', 'Type the code', 'hnd_1']],
  ] as [string, Leasable, string[]][])
    it(`${what} is refused with its reason to keys, and without it to viewers of a share`, () => {
      for (const word of words) {
        expect(refusalOf(device, key)).to.contain(word);
        expect(refusalOf(device, viewer)).to.be.a('string').and.not.contain(word);
      }
    });

  it('as the person of its hand-over is not refused', () => {
    const person = create(CallerSchema, { keyId: 'shr_2', sharedPhoneId: 'ph_1', sharedBy: 'key_1' });
    expect(refusalOf({ name: 'demo', handover }, person)).to.equal(undefined);
  });
});

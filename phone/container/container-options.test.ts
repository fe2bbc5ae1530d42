import { expect } from 'chai';
import type { ContainerModel } from '../image-based/model.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import { containerOptions } from './container-options.js';

const MODEL: ContainerModel = {
  ...{ model: 'redroid-14', name: 'Android 14', android: ['14'], screen: { width: 720, height: 1280, density: 320 } },
  ...{ driver: 'container', image: 'redroid', memoryMb: 2_048, cpus: 1.5, diskMb: 8_192, bootLimitS: 60, pids: 4_096 },
  ...{ adbPort: 5555, args: ['ro.a=b'], privileged: false, capabilities: ['SYS_ADMIN'], binder: true },
};
const PHONE = {
  phoneId: 'ph_1',
  name: 'one',
  serial: 'CP1',
  digest: 'sha256:1',
  data: '/data/ph_1',
} as ImageBasedPhone;

const AT = { image: 'sha256:1', owner: 'owner' };

describe('the container of a phone', () => {
  it('gets the words of its model after those of the service', () => {
    const words = (model: ContainerModel): string => containerOptions(PHONE, model, AT).Cmd?.join(' ') ?? '';
    expect(words(MODEL)).to.match(/^androidboot\.redroid_width=720 .*androidboot\.serialno=CP1 ro\.a=b$/);
    expect(words({ ...MODEL, gpu: 'guest' })).to.match(/ androidboot\.redroid_gpu_mode=guest ro\.a=b$/);
  });

  it('has the limits of its model, and no capability that the model does not name', () => {
    const { HostConfig: host } = containerOptions(PHONE, MODEL, AT);
    expect(host).to.include({ Memory: 2 * 1024 ** 3, MemorySwap: 2 * 1024 ** 3, NanoCpus: 1.5e9, PidsLimit: 4_096 });
    expect(host).to.deep.include({ Privileged: false, CapAdd: ['SYS_ADMIN'] });
  });
});

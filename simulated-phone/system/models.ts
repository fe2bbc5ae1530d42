import type { PhoneModel } from '../../phone/driver.js';

/** The models of simulated phones. Memory is the amount that the phone reports, not its use of the host's memory. */
export const simulatedModels: readonly PhoneModel[] = [
  {
    model: 'phone-720p',
    name: 'Phone 720p',
    android: ['14', '13', '12', '11'],
    screen: { width: 720, height: 1280, density: 320 },
    memoryMb: 2048,
  },
  {
    model: 'phone-1080p',
    name: 'Phone 1080p',
    android: ['14', '13', '12', '11'],
    screen: { width: 1080, height: 2400, density: 420 },
    memoryMb: 4096,
  },
];

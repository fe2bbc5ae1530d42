import { systemClock } from '../../kit/async/clock.js';
import { demand } from '../demand.js';
import { statusOf } from '../status-of.js';
import type { Row } from '../row.js';
import { MAIN } from './life.js';

/** How long the service may take to stop the phone after the end of its lease, ms, in addition to the stop itself. */
const ENDED_MS = 10_000;

/** The phone is leased, used and released; the end of the lease stops it. */
export const leases: Row = {
  name: 'lease, and a stop at its end',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const body = { device: phone.name, ttl_s: 600, at_end: 'stop', note: 'check-phones' } as const;
    const { lease } = await phones.api.post('/v1/leases', { body });
    const second = await phones.api.post('/v1/leases', { body }).then(() => 201, statusOf);
    demand(second === 409, `a second lease of the phone is ${second}, not 409`);
    await phone.screenshot();
    await phones.api.delete('/v1/leases/{id}', { params: { path: { id: lease.id } } });
    const endedMs = performance.now();
    for (;;) {
      const { state, job } = await phone.device();
      if (state === 'stopped') break;
      demand(job !== undefined || performance.now() - endedMs < ENDED_MS, `the phone is ${state} after its lease`);
      if (job !== undefined) await phone.waitForJob(job);
      else await systemClock.sleep(200);
    }
    await phone.start();
    return '';
  },
};

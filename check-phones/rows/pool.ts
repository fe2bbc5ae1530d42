import { systemClock } from '../../kit/async/clock.js';
import { CheckedPhone } from '../checked-phone.js';
import type { CheckedPhones } from '../checked-phones.js';
import { demand } from '../demand.js';
import { NotOffered, type Row } from '../row.js';

/** How long the pool may take to make its phone and to delete it, ms, in addition to the boot. */
const OPERATION_MS = 180_000;

/** The pool makes a phone, a lease gets it while it runs, and the end of the lease deletes it. */
export const pools: Row = {
  name: 'pool, and a lease of its phone',
  run: async (phones) => {
    const { api, options } = phones;
    if (phones.model.driver === 'attached') throw new NotOffered('pools make phones, and attached phones are not made');
    const name = phones.nameOf('pool');
    const { model, android, bootLimitS } = options;
    const params = { path: { name } };
    const phone = { model, ...(android !== undefined && { android }) };
    await api.put('/v1/pools/{name}', { params, body: { ...(await phones.terms()), ...phone, ready: 1, most: 1 } });
    const untilMs = performance.now() + bootLimitS * 1_000 + OPERATION_MS;
    try {
      await readyBy(phones, name, untilMs);
      const { lease, device } = await api.post('/v1/leases', { body: { pool: name, ttl_s: 600 } });
      demand(device.state === 'running', `the phone that was ready is ${device.state}`);
      await new CheckedPhone(api, phones.adb, device.name, options).screenshot();
      await api.delete('/v1/leases/{id}', { params: { path: { id: lease.id } } });
      while ((await phones.statusOf(device.name)) !== 404) {
        demand(performance.now() < untilMs, 'the phone is there long after its lease');
        await systemClock.sleep(500);
      }
    } finally {
      await api.delete('/v1/pools/{name}', { params });
      await emptiedBy(phones, name, untilMs);
    }
    return '';
  },
};

async function readyBy({ api }: CheckedPhones, name: string, untilMs: number): Promise<void> {
  for (;;) {
    const { pool } = await api.get('/v1/pools/{name}', { params: { path: { name } } });
    if (pool.phones.ready === 1) return;
    demand(performance.now() < untilMs, `the pool has no phone yet: ${pool.problem?.message ?? 'no reason is given'}`);
    await systemClock.sleep(500);
  }
}

/** Waits until the phones that the deleted pool leaves are deleted. */
async function emptiedBy({ api }: CheckedPhones, name: string, untilMs: number): Promise<void> {
  for (;;) {
    const { devices } = await api.get('/v1/devices', { params: { query: { limit: 200 } } });
    if (!devices.some(({ pool }) => pool === name)) return;
    demand(performance.now() < untilMs, 'the phones of the deleted pool are there still');
    await systemClock.sleep(500);
  }
}

import { expect } from 'chai';
import { startWorld, type World } from '../world.js';

const DEVICE = { model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute', start: false };

describe('an account at its quotas', () => {
  let world: World;
  before(async () => (world = await startWorld({ quotas: { devices: 2, storageBytes: 1e9 } })));
  after(() => world.close());

  it('shows what it has, and is refused more of it until something is deleted', async () => {
    for (const name of ['one', 'two']) {
      const response = await world.api.post('/v1/devices', { ...DEVICE, name });
      expect(response.status, response.bytes.toString()).to.equal(202);
      await world.api.get(`/v1/jobs/${(response.body.job as { id: string }).id}?wait_s=30`);
    }
    const account = (await world.api.get('/v1/account')).body.account as { quotas: unknown };
    expect(account.quotas).to.deep.equal({ devices: { used: 2, most: 2 }, storage_bytes: { used: 0, most: 1e9 } });
    const refused = await world.api.post('/v1/devices', { ...DEVICE, name: 'three' });
    expect(refused.status).to.equal(403);
    expect(refused.body).to.include({ error: 'forbidden' });
    expect(refused.body.message).to.contain('2 of the 2 devices');
    const gone = await world.api.delete('/v1/devices/one');
    await world.api.get(`/v1/jobs/${(gone.body.job as { id: string }).id}?wait_s=30`);
    expect((await world.api.post('/v1/devices', { ...DEVICE, name: 'three' })).status).to.equal(202);
  });
});

describe('an account whose storage is used up', () => {
  let world: World;
  before(async () => (world = await startWorld({ quotas: { devices: 1, storageBytes: 1 } })));
  after(() => world.close());

  it('is refused more snapshots, by the name of the quota', async () => {
    const made = await world.api.post('/v1/devices', { ...DEVICE, name: 'one' });
    await world.api.get(`/v1/jobs/${(made.body.job as { id: string }).id}?wait_s=30`);
    const first = await world.api.post('/v1/devices/one/snapshots', { label: 'first' });
    await world.api.get(`/v1/jobs/${(first.body.job as { id: string }).id}?wait_s=30`);
    const refused = await world.api.post('/v1/devices/one/snapshots', { label: 'second' });
    expect(refused.status, refused.bytes.toString()).to.equal(403);
    expect(refused.body).to.include({ error: 'forbidden' });
    expect(refused.body.message).to.contain('quota "storage_bytes"');
  });
});

import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';
import type { Called } from './program.js';

const NOTES = 'com.cloudphone.notes';

describe('cloudphone crashes', () => {
  let world: World;
  const call = (...words: string[]): Promise<Called> =>
    callCli(words, { CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: world.key });

  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'demo' });
  });
  after(() => world.close());

  it('lists the crashes of a phone, and prints the trace of one', async () => {
    expect((await call('crashes', 'demo')).stdout).to.equal('No crashes.\n');
    await world.api.post('/v1/devices/demo/act', { open_app: { app: NOTES } });
    const device = await world.database.collection('devices').findOne({ name: 'demo' });
    await world.phones.setFaults(String(device?._id), { appFailure: { package: NOTES, failure: 'native' } }, false);
    await until(async () => (await world.api.get('/v1/devices/demo/crashes')).body.crashes.length > 0);
    const [{ id, trace }] = (await world.api.get('/v1/devices/demo/crashes')).body.crashes;
    const { stdout } = await call('crashes', 'demo');
    expect(stdout).to.match(/^ID +AT +KIND +PACKAGE +REASON/);
    expect(stdout).to.contain(`${id} `).and.to.contain(' native ').and.to.contain('signal 11 (SIGSEGV)');
    const { crashes } = JSON.parse((await call('crashes', 'demo', '--json')).stdout);
    expect(crashes).to.deep.equal((await world.api.get('/v1/devices/demo/crashes')).body.crashes);
    expect((await call('crashes', 'demo', id as string)).stdout).to.equal(`${trace as string}\n`);
    const unknown = await call('crashes', 'demo', 'crs_none');
    expect([unknown.status, unknown.stderr.includes('There is no crash crs_none of demo')]).to.deep.equal([2, true]);
  });
});

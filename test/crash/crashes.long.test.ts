import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { EventReader } from '../events/event-reader.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { AdbClient } from '../relay/adb-client.js';
import { RestClient } from '../rest-client.js';

const START = new URL('../../start.js', import.meta.url).pathname;
const ROUNDS = 4;

describe('crashes of apps while the service is killed', function () {
  let directory: string;
  let adb: AdbClient;
  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-crashes-'));
    adb = await AdbClient.start();
  });
  after(async () => {
    if (!AdbClient.isThere()) return;
    await adb.close();
    await removeData(directory);
  });

  it('are neither lost nor doubled, in the list and in the events', async () => {
    let service: Installation = await startInstallation({ directory, start: START });
    const connect = () => new RestClient(service.baseUrl.replace(/\/v1$/, ''), service.key);
    let api = connect();
    await api.createPhone({ name: 'phone' });
    const reader = await EventReader.open(
      service.baseUrl.replace(/\/v1$/, ''),
      { authorization: `Bearer ${service.key}` },
      { query: '?types=app.crashed' },
    );
    const { lastId } = reader;
    reader.close();
    const apps = ['notes', 'clock', 'settings', 'browser'].map((name) => `com.cloudphone.${name}`);
    for (const [round, app] of apps.slice(0, ROUNDS).entries()) {
      const relay = (await api.post('/v1/devices/phone/adb', { allow: ['127.0.0.1'] })).body.adb;
      const serial = `127.0.0.1:${relay.port as number}`;
      // The connection of the round before may not be known to be dead yet.
      await adb.run('disconnect');
      await adb.run('connect', serial);
      await adb.run('-s', serial, 'shell', 'service-login', relay.code as string);
      await adb.run('-s', serial, 'shell', `am start -n ${app}/.Main; am crash ${app}`);
      // The first kills come before the crash is reported, the last ones while its event is on its way.
      if (round > 0) await new Promise((resolve) => setTimeout(resolve, round * 12));
      await service.kill();
      service = await startInstallation({ directory, start: START });
      api = connect();
      await until(async () => (await api.get('/v1/devices/phone')).body.device.state === 'running');
    }
    const list = async (): Promise<{ id: string; package: string }[]> =>
      (await api.get('/v1/devices/phone/crashes')).body.crashes;
    await until(async () => (await list()).length >= ROUNDS);
    const listed = await list();
    expect(listed.map((one) => one.package).toSorted()).to.deep.equal(apps.toSorted());
    const after = await EventReader.open(
      service.baseUrl.replace(/\/v1$/, ''),
      { authorization: `Bearer ${service.key}` },
      { query: `?types=app.crashed&last_event_id=${lastId}` },
    );
    const events = await after.have(ROUNDS);
    after.close();
    const ids = events.map(({ data }) => (JSON.parse(data) as { crash: string }).crash);
    expect(ids.toSorted()).to.deep.equal(listed.map(({ id }) => id).toSorted());
    await service.kill();
  });
});

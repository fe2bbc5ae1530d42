import { expect } from 'chai';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { EventReader } from '../events/event-reader.js';
import { AdbClient } from '../relay/adb-client.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const NOTES = 'com.cloudphone.notes';
const INDUCED = 'android.app.RemoteServiceException$CrashedByAdbException: shell-induced crash';

type Body = Answer['body'];

describe('crashes of apps over REST', function () {
  let world: World;
  let adb: AdbClient;
  let events: EventReader;
  let isOpen = false;
  /** The address of the phone at the relay: the service itself does nothing with the phone here. */
  let serial: string;

  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    isOpen = true;
    world = await startWorld();
    await world.api.createPhone({ name: 'phone' });
    await world.api.ask('PATCH', '/v1/devices/phone', { timeline: true });
    adb = await AdbClient.start();
    const relay = (await world.api.post('/v1/devices/phone/adb', { allow: ['127.0.0.1'] })).body.adb;
    serial = `127.0.0.1:${relay.port as number}`;
    await adb.run('connect', serial);
    await adb.run('-s', serial, 'shell', 'service-login', relay.code as string);
    events = await EventReader.open(
      world.mesh.url,
      { authorization: `Bearer ${world.key}` },
      { path: '/v1/events', query: '?types=app.crashed,app.not_responding' },
    );
  });
  after(async () => {
    if (!isOpen) return;
    events.close();
    await adb.close();
    await world.close();
  });

  const shell = (command: string) => adb.run('-s', serial, 'shell', command);
  const open = (app = NOTES) => shell(`am start -n ${app}/.Main`);
  const list = async (query = ''): Promise<Body[]> =>
    (await world.api.get(`/v1/devices/phone/crashes${query}`)).body.crashes;
  const crashes = async (count: number): Promise<Body[]> => {
    let found: Body[] = [];
    await until(async () => (found = await list()).length >= count);
    return found;
  };
  const seen = (): Body[] => events.events.map(({ data }) => JSON.parse(data));

  it('shows a crash on a phone that only a stock adb uses: in the list, as an event, and in the timeline', async () => {
    expect(await list()).to.deep.equal([]);
    await open();
    await shell(`am crash ${NOTES}`);
    const [crash] = await crashes(1);
    expect(crash).to.have.all.keys('id', 'at', 'kind', 'package', 'reason', 'trace');
    expect(crash).to.include({ kind: 'java', package: NOTES, reason: INDUCED });
    expect(crash?.id).to.match(/^crs_[0-9a-z]{25}$/);
    expect(crash?.trace).to.match(/^FATAL EXCEPTION: main\nProcess: com\.cloudphone\.notes, PID: \d+\nandroid\.app/);
    expect(Math.abs(Date.parse(crash?.at as string) - Date.now())).to.be.below(60_000);
    await until(() => seen().length === 1);
    expect(seen()[0]).to.deep.equal({
      ...{ event: 'app.crashed', ts: crash?.at, phone: 'phone', crash: crash?.id },
      ...{ package: NOTES, at: crash?.at, process: NOTES, reason: INDUCED },
    });
    let entries: Body[] = [];
    await until(
      async () => (entries = (await world.api.get('/v1/devices/phone/timeline?kind=crash')).body.entries).length > 0,
    );
    expect(entries[0]).to.deep.include({ kind: 'crash', key: 'service', app: NOTES, outcome: 'crashed' });
    expect(entries[0]?.request).to.deep.equal({ crash: crash?.id, type: 'java', process: NOTES, reason: INDUCED });
  });

  it('has one of a process and minute, however often it crashes', async () => {
    const settings = 'com.cloudphone.settings';
    for (let at = 0; at < 10; at++) await shell(`am start -n ${settings}/.Main; am crash ${settings}`);
    await until(async () => (await list()).some((one) => one.package === settings));
    // A crash of another app comes after all of these.
    await open('com.cloudphone.clock');
    await shell('am crash --native com.cloudphone.clock');
    await until(async () => (await list()).some((one) => one.kind === 'native'));
    const some = await list();
    expect(some.filter((one) => one.package === settings).length)
      .to.be.at.most(2)
      .and.at.least(1);
    expect(some[0]).to.include({ kind: 'native', package: 'com.cloudphone.clock' });
    expect(some[0]?.reason).to.match(/^signal 11 \(SIGSEGV\), code 1 \(SEGV_MAPERR\)/);
    await until(() => seen().length === some.length);
    // Home takes the dialog of an app that keeps stopping away.
    await shell('input keyevent HOME');
  });

  it('pages as other lists do, newest first', async () => {
    const all = await list();
    const first = (await world.api.get('/v1/devices/phone/crashes?limit=1')).body;
    expect(first.crashes).to.deep.equal(all.slice(0, 1));
    const second = await list(`?limit=1&cursor=${first.next_cursor as string}`);
    expect(second).to.deep.equal(all.slice(1, 2));
    expect((await world.api.get('/v1/devices/none/crashes')).status).to.equal(404);
    expect((await world.api.get('/v1/devices/phone/crashes?limit=201')).status).to.equal(400);
  });

  it('shows an app that does not respond as its own type of event, with the dialog on the screen', async () => {
    await open('com.cloudphone.messages');
    await shell('am hang com.cloudphone.messages');
    await shell('input tap 300 600');
    await until(async () => (await list()).some(({ kind }) => kind === 'anr'));
    const [anr] = await list();
    expect(anr).to.include({ kind: 'anr', package: 'com.cloudphone.messages' });
    await until(() => seen().some(({ event }) => event === 'app.not_responding'));
    const closed = await world.api.post('/v1/devices/phone/act', { steps: [{ tap: { text: 'Close app' } }] });
    expect(closed.body).to.include({ steps_done: 1 });
    expect(closed.body.observation.app).to.equal('com.cloudphone.launcher');
    expect(closed.body.warnings).to.deep.equal([]);
  });

  it('warns the act under which the app in front crashed, with the id of the crash', async () => {
    const browser = 'com.cloudphone.browser';
    await open(browser);
    await until(async () => {
      const { body } = await world.api.get('/v1/devices/phone/observe?screenshot=none');
      return body.observation.app === browser;
    });
    const acting = world.api.post('/v1/devices/phone/act', {
      steps: [{ wait: {}, expect: { app: 'com.cloudphone.launcher' } }],
      timeout_ms: 20_000,
    });
    await shell(`sleep 4; am crash ${browser}`);
    const { body } = await acting;
    const crash = (await list()).find((one) => one.package === browser);
    expect(body.warnings).to.deep.equal([
      { warning: 'app_crashed', crash: crash?.id, package: browser, reason: INDUCED },
    ]);
  });

  it('warns the act of a caller that does not know which app is in front', async () => {
    const clock = 'com.cloudphone.clock';
    await shell(`am start -W -n ${clock}/.Main`);
    const acting = world.api.post('/v1/devices/phone/act', {
      steps: [{ wait: {}, expect: { app: 'com.cloudphone.launcher' } }],
      ...{ observe: 'none', timeout_ms: 20_000 },
    });
    await shell(`sleep 4; am crash --native ${clock}`);
    const { warnings } = (await acting).body;
    expect(warnings).to.have.lengthOf(1);
    expect(warnings[0]).to.include({ warning: 'app_crashed', package: clock });
  });

  it('does not warn an act under which another app crashed, in the background', async () => {
    await open(NOTES);
    await shell('am start -n com.cloudphone.settings/.Main');
    const acting = world.api.post('/v1/devices/phone/act', {
      steps: [{ wait: {} }],
      settle_ms: 2_500,
      timeout_ms: 9_000,
    });
    await shell(`sleep 1; am crash ${NOTES}`);
    expect((await acting).body.warnings).to.deep.equal([]);
  });

  it('go with their device', async () => {
    await world.api.createPhone({ name: 'gone' });
    const phoneId = (await world.database.collection('devices').findOne({ name: 'gone' }))?._id;
    await until(async () => (await world.database.collection('crashes').countDocuments({ eventPending: true })) === 0);
    await world.database
      .collection<{ _id: string }>('crashes')
      .insertOne({ _id: 'crs_left', phoneId, slot: 'left' } as never);
    await world.api.done(await world.api.delete('/v1/devices/gone'));
    await until(async () => (await world.database.collection('crashes').countDocuments({ phoneId })) === 0);
    expect((await list()).length).to.be.above(0);
  });
});

import { expect } from 'chai';
import sharp from 'sharp';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { AdbClient } from '../relay/adb-client.js';
import { shellOf } from '../network/phone-shell.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

type Entry = Answer['body'];

describe('the timeline over REST', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'phone' });
    await world.api.createPhone({ name: 'other', start: false });
  });
  after(() => world.close());

  const path = '/v1/devices/phone/timeline';
  const switchTo = (timeline: boolean) => world.api.ask('PATCH', '/v1/devices/phone', { timeline });
  const act = (body: unknown): Promise<Answer> => world.api.post('/v1/devices/phone/act', body);
  const list = async (query = ''): Promise<Entry[]> => (await world.api.get(`${path}${query}`)).body.entries;
  /** The entries, newest first, once there are so many. */
  const entries = async (count: number, query = ''): Promise<Entry[]> => {
    let found: Entry[] = [];
    await until(async () => (found = await list(query)).length >= count);
    return found;
  };
  /** A timeline with nothing in it, that is on. */
  const begin = async (): Promise<void> => {
    await switchTo(true);
    await world.api.delete(path);
  };

  it('is off at first, is switched by a control key alone, and shows on the device', async () => {
    expect((await world.api.get('/v1/devices/phone')).body.device.timeline).to.equal(false);
    expect((await act({ key: { name: 'home' } })).status).to.equal(200);
    const on = await switchTo(true);
    expect([on.status, on.body.device.timeline, on.body.device.labels]).to.deep.equal([200, true, {}]);
    expect(await list()).to.deep.equal([]);
    expect((await switchTo(false)).body.device.timeline).to.equal(false);
    expect((await world.api.get('/v1/devices/phone')).body.device.timeline).to.equal(false);
  });

  it('keeps steps with their request, outcome, pictures and changed elements', async () => {
    await begin();
    const { body } = await act({ open_app: { app: 'Notes' } });
    const [entry] = await entries(1);
    expect(entry).to.deep.include({ kind: 'act', outcome: 'done', settled: body.settled, app: body.observation.app });
    expect(entry?.request).to.deep.equal({ open_app: { app: 'Notes' } });
    expect(entry?.duration_ms).to.be.greaterThan(100);
    expect(entry?.changed).to.contain('New note');
    const pictures = await Promise.all([entry?.before, entry?.after].map((one: string) => world.api.get(one)));
    for (const { status, headers, bytes } of pictures) {
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'image/webp']);
      const { format, width, height } = await sharp(bytes).metadata();
      expect([format, width, height]).to.deep.equal(['webp', 270, 480]);
    }
    expect(pictures[0]?.bytes.equals(pictures[1]?.bytes ?? Buffer.alloc(0))).to.equal(false);
  });

  it('keeps a step that failed with the kind and text of its error', async () => {
    await begin();
    const refused = await act({ tap: { text: 'There is no such button' } });
    expect(refused.status).to.equal(404);
    const [entry] = await entries(1);
    expect(entry).to.include({ kind: 'act', outcome: 'not_found', message: refused.body.message });
    expect(entry).not.to.have.property('steps_done');
  });

  it('keeps how many steps of an act were done before one failed', async () => {
    await begin();
    const steps = [{ open_app: { app: 'Settings' } }, { key: { name: 'home' } }, { tap: { text: 'No such button' } }];
    const { body } = await act({ steps, timeout_ms: 20_000 });
    expect(body).to.deep.include({ steps_done: 2 });
    const [entry] = await entries(1);
    expect(entry).to.include({ kind: 'act', outcome: body.failed.error, steps_done: 2 });
  });

  it('keeps raw input and actions with the screen a moment later', async () => {
    await begin();
    await world.api.post('/v1/devices/phone/action', { open_app: { app: 'Settings' } });
    const [action] = await entries(1);
    expect(action).to.deep.include({ kind: 'action', outcome: 'done', request: { open_app: { app: 'Settings' } } });
    expect((await world.api.get(action?.after)).status).to.equal(200);
    await world.api.post('/v1/devices/phone/input', { events: [{ key: { name: 'home' } }] });
    const [input] = await entries(2);
    expect(input).to.deep.include({ kind: 'input', request: { events: [{ key: { name: 'home' } }] } });
  });

  it('keeps text where its field shows it, and neither secrets nor passwords', async () => {
    await begin();
    const steps = [{ open_app: { app: 'Notes' } }, { tap: { text: 'New note', role: 'button' } }];
    expect((await act({ steps })).body.failed).to.equal(undefined);
    await act({ type: { text: 'Groceries', target: { text: 'Title' } } });
    await act({ type: { text: 'hunter2-secret', secret: true, target: { text: 'Note' } } });
    await act({ expect: { text: 'hunter2-secret' }, wait: {}, timeout_ms: 300 });
    await world.api.post('/v1/devices/phone/action', { type: { text: 'typed blindly' } });
    await world.api.post('/v1/devices/phone/input', { events: [{ text: { text: 'blind again' } }] });
    const found = await entries(6);
    expect(found.find(({ request }) => request.type?.text === 'Groceries')).to.include({ outcome: 'done' });
    for (const secret of ['hunter2', 'blind'])
      expect(found.filter((entry) => JSON.stringify(entry).includes(secret))).to.deep.equal([]);
    expect(found.map(({ request }) => request.type?.characters)).to.include.members([14, 13]);
    expect(found.find(({ kind }) => kind === 'input')?.request).to.deep.equal({
      events: [{ text: { characters: 11 } }],
    });
    // The screen after the secret is shown without it: its field is black in the picture.
    const typed = found.find(({ request }) => request.type?.secret === true);
    const { body } = await world.api.get('/v1/devices/phone/observe?screenshot=none');
    const field = body.observation.elements.find(({ text = '' }: Entry) => text.startsWith('••••')).bounds as {
      x: number;
      y: number;
      width: number;
      height: number;
    };
    const scale = 480 / 1280;
    const middle = {
      left: Math.round((field.x + field.width / 2) * scale),
      top: Math.round((field.y + field.height / 2) * scale),
    };
    const picture = await world.api.get(typed?.after as string);
    const pixel = await sharp(picture.bytes)
      .extract({ ...middle, width: 1, height: 1 })
      .raw()
      .toBuffer();
    expect(Math.max(...pixel)).to.be.below(40);
  });

  it('keeps no password that another field shows too', async () => {
    await begin();
    await shellOf(world.database, 'phone', 'am force-stop com.cloudphone.lab; am start -W -n com.cloudphone.lab/.Form');
    const type = (field: string, text: string): unknown => ({ type: { text, target: { text: field } } });
    const both = await act({ steps: [type('Name', 'alice1'), type('Password', 'alice1')] });
    expect(both.body.failed).to.equal(undefined);
    const [pair] = await entries(1);
    expect(pair?.request.steps.map(({ type: typed }: Entry) => typed.characters)).to.deep.equal([6, 6]);
    await act({ steps: [type('Name', ' 0551234567'), type('Password', '1234')] });
    const [part] = await entries(2);
    expect(part?.request.steps.map(({ type: typed }: Entry) => typed.text ?? typed.characters)).to.deep.equal([
      ' 0551234567',
      4,
    ]);
  });

  it('keeps snapshots, with the key and the job', async () => {
    await begin();
    const { job } = (await world.api.post('/v1/devices/phone/snapshots', { label: 'clean' })).body;
    await world.api.get(`/v1/jobs/${job.id as string}?wait_s=60`);
    const [entry] = await entries(1, '?kind=snapshot');
    expect(entry).to.include({ outcome: 'done', key: 'quickstart' });
    expect(entry?.request).to.include({ job: 'snapshot', label: 'clean' });
  });

  it('is listed by pages, times, kinds and keys, newest first', async () => {
    await begin();
    for (const name of ['home', 'back', 'home', 'back']) await act({ key: { name }, observe: 'none', settle_ms: 0 });
    await world.api.post('/v1/devices/phone/action', { find_text: { text: 'x' } });
    const all = await entries(5);
    const times = all.map(({ at }) => Date.parse(at as string));
    expect(times).to.deep.equal(times.toSorted((a, b) => b - a));
    const first = (await world.api.get(`${path}?limit=2`)).body;
    const second = (await world.api.get(`${path}?limit=3&cursor=${first.next_cursor}`)).body;
    expect([...first.entries, ...second.entries]).to.deep.equal(all);
    expect(second.next_cursor).to.equal(undefined);
    expect((await list('?kind=action')).map(({ kind }) => kind)).to.deep.equal(['action']);
    expect(await list(`?key=${all[0]?.key as string}`)).to.deep.equal(all);
    expect(await list('?key=other')).to.deep.equal([]);
    const from = all[2]?.at as string;
    expect(await list(`?from=${from}`)).to.deep.equal(all.slice(0, 3));
    expect(await list(`?to=${from}&kind=act`)).to.deep.equal(all.slice(3));
    expect(await list('?from=9999-12-31T00:00:00Z')).to.deep.equal([]);
    expect(await list('?to=0001-01-01T00:00:00Z')).to.deep.equal([]);
    for (const query of ['?kind=none', '?limit=0', '?cursor=x', '?from=yesterday'])
      expect((await world.api.get(`${path}${query}`)).status, query).to.equal(400);
  });

  it('reads from top to bottom as text', async () => {
    await begin();
    await act({ open_app: { app: 'Notes' } });
    await act({ key: { name: 'home' }, elements: 'changed' });
    await entries(2);
    const { headers, bytes } = await world.api.get(`${path}?limit=2`, { headers: { accept: 'text/plain' } });
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    const heads = bytes
      .toString()
      .split('\n')
      .filter((line) => /^\d/.test(line));
    expect(heads).to.have.length(2);
    expect(heads[0]).to.match(/^\S+Z \w+: act \{"open_app":\{"app":"Notes"\}\} -> done in \d+ ms, \S+$/);
    expect(heads[1]).to.contain('{"key":{"name":"home"}');
  });

  it('is exported as a page and as lines of JSON, with its pictures', async () => {
    await begin();
    await act({ open_app: { app: 'Notes' } });
    await act({ type: { text: '</script><img src=x onerror=alert(1)>' }, observe: 'elements' });
    const [last] = await entries(2);
    const lines = await world.api.get(`${path}/export?format=jsonl`);
    const exported = lines.bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(exported.map(({ id }) => id)).to.deep.equal((await list()).map(({ id }) => id).toReversed());
    expect(exported[0]?.after).to.match(/^data:image\/webp;base64,UklGR/);
    const page = await world.api.get(`${path}/export`);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    // The page is sent as a file. A browser that shows it all the same does so by the page's own policy, in an origin of its own.
    expect(page.headers.get('content-disposition')).to.equal('attachment; filename="timeline-phone.html"');
    expect(page.headers.get('content-security-policy')).to.match(
      /^default-src 'none'; img-src data:.*script-src 'sha256-.*sandbox allow-scripts/,
    );
    expect(lines.headers.get('content-disposition')).to.equal('attachment; filename="timeline-phone.jsonl"');
    expect(lines.headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox");
    const html = page.bytes.toString();
    expect(html).to.contain("default-src 'none'; img-src data:");
    expect(html.match(/<\/script>/g)).to.have.length(2);
    expect((await world.api.get(`${path}/export?from=${last?.at as string}&format=jsonl`)).bytes.toString()).to.contain(
      last?.id,
    );
    const none = await world.api.get(`${path}/export?to=${exported[0]?.at as string}`);
    expect(none.bytes.toString()).to.contain('id="entries">[]<');
    expect((await world.api.get(`${path}/export?format=pdf`)).status).to.equal(400);
  });

  it('keeps sessions of adb and their command lines, without text that they type', async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    await begin();
    const adb = await AdbClient.start();
    try {
      const relay = (await world.api.post('/v1/devices/phone/adb', { allow: ['127.0.0.1'] })).body.adb;
      const serial = `127.0.0.1:${relay.port as number}`;
      await adb.run('connect', serial);
      await adb.run('-s', serial, 'shell', 'service-login', relay.code as string);
      for (const command of ['id', 'input text hunter2', 'reboot']) await adb.run('-s', serial, 'shell', command);
      const commands = await entries(2, '?kind=shell');
      expect(commands.map(({ request }) => request.command)).to.deep.equal(['input text …', 'id']);
      await adb.run('disconnect', serial);
      const [session] = await entries(1, '?kind=adb_session');
      expect(session).to.deep.include({ key: 'quickstart', request: { address: '127.0.0.1' }, outcome: 'client left' });
      expect(JSON.stringify(await list())).not.to.contain(relay.code);
    } finally {
      await adb.close();
    }
  });

  it('is deleted as a whole, keeps nothing while it is off, and goes with its device', async () => {
    await begin();
    await act({ key: { name: 'home' } });
    const [entry] = await entries(1);
    expect((await world.api.delete(path)).status).to.equal(204);
    expect(await list()).to.deep.equal([]);
    expect((await world.api.get(entry?.after as string)).status).to.equal(404);
    await switchTo(false);
    await act({ key: { name: 'home' } });
    await switchTo(true);
    await act({ key: { name: 'back' } });
    expect((await entries(1)).map(({ request }) => request)).to.deep.equal([{ key: { name: 'back' } }]);
    const { job } = (await world.api.delete('/v1/devices/phone')).body;
    await world.api.get(`/v1/jobs/${job.id as string}?wait_s=60`);
    const left = (): Promise<number> => world.database.collection('timeline').countDocuments({});
    await until(async () => (await left()) === 0);
    expect((await world.api.get(path)).status).to.equal(404);
  });

  it('is not found where there is no such device or entry', async () => {
    for (const rest of ['', '/export', '/tl_1/before', '/tl_1/after'])
      expect((await world.api.get(`/v1/devices/none/timeline${rest}`)).status, rest).to.equal(404);
    expect((await world.api.get('/v1/devices/other/timeline/tl_1/after')).status).to.equal(404);
  });
});

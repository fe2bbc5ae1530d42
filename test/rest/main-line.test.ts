import { expect } from 'chai';
import sharp from 'sharp';
import { awayFromEnd, MINUTE_MS } from '../../testing/away-from-end.js';
import { until } from '../../testing/until.js';
import { TEST_PHONES } from '../image-based-phones.js';
import { startWorld, type World } from '../world.js';

interface Element {
  id: string;
  role: string;
  text?: string;
  label?: string;
  center: { x: number; y: number };
}

describe('the main line over REST', () => {
  let world: World;
  let name: string;

  before(async () => {
    world = await startWorld();
    name = await world.api.createPhone({ name: 'main-line' });
  });

  after(() => world.close());

  const device = (path = ''): string => `/v1/devices/${name}${path}`;

  it('returns the models and options for a new device', async () => {
    const models = await world.api.get('/v1/models');
    expect(models.status).to.equal(200);
    expect(models.body.models[0]).to.deep.equal({
      model: 'phone-720p',
      name: 'Phone 720p',
      android: ['14', '13', '12', '11'],
      screen: { width: 720, height: 1280, density: 320 },
      memory_mb: TEST_PHONES.memoryMb,
      snapshots: true,
      driver: TEST_PHONES.driver,
      exits: true,
      conditions: TEST_PHONES.driver === 'container' ? [] : ['location', 'battery', 'network'],
    });
    const { body } = await world.api.get('/v1/network/options');
    // Simulated exits are for simulated phones; others have the place of their host.
    const place =
      TEST_PHONES.driver === 'simulated'
        ? { country: 'de', timezones: ['Europe/Berlin'] }
        : { country: 'us', timezones: ['America/New_York'] };
    expect(body.options).to.deep.include({ type: 'direct', ...place, rotates: false, drivers: [TEST_PHONES.driver] });
  });

  it('shows a device with zero values written and absent ones left out', async () => {
    const { body } = await world.api.get(device());
    expect(body.device).to.include({
      name,
      state: 'running',
      android: '14',
      plan: 'minute',
      driver: TEST_PHONES.driver,
    });
    // A minute may have ended since the start.
    expect(body.device.minutes_today).to.be.within(1, 2);
    expect(body.device.exit).to.include({ type: 'direct', country: 'us', timezone: 'America/New_York' });
    expect(body.device.uptime).to.be.a('number');
    expect(body.device).not.to.have.any.keys('job', 'problem');
    expect(body.device.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('returns a screenshot that shows a phone', async () => {
    const png = await world.api.get(device('/screenshot'));
    expect(png.status).to.equal(200);
    expect(png.headers.get('content-type')).to.equal('image/png');
    const picture = sharp(png.bytes);
    expect(await picture.metadata()).to.include({ format: 'png', width: 720, height: 1280 });
    const { channels, entropy } = await picture.stats();
    expect(entropy).to.be.greaterThan(0.5);
    expect(channels[2]!.stdev).to.be.greaterThan(10);
  });

  it('responds with 304 to a caller that has the same pixels', async () => {
    // The status bar shows the time.
    await awayFromEnd(MINUTE_MS, 10_000);
    const first = await world.api.get(device('/screenshot'));
    const etag = first.headers.get('etag')!;
    const second = await world.api.get(device('/screenshot'), { headers: { 'if-none-match': etag } });
    expect(second.status).to.equal(304);
    expect(second.bytes).to.have.length(0);
    expect((await world.api.get(device('/screenshot'), { headers: { 'if-none-match': '"other"' } })).status).to.equal(
      200,
    );
  });

  it('makes jpegs smaller on request, never larger', async () => {
    const small = await world.api.get(device('/screenshot?format=jpeg&quality=60&max_size=640'));
    expect(small.headers.get('content-type')).to.equal('image/jpeg');
    expect(await sharp(small.bytes).metadata()).to.include({ format: 'jpeg', width: 360, height: 640 });
    const large = await world.api.get(device('/screenshot?max_size=8000'));
    expect(await sharp(large.bytes).metadata()).to.include({ width: 720, height: 1280 });
  });

  it('observes, acts on an element, and observes the change', async () => {
    const before = await observe();
    expect(before).to.include({ app: 'com.cloudphone.launcher' });
    expect(before.screen).to.deep.equal({ width: 720, height: 1280, rotation: 0 });
    expect(before.screenshot).to.include({ format: 'jpeg', width: 576, height: 1024, scale: 0.8 });
    const notes = find(before.elements, 'Notes');
    const act = await world.api.post(device('/act'), { tap: { element: notes.id } });
    expect(act.status, act.bytes.toString()).to.equal(200);
    expect(act.body).to.include({ expect_met: true, screen: 'changed', steps_done: 1 });
    // Whether the screen has come to rest in the time of the call is up to the machine.
    expect(act.body.settled).to.be.a('boolean');
    await shown({ app: 'com.cloudphone.notes' });
    const after = await observe();
    expect(after.app).to.equal('com.cloudphone.notes');
    expect(after.id).not.to.equal(before.id);
  });

  it('writes a note in several steps, and the note survives a restart', async () => {
    const act = async (call: object): Promise<void> => {
      const { body } = await world.api.post(device('/act'), call);
      expect(body, JSON.stringify(body)).not.to.have.any.keys('failed', 'error');
    };
    await act({ open_app: { app: 'com.cloudphone.notes' } });
    await shown({ text: 'New note' });
    const list = await observe();
    const add = list.elements.find(({ label = '', text = '' }) => /new|add/i.test(label + text))!;
    await act({ tap: { element: add.id } });
    await shown({ gone: 'New note' });
    const editor = await observe();
    const field = editor.elements.find(({ role }) => role === 'textfield')!;
    const written = { text: 'Milk & Käse 🧀' };
    await act({ steps: [{ type: { ...written, element: field.id } }, { key: { name: 'back' } }], timeout_ms: 60_000 });
    await shown(written);
    await shown({ text: 'Save' });
    await act({ tap: { element: (await observe()).elements.find(({ text }) => text === 'Save')!.id } });
    await shown({ text: 'New note' });
    await shown(written);
    await world.api.done(await world.api.post(device('/restart')));
    await act({ open_app: { app: 'Notes' } });
    await shown(written);
  });

  it('finds and taps text, and sends raw input', async () => {
    await world.api.post(device('/act'), { key: { name: 'home' } });
    const found = await world.api.post(device('/action'), { find_text: { text: 'notes' } });
    expect(found.body.matches[0].text).to.equal('Notes');
    expect((await world.api.post(device('/action'), { tap: { text: 'Notes' } })).status).to.equal(200);
    await shown({ app: 'com.cloudphone.notes' });
    const sent = await world.api.post(device('/input'), { events: [{ key: { name: 'home' } }, { wait: { ms: 10 } }] });
    expect(sent.body).to.deep.equal({ sent: 2 });
    await shown({ app: 'com.cloudphone.launcher' });
  });

  it('reads the log as lines and as text', async () => {
    const parsed = await world.api.get(device('/logs?lines=5'));
    expect(parsed.body.lines).to.have.length.within(1, 5);
    expect(parsed.body.lines[0]).to.have.all.keys('time', 'pid', 'tid', 'level', 'tag', 'message');
    const text = await world.api.get(device('/logs'), { headers: { accept: 'text/plain' } });
    expect(text.headers.get('content-type')).to.match(/^text\/plain/);
    expect(text.bytes.toString()).to.match(/^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ [VDIWEF] /m);
  });

  it('refuses calls that need a running phone once it is stopped, and names the call that helps', async () => {
    await world.api.done(await world.api.post(device('/stop')));
    for (const path of ['/screenshot', '/observe', '/logs']) {
      const refused = await world.api.get(device(path));
      expect(refused.status).to.equal(409);
      expect(refused.body.error).to.equal('busy');
      expect(refused.body.message).to.contain(`POST /v1/devices/${name}/start`);
    }
    expect((await world.api.post(device('/stop'))).body.error).to.equal('busy');
    await world.api.done(await world.api.post(device('/start')));
    await world.api.done(await world.api.delete(device()));
    expect((await world.api.get(device())).status).to.equal(404);
  });

  /** Waits until the screen is as expected, as many calls as that takes. */
  async function shown(expectation: object): Promise<void> {
    const wait = { wait: {}, expect: expectation, observe: 'none' };
    await until(async () => (await world.api.post(device('/act'), wait)).body.expect_met === true);
  }

  async function observe() {
    const response = await world.api.get(device('/observe'));
    if (response.status !== 200) throw new Error(response.bytes.toString());
    return response.body.observation as {
      id: string;
      app: string;
      screen: unknown;
      screenshot: unknown;
      elements: Element[];
    };
  }
});

function find(elements: Element[], text: string): Element {
  const found = elements.find((element) => element.text === text || element.label === text);
  if (found === undefined) throw new Error(`no ${text} among ${elements.map((element) => element.text).join(', ')}`);
  return found;
}

import { expect } from 'chai';
import { startWorld, type World } from '../world.js';

describe('an agent over REST', function () {
  let world: World;
  let name: string;

  before(async () => {
    world = await startWorld();
    name = await world.api.createPhone({ name: 'agent' });
  });

  after(() => world.close());

  const device = (path: string): string => `/v1/devices/${name}${path}`;
  const act = async (body: object) => {
    const response = await world.api.post(device('/act'), { observe: 'elements', elements: 'changed', ...body });
    expect(response.status, response.bytes.toString()).to.equal(200);
    expect(response.body.failed, JSON.stringify(response.body.failed)).to.equal(undefined);
    return response.body;
  };

  it('reads lines in place of objects, and only changed ones', async () => {
    await act({ open_app: { app: 'Settings' } });
    const { body } = await world.api.get(device('/observe?screenshot=none&elements=compact'));
    expect(body.observation).to.include({ app: 'com.cloudphone.settings', activity: '.Main' });
    expect(body.observation).not.to.have.any.keys('elements', 'warnings', 'screenshot', 'changed_since');
    const row = /^(e\d+) group "Display, [^"]+" @\d+,\d+$/m.exec(body.observation.elements_text)!;
    const opened = await act({ tap: { element: row[1] }, expect: { text: 'Brightness' } });
    expect(opened.observation, 'another activity').not.to.have.property('changed_since');
    const turned = await act({ tap: { text: 'Big text', role: 'switch' } });
    expect(turned.observation.changed_since).to.equal(opened.observation.id);
    expect(turned.observation.elements_text).to.match(/^e\d+ switch "Big text" @\d+,\d+ checked$/m);
    await act({ tap: { text: 'Big text' }, expect: { text: 'Big text', role: 'switch', state: 'unchecked' } });
  });

  it('gets full elements without empty fields', async () => {
    const { body } = await world.api.get(device('/observe?screenshot=none'));
    const title = body.observation.elements.find((one: { text?: string }) => one.text === 'Display');
    expect(title).to.have.all.keys('id', 'role', 'text', 'resource_id', 'bounds', 'center');
  });

  it('gets a picture of 1024 pixels at the most, and none that it has already', async () => {
    const seen = await world.api.get(device('/observe?marks=true&quality=50'));
    expect(seen.body.observation.screenshot).to.include({ format: 'jpeg', width: 576, height: 1024, scale: 0.8 });
    const plan = { observe: 'full', elements: 'changed', marks: true, quality: 50 };
    const { screen, observation } = await act({ ...plan, wait: {} });
    expect(screen).to.equal('unchanged');
    expect(observation).to.include({ screenshot_same_as: seen.body.observation.id, elements_text: '' });
    expect(observation).not.to.have.property('screenshot');
    const small = await act({ ...plan, wait: {}, format: 'png', max_size: 200 });
    expect(small.observation.screenshot).to.include({ format: 'png', height: 200 });
  });

  it('does each kind of step', async () => {
    await act({ rotate: { to: 'landscape' } });
    expect((await act({ rotate: { to: 'portrait' } })).observation.screen).to.include({ width: 720, rotation: 0 });
    const copied = await act({ steps: [{ clipboard: { set: 'Zoë' } }, { clipboard: {} }] });
    expect(copied.clipboard).to.equal('Zoë');
    await act({ steps: [{ key: { name: 'home' } }, { open_app: { app: 'Lab' } }] });
    await act({ scroll: { direction: 'down', until: { text: 'Touch pad' } } });
    await act({ tap: { text: 'Touch pad' } });
    await act({ double_tap: { x: 360, y: 700 } });
    await act({ drag: { from: { x: 200, y: 600 }, to: { x: 500, y: 900 }, hold_ms: 100 } });
    const pinched = await act({ pinch: { center: { x: 360, y: 700 }, scale: 0.5 } });
    expect(pinched.steps_done).to.equal(1);
    const { body } = await world.api.post(device('/action'), { find_text: { text: 'at most 2' } });
    expect(body.matches).to.have.length(1);
    await act({ key: { names: ['ctrl_left', 'a'], hold_ms: 50 } });
    await act({ open_url: { url: 'http://127.0.0.1:9/' }, expect: { app: 'Browser' } });
    await act({ steps: [{ notifications: {} }, { key: { name: 'back' } }] });
  });

  it('gets an error for a target whose words are only a part of others, or absent, with the elements that it could mean', async () => {
    await act({ steps: [{ key: { name: 'home' } }, { open_app: { app: 'Messages' } }] });
    const part = await world.api.post(device('/act'), { tap: { text: ':' } });
    expect(part.status).to.equal(404);
    expect(part.body.message).to.match(/^tap: no element on the screen has ":" as its whole .*: e\d+ group "/);
    const absent = await world.api.post(device('/act'), { tap: { text: 'no such words' } });
    expect(absent.status).to.equal(404);
    const later = await world.api.post(device('/act'), { steps: [{ wait: {} }, { tap: { text: 'no such words' } }] });
    expect(later.body).to.deep.include({ steps_done: 1 });
    expect(later.body.failed).to.include({ step: 1, error: 'not_found' });
  });

  for (const [body, message] of [
    [{ tap: { element: 'e1', text: 'Save' } }, 'exactly one of element, text, or x and y'],
    [{ tap: { x: 1, y: 1, role: 'button' } }, 'must not have role without text'],
    [{ tap: { text: 'Save', role: 'knob' } }, 'role'],
    [{ type: { text: 'a', element: 'e1', target: { x: 1, y: 1 } } }, 'both element and target'],
    [{ key: { name: 'home', names: ['a'] } }, 'either name or names'],
    [{ pinch: {} }, 'scale'],
    [{ drag: { from: { x: 1, y: 1 } } }, 'to'],
    [{ drag: { from: { x: 1, y: 1 }, to: { x: 5_000, y: 1 } } }, 'outside of the screen'],
    [{ open_url: { url: 'no scheme' } }, 'url'],
    [{ rotate: { to: 'sideways' } }, 'is not one of portrait, landscape'],
    [{ wait: {}, expect: { gone: 'x', state: 'checked' } }, 'state'],
    [{ wait: {}, elements: 'brief' }, 'is not one of full, compact, changed'],
  ] as const) {
    it(`is refused ${JSON.stringify(body)}`, async () => {
      const refused = await world.api.post(device('/act'), body);
      expect(refused.status, refused.bytes.toString()).to.equal(400);
      expect(refused.body.message).to.contain(message);
    });
  }
});

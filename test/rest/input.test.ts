import { expect } from 'chai';
import { type PanelClient, signIn } from '../access/people.js';
import type { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const touch = (phase: string, x: number, y: number, pointer?: number) => ({
  touch: { phase, x, y, ...(pointer !== undefined && { pointer }) },
});

describe('raw input over REST', () => {
  let world: World;
  let panel: PanelClient;
  let path: string;

  before(async () => {
    world = await startWorld();
    panel = await signIn(world);
    path = `/v1/devices/${await world.api.createPhone({ name: 'touched' })}`;
    await world.api.post(`${path}/act`, { open_app: { app: 'com.cloudphone.lab' } });
  });
  after(() => world.close());

  const send = (events: object[], api: RestClient = world.api) => api.post(`${path}/input`, { events });
  const seen = async (): Promise<string> => {
    const { body } = await world.api.get(`${path}/observe?screenshot=none`);
    const elements = body.observation.elements as { text?: string; label?: string }[];
    return elements.map(({ text = '', label = '' }) => `${text} ${label}`).join('\n');
  };
  const openScreen = async (title: string): Promise<void> => {
    await world.api.post(`${path}/act`, { open_app: { app: 'com.cloudphone.lab' } });
    for (let tries = 0; tries < 6; tries++) {
      const { body } = await world.api.post(`${path}/action`, { tap: { text: title } });
      if (body.error === undefined) break;
      await world.api.post(`${path}/act`, { swipe: { direction: 'up' } });
    }
    await world.api.post(`${path}/act`, { wait: {}, expect: { text: `${title}, zoom` } });
  };

  it('zooms with two fingers that stay down over several requests', async () => {
    await openScreen('Map');
    expect((await send([touch('down', 310, 700, 0), touch('down', 410, 700, 1)])).body).to.deep.equal({ sent: 2 });
    await send([touch('move', 210, 700, 0), { wait: { ms: 20 } }, touch('move', 510, 700, 1)]);
    expect(await seen()).to.contain('Map, zoom 3.0');
    expect((await send([touch('up', 210, 700, 0), touch('up', 510, 700, 1)])).status).to.equal(200);
    await world.api.post(`${path}/act`, { key: { name: 'back' } });
  });

  it('is one caller’s while a finger is down: 409 for another, with the time', async () => {
    const other = world.api.as(await panel.createKey());
    await send([touch('down', 300, 700)]);
    const refused = await send([touch('down', 300, 700), touch('up', 300, 700)], other);
    expect(refused.status).to.equal(409);
    expect(refused.body.error).to.equal('busy');
    expect(refused.body.message).to.match(/lifted at 2\d{3}-\d\d-\d\dT/);
    expect((await send([{ key: { name: 'volume_up' } }], other)).status, 'keys are not held back').to.equal(200);
    await send([touch('up', 300, 700)]);
    expect((await send([touch('down', 10, 1200), touch('up', 10, 1200)], other)).status).to.equal(200);
  });

  it('types text of any script in its turn, between touches and keys', async () => {
    const opened = await world.api.post(`${path}/act`, {
      steps: [{ open_app: { app: 'Notes' } }, { tap: { text: 'New note' } }, { wait: {} }],
    });
    expect(opened.body.failed).to.equal(undefined);
    const { matches } = (await world.api.post(`${path}/action`, { find_text: { text: 'Title' } })).body;
    const { x, y } = matches[0].center;
    const [text, key] = [(words: string) => ({ text: { text: words } }), (name: string) => ({ key: { name } })];
    const sent = await send([touch('down', x, y), touch('up', x, y), text('Zoë 買'), key('del'), text('$(x) 🧀')]);
    expect(sent.body).to.deep.equal({ sent: 5 });
    expect(await seen()).to.contain('Zoë $(x) 🧀');
  });

  const bad: [string, object[], string][] = [
    ['a finger that comes up without being down', [touch('up', 1, 1)], 'events[0].touch.phase'],
    ['a finger that goes down twice', [touch('down', 1, 1, 3), touch('down', 1, 1, 3)], 'events[1].touch.phase'],
    ['a point outside of the screen', [touch('down', 1, 1), touch('up', 5_000, 1)], 'events[1].touch'],
    ['an eleventh finger', [touch('down', 1, 1, 10)], 'pointer'],
    ['a text without characters', [touch('down', 1, 1, 3), { text: { text: '' } }], 'events[1].text.text'],
    ['texts that are too long together', [1, 2].map(() => ({ text: { text: 'x'.repeat(6_000) } })), 'events[1].text'],
    ['no events', [], 'events'],
  ];
  for (const [what, events, where] of bad) {
    it(`refuses ${what} with 400, and sends none of them`, async () => {
      const refused = await send(events);
      expect(refused.status).to.equal(400);
      expect(refused.body.message).to.contain(where);
      // A finger that had gone down would be refused here.
      expect((await send([touch('down', 5, 1200, 3), touch('up', 5, 1200, 3)])).status).to.equal(200);
    });
  }

  it('needs a key (401) with control (403), and a device that it sees (404)', async () => {
    const tap = [touch('down', 5, 1200), touch('up', 5, 1200)];
    expect((await send(tap, world.api.as(undefined))).status).to.equal(401);
    expect((await send(tap, world.api.as(await panel.createKey({ scope: 'read' })))).status).to.equal(403);
    expect((await world.api.post('/v1/devices/no-such/input', { events: tap })).status).to.equal(404);
  });

  it('is refused with 409 by a device that does not run', async () => {
    await world.api.done(await world.api.post(`${path}/stop`));
    const refused = await send([touch('down', 5, 1200), touch('up', 5, 1200)]);
    expect(refused.status).to.equal(409);
    expect(refused.body.message).to.contain('/start');
  });
});

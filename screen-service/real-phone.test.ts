import { expect } from 'chai';
import { AS_KEY, screenWorld } from './testing/screen-world.js';
import { bootPhone } from './testing/real-phone.js';
describe('try', () => {
  it('tries', async function () {
    this.timeout(60000);
    const phone = await bootPhone();
    const world = screenWorld({ port: phone.port });
    const time = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      const t = performance.now();
      const r = await run();
      console.log(what, (performance.now() - t).toFixed(1));
      return r;
    };
    for (let i = 0; i < 4; i++) await time('png', () => world.client.getScreenshot({ name: 'p' }, AS_KEY));
    const show = (o: Awaited<ReturnType<typeof world.client.observe>>['observation']) => { console.log(o?.app, o?.activity, o?.warnings, o?.screen?.width); for (const e of o!.elements) console.log(e.id, e.role, JSON.stringify(e.text), JSON.stringify(e.label), e.resourceId, e.bounds!.x, e.bounds!.y, e.bounds!.width, e.bounds!.height, e.states.join(' ')); };
    for (let i = 0; i < 3; i++) await time('observe', () => world.client.observe({ name: 'p' }, AS_KEY));
    show((await world.client.observe({ name: 'p' }, AS_KEY)).observation);
    const r = await time('open', () => world.client.act({ name: 'p', step: { case: 'openApp', value: { app: 'Notes' } } }, AS_KEY));
    console.log(r.settled, r.waitedMs, r.stepsDone, r.failed);
    show(r.observation);
    const l = await time('logs', () => world.client.getLogs({ name: 'p', lines: 5 }, AS_KEY));
    console.log(l.lines.map((x) => `${x.time?.seconds} ${x.tag} ${x.message}`));
    const f = await time('find', () => world.client.performAction({ name: 'p', action: { case: 'findText', value: { text: 'note' } } }, AS_KEY));
    console.log(f.matches.map((m) => m.text));
    expect(1).to.equal(1);
    await world.close();
    await phone.close();
  });
});

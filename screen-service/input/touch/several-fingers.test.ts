import { expect } from 'chai';
import { TouchPhase } from '../../../proto/gen/cloudphone/screen/v1/input_pb.js';
import { until } from '../../../testing/until.js';
import { onRealPhone } from '../../testing/on-real-phone.js';
import { AS_KEY, screenWorld } from '../../testing/screen-world.js';

// The whole service on a whole simulated phone, whose touch device the shell may write.
describe('several fingers on a phone', () => {
  const on = onRealPhone();

  const touch = (phase: TouchPhase, x: number, y: number, pointer = 0) => ({
    kind: { case: 'touch' as const, value: { phase, x, y, pointer } },
  });
  const { DOWN, MOVE, UP } = TouchPhase;
  const send = async (...events: object[]) =>
    (await on.world.client.sendInput({ name: 'phone', events: events }, AS_KEY)).sent;
  const open = (screen: string) => on.phone.shell(`am start -W -n com.cloudphone.lab/.${screen}`);
  /** Descriptions and texts that are on the screen. */
  const texts = async (): Promise<string> => {
    const { observation } = await on.world.client.observe({ name: 'phone' }, AS_KEY);
    return observation!.elements.map(({ text, label }) => `${text} ${label}`).join('\n');
  };

  it('zoom a map as far as they move apart, and less when they come together', async () => {
    await open('Zoom');
    await send(touch(DOWN, 310, 700, 0), touch(DOWN, 410, 700, 1));
    await send(touch(MOVE, 260, 700, 0), touch(MOVE, 460, 700, 1));
    expect(await texts(), 'the fingers are still down').to.contain('Map, zoom 2.0');
    await send(touch(MOVE, 210, 700, 0), touch(UP, 510, 700, 1), touch(UP, 210, 700, 0));
    expect(await texts()).to.contain('Map, zoom 3.0');
    const closer = [...Array(200).keys()].map((at) => touch(MOVE, 160 + at, 700, 0)).slice(0, 197);
    await send(touch(DOWN, 160, 700, 0), touch(DOWN, 560, 700, 1), ...closer, touch(UP, 360, 700, 1));
    await send(touch(UP, 356, 700, 0));
    expect(await texts()).to.contain('Map, zoom 1.0');
  });

  it('touch the pixels that are meant, however the display is turned', async () => {
    const expected: [number, [number, number]][] = [
      [1, [500, 600]],
      [3, [500, 600]],
      [2, [100, 900]],
      [0, [100, 900]],
    ];
    await on.phone.shell('settings put system accelerometer_rotation 0');
    for (const [rotation, [x, y]] of expected) {
      await on.phone.shell(`settings put system user_rotation ${rotation}; am force-stop com.cloudphone.lab`);
      await open('Touches');
      // The service reads the rotation of the display again after half a second.
      await new Promise((resolve) => setTimeout(resolve, 600));
      await send(touch(DOWN, x, y, 4), touch(DOWN, x + 40, y, 9));
      const shown = await texts();
      expect(shown, `rotation ${rotation}`).to.match(/Fingers: 2, at most 2/);
      const [, lastX = 0, lastY = 0] = /last (\d+), (\d+)/.exec(shown)?.map(Number) ?? [];
      expect(lastX, `rotation ${rotation}`).to.equal((x + 40) / 2);
      // The pad begins below the title; its own corner is the same for both fingers.
      await send(touch(MOVE, x + 40, y + 20, 9));
      expect(/last (\d+), (\d+)/.exec(await texts())?.[2]).to.equal(String(lastY + 10));
      await send(touch(UP, x, y, 4), touch(UP, x, y, 9));
    }
  });

  it('and keys keep their order', async () => {
    await on.phone.shell('am force-stop com.cloudphone.lab; input keyevent HOME');
    await open('Texts');
    const key = (name: string) => ({ kind: { case: 'key' as const, value: { name } } });
    // Home is pressed after the tap that goes back to the menu, not before it.
    await send(touch(DOWN, 300, 700), touch(UP, 300, 700), key('home'));
    await until(async () => on.phone.phone.machine.screen.foreground.package === 'com.cloudphone.launcher');
  });

  it('left by a broken connection are lifted by the next touch', async () => {
    await open('Touches');
    await send(touch(DOWN, 100, 900, 0));
    const other = screenWorld(on.phone);
    const tap = [touch(DOWN, 200, 900, 0), touch(UP, 200, 900, 0)];
    await other.client.sendInput({ name: 'phone', events: tap }, AS_KEY);
    expect(await texts()).to.contain('Fingers: 0, at most 1');
    await other.close();
    await send(touch(UP, 100, 900, 0));
  });

  it('are refused beyond ten', async () => {
    const events = [...Array(10).keys()].map((pointer) => touch(DOWN, 100 + pointer * 20, 900, pointer));
    const ups = [...Array(10).keys()].map((pointer) => touch(UP, 100 + pointer * 20, 900, pointer));
    expect(await send(...events, ...ups)).to.equal(20);
    expect(await texts()).to.contain('at most 10');
  });
});

import { expect } from 'chai';
import { EvAbs } from '../../../phone/evdev/codes.js';
import { encodeEvents, EVENT_BYTES } from '../../../phone/evdev/input-event.js';
import type { TouchDevice } from './find-touch-device.js';
import { onDevice, Slots } from './slot-events.js';

const device: TouchDevice = {
  path: '/dev/input/event2',
  hasTouchButton: true,
  axes: new Map([
    [EvAbs.ABS_MT_SLOT, { min: 0, max: 1 }],
    [EvAbs.ABS_MT_TRACKING_ID, { min: 0, max: 65_535 }],
    [EvAbs.ABS_MT_POSITION_X, { min: 0, max: 1439 }],
    [EvAbs.ABS_MT_POSITION_Y, { min: 0, max: 2559 }],
    [EvAbs.ABS_MT_PRESSURE, { min: 0, max: 255 }],
  ]),
};
const upright = { width: 720, height: 1280, rotation: 0 } as const;

describe('the events of a touch device', () => {
  it('are those of protocol B, as 64-bit and 32-bit programs write them', () => {
    const events = new Slots(device).of({ phase: 'down', pointer: 7, x: 360, y: 640 }, upright);
    const bits64 = encodeEvents(events, EVENT_BYTES.bits64).toString('hex');
    expect(bits64.match(/.{48}/g)?.map((event) => event.slice(32))).to.deep.equal([
      '03002f0000000000', // slot 0
      '0300390001000000', // tracking id 1
      '03003a0080000000', // pressure, or the finger would hover
      '01004a0101000000', // BTN_TOUCH down
      '03003500d1020000', // x: the middle of pixel 360 of 720, on 0 to 1439
      '0300360001050000', // y
      '0000000000000000',
    ]);
    expect(encodeEvents(events.slice(0, 1), EVENT_BYTES.bits32).toString('hex')).to.equal(
      '000000000000000003002f0000000000',
    );
  });

  it('keep fingers apart, and use the slot of one that has left', () => {
    const slots = new Slots(device);
    const of = (phase: 'down' | 'move' | 'up', pointer: number) =>
      slots.of({ phase, pointer, x: 0, y: 0 }, upright).filter(({ code }) => code !== EvAbs.ABS_MT_PRESSURE);
    const slotOf = (events: ReturnType<typeof of>) => events.find(({ code }) => code === EvAbs.ABS_MT_SLOT)?.value;
    expect(slotOf(of('down', 3))).to.equal(0);
    expect(slotOf(of('down', 9))).to.equal(1);
    expect(slotOf(of('move', 9))).to.equal(1);
    const up = of('up', 3);
    expect(slotOf(up)).to.equal(0);
    expect(
      up.some(({ code }) => code === 0x14a),
      'the other finger is still down',
    ).to.equal(false);
    expect(slotOf(of('down', 5))).to.equal(0);
    of('up', 5);
    expect(of('up', 9).find(({ code }) => code === 0x14a)).to.include({ value: 0 });
  });

  it('are at the same place of the glass however the display is turned', () => {
    // The places, in each orientation, of the pixel that is 10 from the left and 20 from the top of the upright display.
    const places = { 0: [10, 20], 1: [20, 709], 2: [709, 1259], 3: [1259, 10] } as const;
    for (const rotation of [0, 1, 2, 3] as const) {
      const [x, y] = places[rotation];
      expect(onDevice(x, y, { ...upright, rotation }), `rotation ${rotation}`).to.deep.equal({ x: 10, y: 20 });
    }
  });
});

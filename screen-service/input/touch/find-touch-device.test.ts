import { expect } from 'chai';
import { EvAbs } from '../../../phone/evdev/codes.js';
import { findTouchDevice } from './find-touch-device.js';

/** The output of `getevent -pl` on the emulator, where each display that there could be has a device of its own. */
const EMULATOR = `add device 1: /dev/input/event13
  name:     "virtio_input_multi_touch_11"
  events:
    KEY (0001): BTN_TOOL_RUBBER       BTN_STYLUS
    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 10, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0
                ABS_MT_TRACKING_ID    : value 0, min 0, max 10, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_DIRECT
add device 2: /dev/input/event2
  name:     "virtio_input_multi_touch_1"
  events:
    KEY (0001): BTN_TOUCH
    ABS (0003): ABS_X                 : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0
                ABS_Z                 : value 0, min 0, max 1, fuzz 0, flat 0, resolution 0
                ABS_MT_SLOT           : value 0, min 0, max 10, fuzz 0, flat 0, resolution 0
                ABS_MT_TOUCH_MAJOR    : value 0, min 0, max 2147483647, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0
                ABS_MT_TRACKING_ID    : value 0, min 0, max 10, fuzz 0, flat 0, resolution 0
                ABS_MT_PRESSURE       : value 0, min 0, max 1024, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_DIRECT
add device 3: /dev/input/event0
  name:     "Power Button"
  events:
    KEY (0001): KEY_POWER
  input props:
    <none>
`;

/** A touch pad beside a keyboard has the axes of a screen and does not lie on it. */
const TOUCH_PAD = EMULATOR.replaceAll('INPUT_PROP_DIRECT', 'INPUT_PROP_POINTER');

/** Protocol A: fingers without slots. */
const WITHOUT_SLOTS = EMULATOR.replaceAll('ABS_MT_SLOT', 'ABS_MT_BLOB_ID');

describe('the touch device of a phone', () => {
  it('is the first by number that lies on the display, with its ranges', () => {
    const device = findTouchDevice(EMULATOR);
    expect(device).to.include({ path: '/dev/input/event2', hasTouchButton: true });
    expect(device?.axes.get(EvAbs.ABS_MT_POSITION_X)).to.deep.equal({ min: 0, max: 32767 });
    expect(device?.axes.get(EvAbs.ABS_MT_PRESSURE)).to.deep.equal({ min: 0, max: 1024 });
  });

  for (const [what, output] of Object.entries({
    'a touch pad': TOUCH_PAD,
    'a screen without slots': WITHOUT_SLOTS,
    nothing: '',
    'an error text': 'getevent: not found\n',
  })) {
    it(`is not ${what}`, () => {
      expect(findTouchDevice(output)).to.equal(undefined);
    });
  }
});

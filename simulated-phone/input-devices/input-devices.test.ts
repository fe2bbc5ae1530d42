import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { encodeEvents, EVENT_BYTES, type EvdevEvent } from '../../phone/evdev/input-event.js';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';

const PANEL = '/dev/input/event1';

const abs = (code: number, value: number): EvdevEvent => ({ type: 3, code, value });
const slot = (number: number): EvdevEvent => abs(0x2f, number);
const report: EvdevEvent = { type: 0, code: 0, value: 0 };
const button = (value: number): EvdevEvent => ({ type: 1, code: 0x14a, value });
const finger = (tracking: number, x: number, y: number): EvdevEvent[] => [
  abs(0x39, tracking),
  abs(0x3a, 500),
  abs(0x35, x),
  abs(0x36, y),
];

describe('the input devices of a phone', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  beforeEach(async () => {
    world = await startPhone();
  });
  afterEach(() => world.stop());

  const shell = (script: string, stdin?: Buffer) => runScript(world.phone.machine, script, { ...(stdin && { stdin }) });
  const bytes = (...events: EvdevEvent[]) => encodeEvents(events, EVENT_BYTES.bits64);
  /** The events that reached the display: `down 0 10,20`. */
  const touched = () =>
    world.screen.touches.map(({ phase, pointer, x, y }) => `${phase} ${pointer} ${Math.round(x)},${Math.round(y)}`);

  it('are described as getevent of Android does', async () => {
    const { stdout } = await shell('getevent -lp');
    expect(stdout).to.equal(
      [
        'add device 1: /dev/input/event1',
        '  name:     "virtio_input_multi_touch_1"',
        '  events:',
        '    KEY (0001): BTN_TOUCH             ',
        '    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0',
        '                ABS_MT_TOUCH_MAJOR    : value 0, min 0, max 2147483647, fuzz 0, flat 0, resolution 0',
        '                ABS_MT_POSITION_X     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0',
        '                ABS_MT_POSITION_Y     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0',
        '                ABS_MT_TRACKING_ID    : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0',
        '                ABS_MT_PRESSURE       : value 0, min 0, max 1024, fuzz 0, flat 0, resolution 0',
        '  input props:',
        '    INPUT_PROP_DIRECT',
        'add device 2: /dev/input/event0',
        '  name:     "gpio-keys"',
        '  events:',
        '    KEY (0001): KEY_VOLUMEUP          KEY_VOLUMEDOWN        KEY_POWER             ',
        '  input props:',
        '    <none>',
        '',
      ].join('\n'),
    );
    expect((await shell('getevent -p')).stdout).to.contain('0035  : value 0, min 0, max 32767');
    expect((await shell('ls -l /dev/input/event1; [ -c /dev/input/event1 ] && echo device')).stdout).to.match(
      /^crw-rw---- 1 root\s+input .*event1\ndevice\n$/,
    );
  });

  it('take two fingers in slots, at places on their own axes', async () => {
    const events = bytes(
      ...[slot(0), ...finger(7, 8192, 8192), button(1), report],
      ...[slot(3), ...finger(8, 16384, 16384), report],
      ...[slot(0), abs(0x35, 16384), report],
      ...[slot(0), abs(0x39, -1), slot(3), abs(0x39, -1), button(0), report],
    );
    expect(await shell(`tee ${PANEL}`, events)).to.include({ status: 0 });
    expect(touched()).to.deep.equal([
      'down 0 90,160',
      'down 3 180,320',
      'move 0 180,160',
      'up 0 180,160',
      'up 3 180,320',
    ]);
  });

  it('take a finger for another when its slot gets another tracking id', async () => {
    const events = bytes(slot(0), ...finger(1, 0, 0), button(1), report, ...finger(2, 16384, 0), report);
    await shell(`cat > ${PANEL}`, events);
    expect(touched()).to.deep.equal(['down 0 0,0', 'up 0 0,0', 'down 0 180,0']);
  });

  it('do not take fingers that hover for touches', async () => {
    await shell(`cat > ${PANEL}`, bytes(slot(0), ...finger(1, 0, 0), report));
    await shell(`cat > ${PANEL}`, bytes(button(1), abs(0x3a, 0), report));
    expect(touched()).to.deep.equal([]);
  });

  it('lie as the phone was built, however the display is turned', async () => {
    Object.assign(world.screen, { width: 640, height: 360, rotation: 1 });
    await shell(`cat > ${PANEL}`, bytes(slot(0), ...finger(1, 8192, 8192), button(1), report));
    expect(touched()).to.deep.equal(['down 0 160,270']);
  });

  it('refuse a part of an event, as when more is written than tee reads in one read', async () => {
    const one = bytes(report);
    const refused = await shell(`tee ${PANEL} >/dev/null`, Buffer.concat([one, one.subarray(0, 7)]));
    expect(refused).to.include({ status: 1 });
    expect(refused.stderr).to.contain('Invalid argument');
    expect((await shell(`tee ${PANEL} >/dev/null`, Buffer.concat(Array(171).fill(one) as Buffer[]))).status).to.equal(
      1,
    );
    expect((await shell(`tee ${PANEL} >/dev/null`, Buffer.concat(Array(170).fill(one) as Buffer[]))).status).to.equal(
      0,
    );
  });

  it('press the power and volume buttons', async () => {
    expect(await shell('sendevent /dev/input/event0 1 115 1; sendevent /dev/input/event0 1 115 0')).to.include({
      status: 0,
    });
    expect(world.screen.keys).to.deep.equal([
      { code: 24, phase: 'down' },
      { code: 24, phase: 'up' },
    ]);
    expect(await shell('sendevent /dev/input/event9 1 115 1')).to.include({ status: 1 });
  });

  it('show their events to all readers', async () => {
    const reading = shell('getevent -l -c 3');
    const bytesRead = shell(`head -c 24 ${PANEL} | xxd -p`);
    // The events are written again until both readers have got some, as it is not known when they begin.
    const isRead = Promise.all([reading, bytesRead]).then(() => true);
    do await shell(`cat > ${PANEL}`, bytes(abs(0x39, -1), button(1), report));
    while (!(await Promise.race([isRead, systemClock.sleep(50)])));
    expect((await reading).stdout.split('\n').slice(4)).to.deep.equal([
      '/dev/input/event1: EV_ABS       ABS_MT_TRACKING_ID   ffffffff            ',
      '/dev/input/event1: EV_KEY       BTN_TOUCH            DOWN                ',
      '/dev/input/event1: EV_SYN       SYN_REPORT           00000000            ',
      '',
    ]);
    expect((await bytesRead).stdout).to.contain('03003900ffffffff');
  });

  it('cannot be read by more than a few readers at the same time, and a slow reader loses the oldest', async () => {
    const device = world.phone.machine.inputDevices.get(PANEL)!;
    const first = device.events();
    for (let at = 0; at < 32; at++) device.events();
    expect(await first.take()).to.equal(undefined);
    const last = device.events();
    device.write(bytes(...Array.from({ length: 2000 }, (_, at) => abs(0x35, at))));
    const events = (await last.take())!;
    expect(events).to.have.length(1024);
    expect(events.at(-1)?.value).to.equal(1999);
  });
});

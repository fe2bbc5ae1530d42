import { phoneApps } from '../host/built-in-apps.js';
import { EXTRA_APPS } from '../../testing/phone/extra-apps.js';
import { expect } from 'chai';
import { KEY } from '../ui/key-codes.js';
import { parseDump } from '../../testing/phone/parse-dump.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';
import { seededRandom } from '../../testing/seeded-random.js';

const KEYS = [
  KEY.BACK,
  KEY.BACK,
  KEY.HOME,
  KEY.APP_SWITCH,
  KEY.ENTER,
  KEY.TAB,
  KEY.DEL,
  KEY.DPAD_DOWN,
  KEY.DPAD_CENTER,
  KEY.MOVE_END,
  KEY.PASTE,
  KEY.VOLUME_UP,
  KEY.PAGE_DOWN,
  KEY.POWER,
  KEY.WAKEUP,
  29,
  77,
];

const components = phoneApps(EXTRA_APPS).flatMap((app) =>
  Object.keys(app.activities).map((name) => `${app.package}/${name}`),
);

describe('a screen under a monkey', () => {
  // These seeds have found mistakes.
  for (const seed of [3, 12, 16, 24]) {
    it(`stays whole, and its revisions stay true (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
      const world = new ScreenWorld();
      world.screen.home();
      let last = world.screen.capture({ scale: 0.125 });
      for (let step = 0; step < 600; step++) {
        const at = (): [number, number] => [random() * world.screen.width, random() * world.screen.height];
        const dice = random();
        if (dice < 0.45) world.tap(...at());
        else if (dice < 0.6) world.swipe(at(), at(), 20 + random() * 400);
        else if (dice < 0.8) world.press(pick(KEYS));
        else if (dice < 0.88) world.screen.commitText(pick(['a', 'Zoë 😀', '1\n2', '"quoted"', 'x'.repeat(300)]));
        else if (dice < 0.94) world.screen.launch({ component: pick(components) });
        else if (dice < 0.96) {
          world.settings.put('system', 'accelerometer_rotation', '0');
          world.settings.put('system', 'user_rotation', String(Math.floor(random() * 4)));
        } else if (dice < 0.97) world.settings.put('system', 'font_scale', pick(['0.85', '1.0', '1.3']));
        else world.screen.setDensityOverride(pick([undefined, 160, 240, 480]));
        await world.settle(pick([0, 0, 5, 100, 700]));
        if (!world.screen.awake) world.press(KEY.WAKEUP);

        const frame = world.screen.capture({ scale: 0.125 });
        expect(frame.revision).to.be.at.least(last.revision);
        if (frame.revision === last.revision) {
          expect(frame.data.equals(last.data), `step ${step}: equal revisions, other pixels`).to.equal(true);
        }
        last = frame;
        if (step % 10 !== 0) continue;
        const dumped = world.screen.dump({ compressed: true });
        await world.clock.pass(1000, 500);
        const outcome = await dumped;
        if (outcome.kind !== 'xml') throw new Error(`step ${step}: the dump ended in ${outcome.kind}`);
        for (const { bounds } of parseDump(outcome.xml)) {
          expect(bounds.left).to.be.within(0, bounds.right);
          expect(bounds.right).to.be.at.most(world.screen.width);
          expect(bounds.top).to.be.within(0, bounds.bottom);
          expect(bounds.bottom).to.be.at.most(world.screen.height);
        }
      }
    });
  }
});

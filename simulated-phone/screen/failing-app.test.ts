import { expect } from 'chai';
import type { App } from '../apps/app.js';
import { builtInApps } from '../apps/built-in-apps.js';
import { View } from '../ui/view.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

const fail = (): never => {
  throw new Error('a bug of the app');
};

const FAILING: App = {
  package: 'com.example.failing',
  label: 'Failing',
  drawIcon: () => undefined,
  launcherActivity: '.Main',
  activities: {
    '.Main': () => ({
      content: new View({ id: 'trap', width: 'fill', height: 'fill', onClick: fail, onLongClick: fail }),
      onBack: fail,
    }),
    '.Timer': (context) => ({ content: new View({}), onOpen: () => void context.later(10, fail) }),
    '.Work': (context) => ({
      content: new View({}),
      onOpen: () => context.run(Promise.reject(new Error('a bug of the app')), () => undefined),
    }),
  },
};

const KEYCODE_BACK = 4;

describe('an app that fails', () => {
  for (const [when, act] of Object.entries<(world: ScreenWorld) => Promise<void> | void>({
    'when it is tapped': (world) => world.tap(300, 600),
    'when it is pressed long': async (world) => {
      world.screen.touch({ phase: 'down', x: 300, y: 600, pointer: 0 });
      await world.settle(700);
      world.screen.touch({ phase: 'up', x: 300, y: 600, pointer: 0 });
    },
    'on BACK': (world) => world.press(KEYCODE_BACK),
    'in a timer': (world) => void world.screen.launch({ component: 'com.example.failing/.Timer' }),
    'in work of its own': (world) => void world.screen.launch({ component: 'com.example.failing/.Work' }),
  }))
    it(`ends ${when}, with its reason in the log, and the phone goes on`, async () => {
      const world = new ScreenWorld({ apps: [...builtInApps, FAILING] });
      world.screen.home();
      world.screen.launch({ component: 'com.example.failing/.Main' });
      await world.settle(1000);
      await act(world);
      await world.settle(1000);
      expect(world.logged.join('\n')).to.contain('FATAL EXCEPTION').and.to.contain('a bug of the app');
      expect(world.screen.foreground.package).to.equal('com.cloudphone.launcher');
      expect(world.screen.launch({ component: 'com.cloudphone.notes/.NoteList' }).kind).to.not.equal('unresolved');
    });
});

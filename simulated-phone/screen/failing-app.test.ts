import { expect } from 'chai';
import type { Activity, App } from '../apps/app.js';
import { builtInApps } from '../host/built-in-apps.js';
import { column } from '../ui/containers.js';
import { picture } from '../ui/image-view.js';
import { View } from '../ui/view.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

const fail = (): never => {
  throw new Error('a bug of the app');
};

class FailingLayout extends View {
  override measure = fail;
}

class FailingMotions extends View {
  override motions = fail;
}

const FAILING: App = {
  package: 'com.example.failing',
  label: 'Failing',
  drawIcon: fail,
  launcherActivity: '.Main',
  activities: {
    '.Main': () => ({
      content: new View({ id: 'trap', width: 'fill', height: 'fill', onClick: fail, onLongClick: fail }),
      onBack: fail,
    }),
    '.Timer': (context) => ({ content: new View({}), onOpen: () => void context.later(10, fail) }),
    '.Create': fail,
    '.Nothing': () => undefined as unknown as Activity,
    '.Open': () => ({ content: new View({}), onOpen: fail }),
    '.Resume': () => ({ content: new View({}), onResume: fail }),
    '.Destroy': (context) => ({ content: new View({}), onOpen: () => context.finish(), onDestroy: fail }),
    '.Paint': () => ({ content: picture({ width: 'fill', height: 'fill', draw: fail }) }),
    '.Clip': () => ({ content: column({ radius: 9, clips: true }, [picture({ width: 90, height: 90, draw: fail })]) }),
    '.Layout': () => ({ content: new FailingLayout({}) }),
    '.Motions': () => ({ content: new FailingMotions({ width: 'fill', height: 'fill' }) }),
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
    ...Object.fromEntries(
      ['Create', 'Nothing', 'Open', 'Resume', 'Destroy', 'Paint', 'Clip', 'Layout', 'Motions'].map((name) => [
        `in ${name}`,
        async (world: ScreenWorld) => {
          world.screen.launch({ component: `com.example.failing/.${name}` });
          await world.settle(1000);
          world.screen.capture();
          await world.xml();
        },
      ]),
    ),
  }))
    it(`ends ${when}, with its reason in the log, and the phone goes on`, async () => {
      const world = new ScreenWorld({ apps: [...builtInApps, FAILING] });
      world.screen.home();
      world.screen.launch({ component: 'com.example.failing/.Main' });
      await world.settle(1000);
      await act(world);
      await world.settle(1000);
      expect(world.logged.join('\n'))
        .to.contain('FATAL EXCEPTION')
        .and.to.match(/a bug of the app|reading 'content'/);
      expect(world.screen.foreground.package).to.equal('com.cloudphone.launcher');
      expect(world.screen.launch({ component: 'com.cloudphone.notes/.NoteList' }).kind).to.not.equal('unresolved');
    });
});

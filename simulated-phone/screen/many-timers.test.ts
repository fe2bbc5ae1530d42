import { expect } from 'chai';
import type { App } from '../apps/app.js';
import { builtInApps } from '../host/built-in-apps.js';
import { View } from '../ui/view.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

describe('an app with many timers', () => {
  it('runs each of them, without a warning of the process', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    let runs = 0;
    const onOpen = (later: (ms: number, run: () => void) => unknown): void => {
      for (let timer = 0; timer < 30; timer++) later(10, () => runs++);
    };
    const app: App = {
      package: 'com.example.timers',
      label: 'Timers',
      drawIcon: () => undefined,
      launcherActivity: '.Main',
      activities: {
        '.Main': (context) => ({ content: new View({}), onOpen: () => onOpen((ms, run) => context.later(ms, run)) }),
      },
    };
    const world = new ScreenWorld({ apps: [...builtInApps, app] });
    world.screen.launch({ component: 'com.example.timers/.Main' });
    await world.settle(100);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(runs).to.equal(30);
    expect(warnings).to.deep.equal([]);
  });
});

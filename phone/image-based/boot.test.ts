import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { BootFailure, missingIn, waitForBoot } from './boot.js';

const DONE = `completed=1
animation=stopped
unlocked=true
activity=Service activity: found
package=Service package: found
window=Service window: found
input=Service input: found
focus=  mCurrentFocus=Window{1a2b3c u0 com.android.launcher3/com.android.launcher3.Launcher}
`;

describe('the boot of a phone', () => {
  it('is done when nothing is missing', () => expect(missingIn(DONE)).to.equal(undefined));

  it('is done on versions that report neither an animation nor a locked storage', () => {
    const older = DONE.replace('animation=stopped', 'animation=').replace('unlocked=true', 'unlocked=');
    expect(missingIn(older)).to.equal(undefined);
  });

  for (const [from, to, missing] of [
    ['completed=1', 'completed=', 'its boot is not complete'],
    ['animation=stopped', 'animation=running', 'its boot animation runs'],
    ['unlocked=true', 'unlocked=false', "its user's storage is locked"],
    ['input: found', 'input: not found', 'its service "input" is not there'],
    [/focus=.*/, 'focus=  mCurrentFocus=null', 'no window has the focus'],
    [/focus=.*/, 'focus=', 'no window has the focus'],
    [
      /u0 com.*\}/,
      'u0 Application Not Responding: com.android.systemui}',
      'a window reports that an app does not respond',
    ],
  ] as const) {
    it(`is not done: ${missing} (${to})`, () => expect(missingIn(DONE.replace(from, to))).to.equal(missing));
  }

  it('is not done where the output is none of a phone', () => {
    expect(missingIn('')).to.equal('its boot is not complete');
    expect(missingIn('completed=1\n'.repeat(100_000))).to.equal('its service "activity" is not there');
  });

  it('that exceeds its limit fails with the fact that was missing', async () => {
    const clock = new FakeClock();
    const waiting = waitForBoot({
      open: () => Promise.reject(new Error('refused')),
      ended: () => Promise.resolve(undefined),
      ...{ limitMs: 60_000, clock },
    }).catch((error: unknown) => error);
    const turning = (async () => {
      for (let turns = 0; turns < 1_000; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.turn(500);
      }
    })();
    const error = await waiting;
    await turning;
    expect(error)
      .to.be.instanceOf(BootFailure)
      .with.property('message', 'did not finish its boot within 60 s: its ADB does not respond');
  });

  it('fails at once when the phone goes off', async () => {
    const error = await waitForBoot({
      open: () => Promise.reject(new Error('refused')),
      ended: () => Promise.resolve('its Android ended with status 1'),
      ...{ limitMs: 60_000, clock: new FakeClock() },
    }).catch((reason: unknown) => reason);
    expect(error)
      .to.be.instanceOf(BootFailure)
      .with.property('message', 'went off during its boot (its Android ended with status 1)');
  });
});

import { expect } from 'chai';
import { failureText, ShellPhone } from '../../testing/shell-phone.js';
import type { CheckedPhones } from '../checked-phones.js';
import { NotOffered } from '../row.js';
import { conditions } from './conditions.js';

const BERLIN = 'last location=Location[gps 52.520008,13.404954 hAcc=5]';

describe('row of conditions', () => {
  let phone: ShellPhone | undefined;
  afterEach(() => phone?.remove());

  /** A phone that reports what was set in words of its own; `shown`: what it makes of it. */
  const run = (
    offered: readonly string[],
    shown: { level?: (set: number | undefined) => number; place?: string; afterRestart?: string } = {},
  ): Promise<string> => {
    const { level = (set) => set ?? 100, place = BERLIN } = shown;
    let dumpsys: ((set: number | undefined) => string) | undefined = (set) => `  level: ${level(set)}\n${place}\n`;
    let set: number | undefined;
    const made = (phone = new ShellPhone({}));
    Object.assign(made, {
      conditions: (wanted: { battery?: { level?: number } }) => Promise.resolve(void (set = wanted.battery?.level)),
      restart: () => {
        if (shown.afterRestart !== undefined) dumpsys = () => shown.afterRestart ?? '';
        return Promise.resolve();
      },
      shell: () => Promise.resolve(dumpsys?.(set) ?? ''),
      device: () => Promise.resolve({}),
    });
    const phones = { get: () => made, model: { conditions: offered } } as unknown as CheckedPhones;
    return conditions.run(phones);
  };

  it('passes with what the model offers', async () => {
    expect(await run(['location', 'battery', 'network'])).to.equal('location, battery, network');
    expect(await run(['network'])).to.equal('network');
  });

  it('is not offered where the model offers none', async () => {
    const failure = await run([]).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(NotOffered).with.property('message').that.contains('"conditions" of the model');
  });

  for (const [what, shown, text] of [
    ['shows another battery', { level: () => 100 }, 'while it runs, dumpsys battery shows the level 100 and not 23'],
    ['shows another place', { place: 'null' }, 'while it runs, dumpsys location does not show the place'],
    ['forgets it', { afterRestart: 'level: 100' }, 'after a restart, dumpsys battery shows the level 100'],
    ['keeps the battery', { level: () => 23 }, 'the battery stayed as it was set'],
  ] as const) {
    it(`fails where the phone ${what}`, async () => {
      expect(await failureText(run(['location', 'battery'], shown))).to.contain(text);
    });
  }
});

import type { Clock } from '../../kit/async/clock.js';
import { readIdentity } from '../link/identity.js';
import type { PhoneLink } from '../link/phone-link.js';
import { isOneColour } from '../screen/pixels.js';
import { parseRawScreencap } from '../screen/raw-screencap.js';

/** The state of a boot, as the phone itself shows it. */
export type BootState = { done: true; identity: string } | { done: false; missing: string };

/** Limits of each command of the check. A phone that boots is slow, and its output is not to be trusted. */
const COMMAND = { timeoutMs: 15_000, maxBytes: 256 * 1024, doing: 'report the state of its boot' };

/** Services without which no app can be used. */
const SERVICES = ['activity', 'package', 'window', 'input'];

/**
 * Prints one line for each fact. `sys.boot_completed` is not enough: it is set while the user's storage is still locked and no window
 * shows. A key that is sent at that time causes an "isn't responding" dialog that stays.
 */
const BOOT_SCRIPT = [
  'echo "completed=$(getprop sys.boot_completed)"',
  'echo "animation=$(getprop init.svc.bootanim)"',
  'echo "unlocked=$(getprop sys.user.0.ce_available)"',
  ...SERVICES.map((service) => `echo "${service}=$(service check ${service} 2>/dev/null | head -n 1)"`),
  `echo "focus=$(dumpsys window 2>/dev/null | grep mCurrentFocus= | tail -n 1)"`,
].join('; ');

/** Turns on a screen that is off, and dismisses a keyguard that has no secret. */
const WAKE_SCRIPT = 'input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard; dumpsys power | grep mWakefulness=';

/** Returns whether the boot of a phone is done. When it is done, the screen is on. Throws where the phone does not respond. */
export async function readBoot(link: PhoneLink, signal?: AbortSignal): Promise<BootState> {
  const { stdout } = await link.shell(BOOT_SCRIPT, { ...COMMAND, signal });
  const missing = missingIn(stdout.toString('utf8'));
  if (missing !== undefined) return { done: false, missing };
  const woken = await link.shell(WAKE_SCRIPT, { ...COMMAND, signal });
  if (!woken.stdout.toString('utf8').includes('mWakefulness=Awake')) {
    return { done: false, missing: 'its screen is off' };
  }
  const screen = parseRawScreencap(await link.exec('screencap', { ...COMMAND, maxBytes: SCREEN_BYTES, signal }));
  if (screen === undefined || isOneColour(screen)) return { done: false, missing: 'its screen is blank' };
  return { done: true, identity: await readIdentity(link, { timeoutMs: COMMAND.timeoutMs }) };
}

/** Bytes of a raw capture of the largest screen of a model, with its header. */
const SCREEN_BYTES = 4_096 * 4_096 * 4 + 64;

/** Returns what still keeps the phone from being used, by the facts. Undefined: nothing does. */
export function missingIn(output: string): string | undefined {
  const facts = new Map(
    output.split('\n').map((line): [string, string] => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
  const fact = (name: string): string => facts.get(name) ?? '';
  if (fact('completed') !== '1') return 'its boot is not complete';
  if (fact('animation') !== '' && fact('animation') !== 'stopped') return 'its boot animation runs';
  if (fact('unlocked') !== '' && fact('unlocked') !== 'true') return "its user's storage is locked";
  const absent = SERVICES.find((service) => !/: found$/.test(fact(service)));
  if (absent !== undefined) return `its service "${absent}" is not there`;
  if (!/Window\{/.test(fact('focus'))) return 'no window has the focus';
  if (/Application Not Responding|Application Error/.test(fact('focus')))
    return 'a window reports that an app does not respond';
  return undefined;
}

export interface BootWait {
  /** Opens a link to the phone; throws while its ADB does not respond. */
  open: () => Promise<PhoneLink>;
  /** Returns why the phone went off, undefined while it is on. */
  ended: () => Promise<string | undefined>;
  limitMs: number;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** The pause between two readings of a boot, ms: the first 20 are quick. */
const EVERY_MS = 500;
const QUICK_MS = 100;

/**
 * Returns the identity of the phone once its boot is done. Throws BootFailure when the phone goes off, or its boot takes longer than
 * `limitMs`; the message names the fact that was missing.
 */
export async function waitForBoot({ open, ended, limitMs, clock, signal }: BootWait): Promise<string> {
  const deadlineMs = clock.monotonicMs() + limitMs;
  let missing = 'its ADB does not respond';
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    let link: PhoneLink | undefined;
    try {
      link = await open();
      const state = await readBoot(link, signal);
      if (state.done) return state.identity;
      ({ missing } = state);
    } catch (error) {
      signal?.throwIfAborted();
      // A phone may break any connection until it has booted. BootFailure has the last reason.
      if (link !== undefined) missing = error instanceof Error ? error.message : String(error);
    } finally {
      link?.close();
    }
    const reason = await ended();
    if (reason !== undefined) throw new BootFailure(`went off during its boot (${reason})`);
    if (clock.monotonicMs() >= deadlineMs) {
      throw new BootFailure(`did not finish its boot within ${limitMs / 1_000} s: ${missing}`);
    }
    await clock.sleep(tries < 20 ? QUICK_MS : EVERY_MS, signal);
  }
}

/** The error of a boot that failed. Its message completes a sentence that begins with "The phone". */
export class BootFailure extends Error {
  override name = 'BootFailure';
}

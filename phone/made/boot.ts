import type { Clock } from '../../kit/clock.js';
import { readIdentity } from '../link/identity.js';
import type { PhoneLink } from '../link/phone-link.js';
import { isOneColour } from '../screen/pixels.js';
import { parseRawScreencap } from '../screen/raw-screencap.js';

/** The state of a boot, as the phone itself shows it. */
export type BootState = { done: true; identity: string } | { done: false; missing: string };

/** Each command of the check, ms and bytes: a phone that boots is slow, and its output is not to be trusted. */
const COMMAND = { timeoutMs: 15_000, maxBytes: 256 * 1024, doing: 'report the state of its boot' };

/** Services without which no app can be used. */
const SERVICES = ['activity', 'package', 'window', 'input'];

/**
 * One line for each fact. `sys.boot_completed` alone is set while the user's storage is still locked and before the first window, and a key
 * that is sent then makes an "isn't responding" dialog that stays.
 */
const BOOT_SCRIPT = [
  'echo "completed=$(getprop sys.boot_completed)"',
  'echo "animation=$(getprop init.svc.bootanim)"',
  'echo "unlocked=$(getprop sys.user.0.ce_available)"',
  ...SERVICES.map((service) => `echo "${service}=$(service check ${service} 2>/dev/null | head -n 1)"`),
  `echo "focus=$(dumpsys window 2>/dev/null | grep mCurrentFocus= | tail -n 1)"`,
].join('; ');

/** A screen that is off is turned on, and a keyguard without a secret pushed away. */
const WAKE_SCRIPT = 'input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard; dumpsys power | grep mWakefulness=';

/** Returns whether the boot of a phone is done; then the screen is on. Throws where the phone does not respond. */
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

/** Of a raw capture of the largest screen of a model, with its header. */
const SCREEN_BYTES = 4_096 * 4_096 * 4 + 64;

/** What the facts lack of a phone that can be used; undefined: nothing. */
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

/** Between two readings of a boot, ms. */
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
      // Until it has booted, a phone may break any connection; the last reason is in the failure.
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

/** Completes "The phone …". */
export class BootFailure extends Error {
  override name = 'BootFailure';
}

import { createHash } from 'node:crypto';
import type { PhoneLink } from '../link/phone-link.js';
import { phoneUnavailable } from '../link/phone-errors.js';

const COMMAND = { timeoutMs: 15_000, maxBytes: 1_024, doing: 'take an ANDROID_ID of its own' };

/**
 * Gives a clone its own ANDROID_ID for the system and the shell, which Android keeps in a setting. The ids that apps see are computed from
 * a key in a file instead, see PhoneEngine.forgetIdentity.
 */
export async function giveOwnAndroidId(link: PhoneLink, phoneId: string, signal?: AbortSignal): Promise<void> {
  const id = createHash('sha256').update(`${phoneId} android_id`).digest('hex').slice(0, 16);
  const script = `settings put secure android_id ${id}; settings get secure android_id`;
  const { stdout } = await link.shell(script, { ...COMMAND, signal });
  if (stdout.toString('utf8').trim() !== id) throw phoneUnavailable('The phone did not take an ANDROID_ID of its own.');
}

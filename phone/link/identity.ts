import { ApiError } from '../../kit/errors.js';
import { phoneUnavailable } from './phone-errors.js';

/** Runs shell commands on a phone: a PhoneLink, a KeptLink, or any other way to its shell. */
export interface PhoneShell {
  shell(
    command: string,
    options: { timeoutMs: number; maxBytes: number; doing: string },
  ): Promise<{ stdout: Uint8Array }>;
}

/** Serial number, then boot id, a line each. Both can be read by the shell user on every Android version. */
export const IDENTITY_COMMAND = 'getprop ro.serialno; cat /proc/sys/kernel/random/boot_id';

/**
 * Reads `<serial number>/<boot id>` from a phone. It differs between any two phones and between two starts of the same phone.
 * Throws unavailable when the phone prints no boot id.
 */
export async function readIdentity(phone: PhoneShell, { timeoutMs }: { timeoutMs: number }): Promise<string> {
  const { stdout } = await phone.shell(IDENTITY_COMMAND, { timeoutMs, maxBytes: 4_096, doing: 'identify itself' });
  const identity = identityIn(Buffer.from(stdout).toString('utf8'));
  if (identity === undefined) throw phoneUnavailable('The phone did not identify itself.');
  return identity;
}

/** The identity in the output of IDENTITY_COMMAND; undefined when there is no boot id. */
export function identityIn(output: string): string | undefined {
  const [serial = '', bootId = ''] = output.split('\n').map((line) => line.trim());
  return bootId === '' ? undefined : `${serial}/${bootId}`;
}

/** The phone at an address is not the one that was expected there: the address was given to another phone, or the phone restarted. */
export class WrongPhone extends ApiError {
  readonly foundIdentity: string;

  constructor(foundIdentity: string) {
    super('unavailable', 'The phone at this address is another one than expected. Try again.', { retryAfterS: 1 });
    this.foundIdentity = foundIdentity;
  }
}

/** Throws WrongPhone unless the phone's identity is `expected`. */
export async function verifyIdentity(
  phone: PhoneShell,
  expected: string,
  options: { timeoutMs: number },
): Promise<void> {
  const found = await readIdentity(phone, options);
  if (found !== expected) throw new WrongPhone(found);
}

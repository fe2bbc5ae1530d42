import { ApiError } from '../../kit/errors/api-error.js';
import { identityOf } from '../start-identity.js';
import { phoneUnavailable } from './phone-errors.js';

/** Runs shell commands on a phone: a PhoneLink, a KeptLink, or any other way to its shell. */
export interface PhoneShell {
  shell(
    command: string,
    options: { timeoutMs: number; maxBytes: number; doing: string },
  ): Promise<{ stdout: Uint8Array }>;
}

/**
 * Prints the serial number, the boot id and the state of the first process, one a line. The shell user can read them on every Android
 * version.
 */
export const IDENTITY_COMMAND = 'getprop ro.serialno; cat /proc/sys/kernel/random/boot_id /proc/1/stat';

/**
 * Reads the identity of a phone's present start. It differs between any two phones and between two starts of the same phone.
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
  const [serial = '', bootId = '', init = ''] = output.split('\n').map((line) => line.trim());
  return bootId === '' ? undefined : identityOf({ serial, bootId, initStartTicks: startTicksIn(init) });
}

/** Field 22 of a line of /proc/PID/stat; 0 where the phone does not show it. The second field, a name in brackets, may contain blanks. */
function startTicksIn(line: string): number {
  const ticks = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return /^\d{1,15}$/.test(ticks) ? Number(ticks) : 0;
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

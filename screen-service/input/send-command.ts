import { phoneUnavailable } from '../../phone/link/deadline.js';
import type { PhoneSession } from '../phones/phone-session.js';

/**
 * Has the phone carry out an input command. Errors name what was to be done, never the command, which can contain typed text.
 */
export async function sendCommand(
  session: PhoneSession,
  command: string,
  options: { doing: string; signal?: AbortSignal | undefined },
): Promise<string> {
  session.inputSentMs = session.clock.monotonicMs();
  const { stdout, stderr, exitCode } = await session.command(command, options.doing, options.signal);
  const complaint = /INJECT_EVENTS|SecurityException/.test(stderr.toString('utf8'));
  if (complaint) throw phoneUnavailable(`The phone does not allow to ${options.doing}.`);
  if (exitCode !== undefined && exitCode !== 0) {
    throw phoneUnavailable(`The phone could not ${options.doing} (status ${exitCode}).`);
  }
  return stdout.toString('utf8');
}

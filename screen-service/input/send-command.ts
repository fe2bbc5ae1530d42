import type { Call } from '../../kit/call.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../phones/reached-phone.js';

/**
 * Runs an input command on the phone. Errors name its purpose (`doing`), never the command, which can contain typed text.
 */
export async function sendCommand(
  call: Pick<Call, 'signal'>,
  kept: ReachedPhone,
  command: string,
  doing: string,
): Promise<string> {
  const sent = (): void => {
    kept.inputSentMs = kept.clock.monotonicMs();
  };
  sent();
  const { stdout, stderr, exitCode } = await kept.command(call, command, doing).finally(sent);
  const complaint = /INJECT_EVENTS|SecurityException/.test(stderr.toString('utf8'));
  if (complaint) throw phoneUnavailable(`The phone does not allow to ${doing}.`);
  if (exitCode !== undefined && exitCode !== 0) {
    throw phoneUnavailable(`The phone could not ${doing} (status ${exitCode}).`);
  }
  return stdout.toString('utf8');
}

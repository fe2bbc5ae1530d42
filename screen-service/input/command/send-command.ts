import type { Call } from '../../../kit/call/call.js';
import { phoneUnavailable } from '../../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../../link/reached-phone.js';

/**
 * Runs an input command on the phone. Errors name its purpose (`doing`), never the command, which can contain typed text. `refusal`: the
 * text that a command prints when it checks something first and then sends no input.
 */
export async function sendCommand(
  call: Pick<Call, 'signal' | 'sender'>,
  phoneSession: ReachedPhone,
  command: string,
  doing: string,
  refusal?: string,
): Promise<string> {
  const input = phoneSession.inputs.begin(call.sender);
  let isRefused = false;
  try {
    const { stdout, stderr, exitCode } = await phoneSession.command(call, command, doing);
    const output = stdout.toString('utf8');
    isRefused = refusal !== undefined && output.includes(refusal);
    const complaint = /INJECT_EVENTS|SecurityException/.test(stderr.toString('utf8'));
    if (complaint) throw phoneUnavailable(`The phone does not allow to ${doing}.`);
    if (exitCode !== undefined && exitCode !== 0) {
      throw phoneUnavailable(`The phone could not ${doing} (status ${exitCode}).`);
    }
    return output;
  } finally {
    if (isRefused) input.refused();
    else input.taken();
  }
}

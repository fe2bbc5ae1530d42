import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import { sendCommand } from '../input/command/send-command.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** Opens an address in the app that handles such addresses. Throws not_found when no app does. */
export async function openUrl(call: Call, phoneSession: ReachedPhone, url: string): Promise<void> {
  // The status is ignored: only some versions of Android fail when no app takes the address.
  const command = `am start -a android.intent.action.VIEW -d ${shellQuote(url)} 2>&1 || true`;
  const output = await sendCommand(call, phoneSession, command, 'open the address');
  if (!/^Error/m.test(output)) return;
  const scheme = url.slice(0, url.indexOf(':'));
  throw new ApiError('not_found', `open_url.url: no app on this phone opens ${scheme}: addresses. Install one.`);
}

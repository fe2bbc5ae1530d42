import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { plainLine } from '../output/plain-text.js';
import { KEPT_VALUE, RUN_LABEL } from './run-label.js';
import { whenFree } from './when-free.js';

/**
 * Deletes a phone that a run has made, or keeps it where that is wanted. Its requests are not aborted by the end of the program. A failure is
 * reported with what to do, and does not change the status of the run.
 */
export async function leaveMade(
  { options, signal, terminal, wait, nowMs }: Invocation,
  phone: CloudPhone,
  { name, begun }: { name: string; begun: Promise<unknown> },
  hasSucceeded: boolean,
): Promise<void> {
  // A request for a phone that is still under way may make it later: only then it can be deleted.
  await begun.catch(() => undefined);
  const params = { path: { name } };
  try {
    if (options.flag('keep-on-failure') && !hasSucceeded && !signal.aborted) {
      const labels = { [RUN_LABEL.key]: KEPT_VALUE };
      await phone.patch('/v1/devices/{name}', { params, body: { labels } });
      terminal.note(
        `cloudphone: ${name} is kept. Look at it: cloudphone open ${name}. Then: cloudphone delete ${name}`,
      );
    } else await whenFree({ phone, wait, nowMs }, name, () => phone.delete('/v1/devices/{name}', { params }));
  } catch (error) {
    const reason = plainLine(error instanceof Error ? error.message : String(error));
    const next = 'It is stopped for want of use; then delete it: cloudphone run --sweep';
    terminal.note(`cloudphone: ${name} could not be left as it was: ${reason} ${next}`);
  }
}

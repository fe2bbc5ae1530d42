import { PhoneFailure } from '../../../phone/driver.js';
import { shellQuote } from '../../../phone/link/shell-quote.js';
import type { Worker } from '../jobs/worker.js';
import { PACKAGE_COMMAND_MS } from '../limits.js';
import type { OpenLink } from '../phones/open-link.js';
import type { UninstallWork } from '../../store/job-work.js';
import { failureIn } from './package-failure.js';

/**
 * Removes an app from a running phone, with its data. An app that is not on the phone counts as removed, because the work may have been
 * done before a crash.
 */
export function uninstallApp(openLink: OpenLink): Worker<UninstallWork> {
  return async ({ work, endpoint, signal }) => {
    const name = shellQuote(work.package);
    const link = await openLink(endpoint);
    try {
      const options = { timeoutMs: PACKAGE_COMMAND_MS, maxBytes: 64 * 1024, signal };
      const { stdout, stderr } = await link.shell(`pm uninstall ${name}`, { ...options, doing: 'remove an app' });
      const output = stdout.toString('utf8') + stderr.toString('utf8');
      if (/^Success/m.test(output)) return { result: { package: work.package } };
      const path = await link.shell(`pm path ${name}`, { ...options, doing: 'look for an app' });
      if (!path.stdout.includes('package:')) return { result: { package: work.package } };
      throw new PhoneFailure(`The phone did not remove ${work.package}: ${failureIn(output)}`);
    } finally {
      link.close();
    }
  };
}

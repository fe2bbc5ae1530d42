import { undoLater } from './interrupt.js';
import { benchLibrary } from './library.js';
import { startKeyedServices } from './keyed-services.js';
import { benchLeaseRounds } from './lease-rounds.js';
import { benchPoolStart } from './pool-start.js';
import type { Report } from './report.js';
import { benchTemplates } from './templates.js';

/** P36 to P39: phones of pools on services that are processes of their own, templates, and the app library. */
export async function benchPools(report: Report): Promise<void> {
  const services = await startKeyedServices();
  undoLater(() => services.close());
  await benchPoolStart(report, services);
  await benchLeaseRounds(report, services);
  await benchTemplates(report);
  await benchLibrary(report);
}

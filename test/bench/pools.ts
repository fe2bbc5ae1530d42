import { undoLater } from './interrupt.js';
import { startKeyedServices } from './keyed-services.js';
import { benchLeaseRounds } from './lease-rounds.js';
import { benchPoolStart } from './pool-start.js';
import type { Report } from './report.js';

/** P36 and P37: phones of pools, on services that are processes of their own, with rate limits. */
export async function benchPools(report: Report): Promise<void> {
  const services = await startKeyedServices();
  undoLater(() => services.close());
  await benchPoolStart(report, services);
  await benchLeaseRounds(report, services);
}

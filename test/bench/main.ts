import { cpus } from 'node:os';
import { benchAgent } from './agent.js';
import { benchApk } from './apk.js';
import { benchCli } from './cli.js';
import { benchContainers } from './containers.js';
import { benchDeadlines } from './deadlines.js';
import { benchEdge } from './edge.js';
import { undoAll, undoWhenInterrupted } from './interrupt.js';
import { benchGym } from './gym.js';
import { benchJobs } from './jobs.js';
import { benchLibrary } from './library.js';
import { benchLimits } from './limits.js';
import { benchLive } from './live.js';
import { benchPods } from './pods.js';
import { benchPools } from './pools.js';
import type { Report, Row } from './report.js';
import { benchRaces } from './races.js';
import { benchRecovery } from './recovery.js';
import { benchOutage } from './outage.js';
import { benchRecordings } from './recordings.js';
import { benchReference } from './reference.js';
import { benchResident } from './resident.js';
import { benchRelay } from './relay.js';
import { benchScale } from './scale.js';
import { benchSchedules } from './schedules.js';
import { benchScreen } from './screen.js';
import { benchSnapshots } from './snapshots.js';
import { benchSoak } from './soak.js';
import { benchStart } from './start.js';
import { benchStepTrace } from './step-trace.js';
import { benchTemplates } from './templates.js';
import { benchTimeline } from './timeline.js';
import { benchWebhooks } from './webhooks.js';

// `npm run bench -- <name>`: each row is ours, theirs, the ratio (median, least, most over alternating pairs), the goal, and whether
// it holds. Ratios count: machines differ.
const benches = {
  agent: async (report: Report) => {
    await benchAgent(report);
    await benchResident(report);
  },
  apk: benchApk,
  cli: benchCli,
  containers: benchContainers,
  deadlines: benchDeadlines,
  edge: benchEdge,
  gym: benchGym,
  jobs: benchJobs,
  library: benchLibrary,
  limits: benchLimits,
  live: benchLive,
  outage: benchOutage,
  pods: benchPods,
  pools: benchPools,
  races: benchRaces,
  recordings: benchRecordings,
  recovery: benchRecovery,
  reference: benchReference,
  relay: benchRelay,
  resident: benchResident,
  scale: benchScale,
  schedules: benchSchedules,
  screen: benchScreen,
  snapshots: benchSnapshots,
  soak: benchSoak,
  start: benchStart,
  'step-trace': benchStepTrace,
  templates: benchTemplates,
  timeline: benchTimeline,
  webhooks: benchWebhooks,
};

const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in benches));
if (unknown !== undefined || names.length === 0) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(benches).join(' | ')}\n`);
  process.exit(1);
}
process.stdout.write(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? '?'}\n`);
undoWhenInterrupted();
let missed = 0;
for (const name of names as (keyof typeof benches)[]) {
  process.stdout.write(`\n${name}\n`);
  await benches[name](({ what, ours, theirs, ratio, goal, holds }: Row) => {
    if (!holds) missed++;
    const figures =
      ratio === undefined ? '' : `${ratio.median.toFixed(3)} (${ratio.min.toFixed(3)} to ${ratio.max.toFixed(3)})`;
    process.stdout.write(
      `  ${holds ? 'holds' : 'MISSES'}  ${what}\n          ours ${ours}; theirs ${theirs || '-'}; ratio ${figures || '-'}; goal ${goal}\n`,
    );
  }).finally(undoAll);
}
process.exit(missed === 0 ? 0 : 2);

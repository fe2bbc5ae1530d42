import type { Client } from '@connectrpc/connect';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { type PeriodicTask, Wakeup } from '../../kit/ops/periodic-tasks.js';
import { type Implementation, implement } from '../../kit/rpc/rpc-service.js';
import type { SecretBox } from '../../kit/text/secret-box.js';
import { GroupService } from '../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import { HandoverService } from '../../proto/gen/cloudphone/device/v1/handover_service_pb.js';
import { LeaseService } from '../../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { PoolService } from '../../proto/gen/cloudphone/device/v1/pool_service_pb.js';
import { ScheduleService } from '../../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import type { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { Devices } from '../devices/open-devices.js';
import type { RecordingCalls } from '../recordings/recording-calls.js';
import type { FleetContext } from './fleet-context.js';
import { sealStoredSteps } from './groups/seal-stored-steps.js';
import { type StepsBox, stepsBox } from './groups/steps-box.js';
import { GROUP_BEAT_MS, POOL_CHECK_MS, POOL_WATCH_MS, SCHEDULE_POLL_MS } from './limits.js';
import { markReady } from './pools/mark-ready.js';
import { PoolRuns } from './pools/pool-runs.js';
import { DeviceNews } from './device-news.js';
import { leaseMaintenance } from './leases/lease-watch.js';
import { handoverMaintenance } from './handovers/handover-watch.js';
import { groupRpc } from './rpc/group-rpc.js';
import { handoverRpc } from './rpc/handover-rpc.js';
import { jobRpc } from './rpc/job-rpc.js';
import { leaseRpc } from './rpc/lease-rpc.js';
import { poolRpc } from './rpc/pool-rpc.js';
import { scheduleRpc } from './rpc/schedule-rpc.js';
import { GroupRuns } from './runs/group-runs.js';
import { HostSilence } from './host-silence.js';
import { ScheduleWatch } from './schedules/schedule-watch.js';

export interface FleetOptions {
  devices: Devices;
  recordingCalls: RecordingCalls;
  /** The screen service, for the steps of groups that act on the screen. Absent: such steps fail. */
  screen?: Client<typeof ScreenService>;
  /** Encrypts secrets in the database. Absent: they are stored as they are. */
  secretBox?: SecretBox | undefined;
  /** Encrypts the steps of groups and schedules. Absent: only the secretBox is used. */
  stepsBox?: StepsBox;
}

export interface Fleet {
  context: FleetContext;
  rpc: Implementation[];
  maintenance: PeriodicTask[];
  close(): Promise<void>;
}

/** Opens the work on many devices: groups and their runs, schedules, and the list of all jobs. */
export async function openFleet({
  devices,
  recordingCalls,
  screen,
  secretBox,
  ...options
}: FleetOptions): Promise<Fleet> {
  const sealing = options.stepsBox ?? stepsBox(secretBox, undefined);
  const deviceNews = new DeviceNews();
  const poolNews = new Wakeup();
  const context: FleetContext = {
    ...devices.context,
    screen,
    recordingCalls,
    deviceNews,
    takingLease: new KeyedLock(),
    beingLeased: new Set(),
    hostSilence: new HostSilence(devices.context),
    poolNews,
    stepsBox: sealing,
  };
  await sealStoredSteps(context);
  const runs = new GroupRuns(context);
  const schedules = new ScheduleWatch(context, runs);
  const pools = new PoolRuns(context);
  return {
    context,
    rpc: [
      implement(GroupService, groupRpc(context, runs)),
      implement(ScheduleService, scheduleRpc(context)),
      implement(LeaseService, leaseRpc(context)),
      implement(HandoverService, handoverRpc(context)),
      implement(PoolService, poolRpc(context)),
      implement(JobService, jobRpc(context)),
    ],
    maintenance: [
      { name: 'renew and take over groups', everyMs: GROUP_BEAT_MS, run: () => runs.tick() },
      { name: 'begin the schedules that are due', everyMs: SCHEDULE_POLL_MS, run: () => schedules.tick() },
      ...leaseMaintenance(context),
      ...handoverMaintenance(context),
      { name: 'work on the pools', everyMs: POOL_WATCH_MS, run: () => pools.tick(), wakeup: poolNews },
      { name: 'check new phones of pools', everyMs: POOL_CHECK_MS, run: () => markReady(context) },
    ],
    close: async () => {
      await runs.close();
      await pools.close();
    },
  };
}

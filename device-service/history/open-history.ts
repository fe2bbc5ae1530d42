import type { Client } from '@connectrpc/connect';
import { type PeriodicTask, Wakeup } from '../../kit/ops/periodic-tasks.js';
import { type Implementation, implement } from '../../kit/rpc/rpc-service.js';
import { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import { CrashService } from '../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { TimelineService } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import type { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { Accounts } from '../accounts/open-accounts.js';
import type { JobEndSubscriber } from '../record/ended-job.js';
import { SWEEP_MS } from '../record/limits.js';
import { publishCrashes } from './crashes/publish-crashes.js';
import { sweepCrashes } from './crashes/sweep-crashes.js';
import { publishExpiringKeys } from './events/expiring-keys.js';
import { publishDeviceEvents } from './events/device-events.js';
import { FinishedJobs } from './events/finished-jobs.js';
import { JobWaits } from './events/job-waits.js';
import type { HistoryContext } from './history-context.js';
import { addEntry } from './job-ends/add-entry.js';
import { endWaits } from './job-ends/end-waits.js';
import { fileJob } from './job-ends/file-job.js';
import { publishStates } from './job-ends/publish-states.js';
import { removeCrashes } from './job-ends/remove-crashes.js';
import { removeRecordings } from './job-ends/remove-recordings.js';
import { removeTimeline } from './job-ends/remove-timeline.js';
import { KEY_EXPIRY_LOOK_MS, CRASH_SWEEP_MS, PUBLISH_AGAIN_MS, PUBLISH_FIRST_MS, TIMELINE_SWEEP_MS } from './limits.js';
import { crashRpc } from './rpc/crash-rpc.js';
import { timelineRpc } from './rpc/timeline-rpc.js';
import { keepEntries } from './timeline/keep-entries.js';
import { DEFAULT_TIMELINE, TimelineRoom, type TimelineSettings } from './timeline/timeline-room.js';

export interface HistoryOptions {
  accounts: Accounts;
  /** The webhook service; absent: events are not published. */
  events?: Client<typeof EventService>;
  /** How long timelines are stored, and how much room they may take. Absent: DEFAULT_TIMELINE. */
  timeline?: TimelineSettings;
}

export interface History {
  context: HistoryContext;
  rpc: Implementation[];
  jobEnds: JobEndSubscriber[];
  maintenance: PeriodicTask[];
  /** Stores the finished jobs that the last process of this host did not move out of their devices' documents. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the records of what has happened: the ends of jobs, the events of devices, and timelines. */
export function openHistory({ accounts, events, timeline }: HistoryOptions): History {
  const { crashes, devices, jobs, keys, recordings, hostId, clock, log } = accounts.context;
  const jobWaits = new JobWaits(clock);
  const onFound = jobWaits.ended.bind(jobWaits);
  const finishedJobs = new FinishedJobs({ devices, jobs, events, hostId, onFound, clock, log });
  const deviceEvents = new Wakeup();
  const crashEvents = new Wakeup();
  const recordingSweep = new Wakeup();
  const timelineRoom = new TimelineRoom(accounts.context, timeline ?? DEFAULT_TIMELINE);
  const timelineQueue = new TimelineQueue({
    clock,
    log,
    send: (entries) => keepEntries({ devices, keys, timelineRoom }, entries),
  });
  const context: HistoryContext = {
    ...accounts.context,
    events,
    finishedJobs,
    jobWaits,
    deviceEvents,
    crashEvents,
    recordingSweep,
    timelineRoom,
    timelineQueue,
  };
  return {
    context,
    rpc: [implement(TimelineService, timelineRpc(context)), implement(CrashService, crashRpc(context))],
    jobEnds: [
      endWaits(jobWaits),
      fileJob(finishedJobs),
      publishStates(deviceEvents),
      addEntry(timelineQueue),
      removeTimeline(timelineRoom),
      removeCrashes(crashes),
      removeRecordings(recordings, recordingSweep),
    ],
    maintenance: [
      {
        name: 'publish events of devices',
        everyMs: PUBLISH_AGAIN_MS,
        firstMs: PUBLISH_FIRST_MS,
        run: (signal) => publishDeviceEvents(context, signal),
        wakeup: deviceEvents,
      },
      {
        name: 'publish finished jobs',
        everyMs: PUBLISH_AGAIN_MS,
        firstMs: PUBLISH_FIRST_MS,
        run: (signal) => finishedJobs.publishPending(signal),
      },
      {
        name: 'publish crashes of apps',
        everyMs: PUBLISH_AGAIN_MS,
        firstMs: PUBLISH_FIRST_MS,
        run: (signal) => publishCrashes(context, signal),
        wakeup: crashEvents,
      },
      {
        name: 'remove crashes of devices that are gone',
        everyMs: CRASH_SWEEP_MS,
        run: (signal) => sweepCrashes(context, signal),
      },
      {
        name: 'publish keys that expire soon',
        everyMs: KEY_EXPIRY_LOOK_MS,
        run: (signal) => publishExpiringKeys(context, signal),
      },
      { name: 'file finished jobs', everyMs: SWEEP_MS, run: () => finishedJobs.fileLeft() },
      {
        name: 'remove expired entries of timelines',
        everyMs: TIMELINE_SWEEP_MS,
        run: (signal) => timelineRoom.removeExpired(clock.now(), signal),
      },
    ],
    start: () => finishedJobs.fileLeft(),
    close: async () => {
      await finishedJobs.close();
      await timelineQueue.close();
    },
  };
}

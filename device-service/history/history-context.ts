import type { Client } from '@connectrpc/connect';
import type { Wakeup } from '../../kit/ops/periodic-tasks.js';
import type { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import type { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { AccountsContext } from '../accounts/accounts-context.js';
import type { FinishedJobs } from './events/finished-jobs.js';
import type { JobWaits } from './events/job-waits.js';
import type { TimelineRoom } from './timeline/timeline-room.js';

/** What the operations of history, and of all packages below, work with. */
export interface HistoryContext extends AccountsContext {
  /** The webhook service. Absent: events are dropped. */
  events: Client<typeof EventService> | undefined;
  finishedJobs: FinishedJobs;
  jobWaits: JobWaits;
  /** Woken when a device has new events to publish. */
  deviceEvents: Wakeup;
  /** Woken when a crash has an event to publish. */
  crashEvents: Wakeup;
  /** Woken when recordings are to be removed. */
  recordingSweep: Wakeup;
  timelineRoom: TimelineRoom;
  timelineQueue: Pick<TimelineQueue, 'add'>;
}

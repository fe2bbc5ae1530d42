import { type GroupDocument, GroupStore } from '../../device-service/store/groups.js';
import { type JobDocument, JobStore } from '../../device-service/store/jobs.js';
import { type ScheduleDocument, ScheduleStore } from '../../device-service/store/schedules.js';
import { Day } from '../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf, OF_TENANT } from './tenants.js';

const LATER = new Date(Date.UTC(2100, 0, 1));

/** Finished jobs of six devices of each account, of which one in five has failed and one in ten has an event to publish. */
const jobs = filled(({ at, number, accountId }): JobDocument => ({
  _id: idOf('job', at),
  accountId,
  kind: 'start',
  phoneId: idOf('ph', number % 6),
  device: idOf('d', number % 6),
  deviceCreatedBy: `key_${number % 4}`,
  createdAt: minuteOf(at),
  progress: 100,
  outcome: { state: number % 5 === 0 ? 'failed' : 'done', finishedAt: minuteOf(at) },
  ...(number % 10 === 0 && { eventPending: true }),
  expiresAt: LATER,
}));
const all = { accountId: 'acc_1', seen: undefined, device: undefined, state: undefined, beforeId: undefined, limit: 5 };
const rest = { ...all, beforeId: idOf('job', 250), limit: DOCUMENTS };
const device = idOf('d', 3);
const seen = { names: [device], keyId: 'key_1' };
const seenByLabel = { names: [], label: 'team:qa', keyId: 'ses_1', memberId: 'mem_1' };

export const jobQueries: StoreUnderTest<JobStore> = {
  name: 'jobs',
  collection: 'jobs',
  documents: jobs,
  open: (database) => new JobStore(database),
  createIndexes: (database) => new JobStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    file: NO_QUERY,
    eventsPending: [(store) => store.eventsPending()],
    countEventPending: [(store) => store.countEventPending(10, new AbortController().signal)],
    eventPublished: [(store) => store.eventPublished(idOf('job', 0))],
    find: [(store) => store.find(idOf('job', 7))],
    list: [
      ...[all, rest].flatMap((page) =>
        [undefined, device].flatMap((of) =>
          ([undefined, 'done', 'failed'] as const).map(
            (state) => (store: JobStore) => store.list({ ...page, device: of, state }),
          ),
        ),
      ),
      bounded('a key with few devices reads past the jobs of others of its account', OF_TENANT, (store) =>
        store.list({ ...all, seen, limit: DOCUMENTS }),
      ),
      bounded('a caller with a label reads past the jobs of others of its account', OF_TENANT, (store) =>
        store.list({ ...all, seen: seenByLabel, phoneIds: [idOf('ph', 3)], limit: DOCUMENTS }),
      ),
    ],
    deleteAll: [(store) => store.deleteAll('acc_1')],
    listAll: [
      (store) => store.listAll(20),
      (store) => store.listAll(20, 'done'),
      (store) => store.listAll(20, 'failed'),
    ],
  },
};

/** One in five runs or is not filed, and one in seven has a label. */
const groups = filled(({ at, number, accountId, hostId }): GroupDocument => ({
  _id: idOf('grp', at),
  accountId,
  jobId: idOf('job', at),
  maker: { id: `key_${number % 3}`, isOwner: false, ...(number % 3 === 0 && { memberId: `mem_${number % 6}` }) },
  steps: '',
  stepCount: 1,
  concurrency: 1,
  onError: 'stop',
  devices: [{ name: 'one', phoneId: 'ph_1', state: 'running', step: 0 }],
  createdAt: minuteOf(at),
  hostId,
  runId: idOf('run', at),
  leaseUntil: minuteOf(at),
  ...(number % 7 === 0 && { labels: ['ring:1', 'team:qa'] }),
  ...(number % 5 === 0 && { open: true }),
  ...(number % 10 >= 5 && { outcome: { state: 'done', finishedAt: minuteOf(at) }, expiresAt: LATER }),
}));
const running = first(groups, ({ open, outcome }) => open === true && outcome === undefined);
const ended = first(groups, ({ open, outcome }) => open === true && outcome !== undefined);

export const groupQueries: StoreUnderTest<GroupStore> = {
  name: 'groups',
  collection: 'groups',
  documents: groups,
  open: (database) => new GroupStore(database),
  createIndexes: (database) => new GroupStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(running._id)],
    findByJob: [(store) => store.findByJob(running.jobId)],
    listOpen: [(store) => store.listOpen(), (store) => store.listOpen('acc_1')],
    list: [
      ...[undefined, 'key_1'].flatMap((makerId) => [
        (store: GroupStore) => store.list({ accountId: 'acc_1', makerId, beforeId: undefined, limit: 5 }),
        (store: GroupStore) =>
          store.list({ accountId: 'acc_1', makerId, beforeId: idOf('grp', 200), limit: DOCUMENTS }),
        (store: GroupStore) =>
          store.list({ accountId: 'acc_1', makerId, label: 'team:qa', beforeId: idOf('grp', 200), limit: DOCUMENTS }),
      ]),
      (store: GroupStore) =>
        store.list({ accountId: 'acc_1', memberId: 'mem_0', beforeId: idOf('grp', 200), limit: DOCUMENTS }),
    ],
    deleteAll: [(store) => store.deleteAll('acc_1')],
    countOpen: [(store) => store.countOpen('acc_1')],
    take: [(store) => store.take(running, { hostId: 'host_2', runId: 'run_new', leaseUntil: LATER })],
    cancel: [(store) => store.cancel(running._id, minuteOf(1))],
    renew: [(store) => store.renew([running, ended], LATER)],
    release: [(store) => store.release([running, ended])],
    note: [(store) => store.note(running, 0, { name: 'one', phoneId: 'ph_1', state: 'done', step: 1 })],
    finish: [
      (store) => store.finish(running, { outcome: { state: 'done', finishedAt: minuteOf(1) }, expiresAt: LATER }),
    ],
    close: [(store) => store.close(ended._id)],
    replaceSteps: [
      bounded('every group, once at the start', DOCUMENTS, (store) => store.replaceSteps((steps) => steps)),
    ],
  },
};

const schedules = filled(({ at, number, accountId }): ScheduleDocument => ({
  _id: idOf('sch', at),
  accountId,
  maker: { id: 'key_1', isOwner: false },
  createdBy: `key_${number % 10}`,
  devices: ['one'],
  days: [Day.MON],
  time: '08:00',
  timezone: 'UTC',
  steps: '',
  concurrency: 1,
  onError: 'stop',
  createdAt: minuteOf(at),
  ...(number % 2 === 0 && { nextRunAt: minuteOf(at) }),
  ...(number % 10 === 0 && { begun: { at: minuteOf(at), groupId: idOf('grp', at), claimedAt: minuteOf(at) } }),
}));
const due = first(schedules, ({ nextRunAt }) => nextRunAt !== undefined);
const begun = first(schedules, (schedule) => schedule.begun !== undefined);
const groupId = begun.begun?.groupId ?? '';
const lastRun = { at: minuteOf(1), state: 'done' as const, groupId };
const schedulePage = { accountId: 'acc_1', createdBy: undefined, afterId: undefined, limit: 5 };

export const scheduleQueries: StoreUnderTest<ScheduleStore> = {
  name: 'schedules',
  collection: 'schedules',
  documents: schedules,
  open: (database) => new ScheduleStore(database),
  createIndexes: (database) => new ScheduleStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(due.accountId, due._id)],
    count: [(store) => store.count('acc_1')],
    deleteAll: [(store) => store.deleteAll('acc_1')],
    list: [
      (store) => store.list(schedulePage),
      (store) => store.list({ ...schedulePage, afterId: idOf('sch', 200), limit: DOCUMENTS }),
      bounded('an account has at most MAX_SCHEDULES schedules', OF_TENANT, (store) =>
        store.list({ ...schedulePage, createdBy: 'key_1' }),
      ),
    ],
    change: [
      (store) => store.change(due, { time: '09:00' }, null),
      (store) => store.change(due, { time: '09:00' }, undefined),
    ],
    delete: [(store) => store.delete(due.accountId, due._id)],
    findDue: [(store) => store.findDue(minuteOf(100), 10), (store) => store.findDue(minuteOf(100), DOCUMENTS)],
    findStuck: [(store) => store.findStuck(minuteOf(100), 10), (store) => store.findStuck(minuteOf(100), DOCUMENTS)],
    claim: [(store) => store.claim(due, { nextRunAt: minuteOf(DOCUMENTS), lastRun })],
    begun: [(store) => store.begun(begun._id, groupId, lastRun)],
    ended: [(store) => store.ended(begun._id, lastRun)],
    replaceSteps: [
      bounded('every schedule, once at the start', DOCUMENTS, (store) =>
        store.replaceSteps((steps) => ({ steps, lost: false })),
      ),
    ],
  },
};

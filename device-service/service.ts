import type { Transport } from '@connectrpc/connect';
import { CALLER_TTL_MS, CallerCache } from '../kit/rpc/caller-cache.js';
import { freeSpaceOf, HostSpace } from '../kit/host-space.js';
import { KeyedLock } from '../kit/keyed-lock.js';
import { type Loop, repeat } from '../kit/repeat.js';
import { connectTo } from '../kit/rpc/transport.js';
import { callChecks } from '../kit/rpc/interceptors.js';
import type { RpcService } from '../kit/rpc/rpc-service.js';
import { TimelineQueue } from '../kit/timeline/timeline-queue.js';
import { AppReader } from '../phone/apk/app-reader.js';
import { AppFolders } from './apps/app-folders.js';
import { Catalogue } from './apps/catalogue.js';
import { installApp } from './apps/install-app.js';
import { uninstallApp } from './apps/uninstall-app.js';
import { authenticateWith } from './access/authenticate.js';
import { createFirstAccount, type FirstAccount, type KeptSecrets, stillGood } from './access/first-start.js';
import { LastUse } from './access/last-use.js';
import { Passwords } from './access/passwords.js';
import { Throttle } from './access/throttle.js';
import { accountNow } from './billing/account-now.js';
import { keepPayment } from './billing/creation-payment.js';
import { DailyUsage } from './billing/daily-usage.js';
import { release } from './billing/funds.js';
import { Ledger } from './billing/ledger.js';
import { DEFAULT_PRICES } from './billing/prices.js';
import { Meter } from './billing/meter.js';
import { followConditions } from './conditions/follow-conditions.js';
import type { EndedJob } from './converge/converge.js';
import { HostLoop } from './converge/host-loop.js';
import { FinishedJobs } from './events/finished-jobs.js';
import { publishDeviceEvents } from './events/device-events.js';
import { stopIdle } from './devices/idle-stop.js';
import { exitCheck } from './health/check-exit.js';
import { checkThroughAdb } from './health/check-phone.js';
import { HealthWatch } from './health/health-watch.js';
import { GroupRuns } from './groups/group-runs.js';
import { sealStoredSteps } from './groups/seal-stored-steps.js';
import { stepsBox } from './groups/steps-box.js';
import { finishForgetting } from './hosts/forget-host.js';
import { HostLease } from './hosts/host-lease.js';
import { Hosts } from './hosts/hosts.js';
import { problemsOf } from './hosts/list-hosts.js';
import { measureHost } from './hosts/measure-host.js';
import { failJobsOfSilentHosts } from './hosts/silent-hosts.js';
import { Once } from './idempotency/once.js';
import { JobWaits } from './jobs/job-waits.js';
import {
  GROUP_BEAT_MS,
  HEALTH_CHECK_MS,
  HOST_LEASE_MS,
  IDLE_CHECK_MS,
  METER_MS,
  PUBLISH_AGAIN_MS,
  PUBLISH_FIRST_MS,
  SCHEDULE_POLL_MS,
  STORAGE_MEASURE_MS,
  SWEEP_MS,
  TIMELINE_SWEEP_MS,
} from './limits.js';
import { deviceMetrics } from './metrics.js';
import { openNetwork } from './network/network.js';
import { linkOpener } from './phones/open-link.js';
import { ResidentHelpers } from './phones/resident-helpers.js';
import { PhoneDrivers } from './phones/phone-drivers.js';
import { measureStorage } from './quotas/measure-storage.js';
import { Quotas } from './quotas/quotas.js';
import { deviceServiceRpc } from './rpc/device-service-rpc.js';
import { ScheduleWatch } from './schedules/schedule-watch.js';
import { jobSnapshots } from './snapshots/job-snapshots.js';
import { seeBackThroughAdb } from './snapshots/see-back.js';
import { SnapshotSweep } from './snapshots/sweep-snapshots.js';
import { saveSnapshot } from './snapshots/take-snapshot.js';
import { unfiledJobs } from './store/jobs.js';
import type { DeviceDocument } from './store/devices.js';
import { openStores } from './store/stores.js';
import { jobEntry } from './timeline/job-entry.js';
import { keepEntries } from './timeline/keep-entries.js';
import { DEFAULT_TIMELINE, TimelineRoom } from './timeline/timeline-room.js';
import type { AppDirectories, DeviceServiceOptions } from './options.js';
import { UnderWay } from '../kit/under-way.js';

const NOWHERE: AppDirectories = { catalogue: '/nonexistent', folder: '/nonexistent' };

export interface DeviceServiceInstance {
  rpc: RpcService;
  /** Publishes the URL of this instance, so that other hosts wake it for jobs. Until then it only reads the database regularly. */
  announce(url: string): Promise<void>;
  /** Ends all waits for jobs: waiting callers get the job as it is. To be called before the ports drain. */
  endWaits(): void;
  /** On an empty database makes the first account and its key. `keep` gets them before they are made. */
  createFirstAccount(email: string, keep?: (first: FirstAccount) => void): Promise<FirstAccount | undefined>;
  /** Returns those of an account's secrets that are still good; undefined when there is no such account. */
  stillGood(kept: KeptSecrets): Promise<KeptSecrets | undefined>;
  /** Charges all minutes due now, beside doing so every few seconds. */
  meter(): Promise<void>;
  /** Stops devices that were not used for their idle time, beside doing so every few seconds. */
  stopIdle(): Promise<void>;
  /** Lets running jobs end (bounded) and leaves the others to the next start. */
  close(): Promise<void>;
}

/** Opens the stores, makes database and phones agree, and begins to work. */
export async function createDeviceService(options: DeviceServiceOptions): Promise<DeviceServiceInstance> {
  const { clock, log, hostId, signUpOpen = true, allowPrivateTargets = false, prices = DEFAULT_PRICES } = options;
  const stores = await openStores(options.database, { box: options.secretBox, clock, log });
  const box = options.stepsBox ?? stepsBox(options.secretBox, undefined);
  await sealStoredSteps({ ...stores, box, log });
  const drivers = new PhoneDrivers(options.drivers);
  const lease = await HostLease.acquire({
    hosts: stores.hosts,
    hostId,
    folderId: options.folderId ?? hostId,
    measure: () => measureHost(drivers.all),
    lost: options.lostHost ?? (() => undefined),
    clock,
    log,
  });
  const { epoch } = lease;
  options.readiness?.remarks(async () => problemsOf(await stores.hosts.find(hostId)));
  const couldNot = (what: string) => (error: unknown) => log.warn({ err: error }, `could not ${what}`);
  const dailyUsage = new DailyUsage(stores);
  const ledger = new Ledger(stores.entries, clock, (accountId, first, last) =>
    // The next lines, or a report, sum what is left.
    dailyUsage.follow(accountId, first, last).catch(couldNot('sum the ledger of an account')),
  );
  const waits = new JobWaits(clock);
  /** Undefined until the service has started. */
  let deviceEvents: Loop | undefined = undefined;
  const onDeviceEvents = (): void => deviceEvents?.soon();
  const finishedJobs = new FinishedJobs({
    ...stores,
    events: options.events,
    hostId,
    onFound: (job) => waits.ended(job),
    clock,
    log,
  });
  const metrics = deviceMetrics({ ...options, ...stores, running: () => own.kinds });
  const room = new TimelineRoom(stores, options.timeline ?? DEFAULT_TIMELINE);
  const timelineQueue = new TimelineQueue({ clock, log, send: (entries) => keepEntries({ ...stores, room }, entries) });
  const onEnded = ({ device, job, change }: EndedJob): void => {
    if (job.outcome !== undefined) metrics.jobFinished(job, job.outcome);
    for (const document of unfiledJobs({ ...device, finished: [job] })) {
      waits.ended(document);
      finishedJobs.add(document);
    }
    if (change.deviceEvents !== undefined) onDeviceEvents();
    const entry = jobEntry(device, job);
    if (entry !== undefined) timelineQueue.add({ phoneId: device._id, heldBytes: 0, make: () => entry });
    // Those that a crash leaves go with their time; nobody can use a share of a device that is gone.
    if (change.gone === true) {
      void room.removeOfPhone(device._id).catch(couldNot('remove the timeline of a device'));
      void stores.shares.removeOfPhone(device._id).catch(couldNot('remove the shares of a device'));
    }
    // A crash before this leaves the folder to the next sweep.
    if (job.kind === 'install') void folders.remove(job.id).catch(couldNot('remove the files of an install'));
    network.onEnded({ device, job, change });
    log.info({ job: job.id, kind: job.kind, device: device.name, state: job.outcome?.state }, 'job finished');
  };
  const openLink = linkOpener(clock);
  const { apps = NOWHERE } = options;
  const folders = new AppFolders(apps.folder);
  const uploadSpace = new HostSpace({ measure: apps.measure ?? (() => freeSpaceOf(apps.folder)), clock });
  const appReader = new AppReader({ clock });
  const catalogue = new Catalogue({ directory: apps.catalogue, folders, appReader, clock, log });
  const network = openNetwork({
    ...options,
    directory: options.exitsDirectory,
    devices: stores.devices,
    drivers,
    openLink,
    allowPrivateTargets,
    secretBox: options.secretBox,
  });
  const { exits } = network;
  const helpers = new ResidentHelpers({
    ...stores,
    screen: options.helpers,
    isOn: options.residentHelpers ?? false,
    clock,
    log,
  });
  const own: HostLoop = new HostLoop({
    devices: stores.devices,
    drivers,
    settle: (device, endMs) => meter.settle(device, endMs),
    release: (device) => release({ ...stores, ledger, prices, clock }, device),
    keepPayment: (device) => keepPayment(stores, device),
    workers: {
      install: installApp({ catalogue, folders, appReader, openLink }),
      uninstall: uninstallApp(openLink),
      snapshot: saveSnapshot(stores.snapshots, helpers),
      ...network.workers,
    },
    prepareExit: network.prepareExit,
    snapshots: jobSnapshots({
      ...stores,
      drivers,
      seeBack: options.seeBack ?? seeBackThroughAdb(openLink, clock),
      clock,
      log,
    }),
    hostId,
    epoch,
    seenBefore: lease.seenBefore,
    onEnded,
    onDeviceEvents,
    clock,
    log,
  });
  const { meshToken, tls } = options;
  const connect = (url: string): Transport =>
    connectTo({ url, service: "another host's device service", meshToken, tls });
  const hosts = new Hosts({ hosts: stores.hosts, hostId, own, connect, onAccepted: onDeviceEvents, clock, log });
  const parts = { ...stores, ledger, prices, dailyUsage, hosts, waits, clock };
  const isDoubtful = (device: DeviceDocument): boolean => own.isDoubtful(device);
  const meter = new Meter({ ...parts, log, hostId, isDoubtful });
  const now = { accountNow: (id: string) => accountNow({ ...parts, hosts: stores.hosts, hostId, isDoubtful }, id) };

  const healthWatch = new HealthWatch({
    devices: stores.devices,
    hostId,
    check: options.checkPhone ?? checkThroughAdb(clock, exitCheck({ ...network, clock })),
    isDoubtful,
    onDeviceEvents,
    clock,
    log,
  });

  const groupRuns = new GroupRuns({
    ...parts,
    catalogue,
    openLink,
    box,
    finishedJobs,
    screen: options.screen,
    hostId,
    log,
  });
  const grouping = { ...parts, box, runs: groupRuns };
  const scheduleWatch = new ScheduleWatch({ ...grouping, log });
  const atWork = async (): Promise<Set<string>> =>
    new Set((await stores.devices.ofHost(hostId).findAtWork()).flatMap(({ job }) => job?.id ?? []));
  await folders.sweep(atWork);
  // Read in advance, as a large catalogue takes a while.
  void catalogue.list().catch(couldNot('read the catalogue'));
  await finishedJobs.fileLeft();
  await network.start();
  // First: the comparison of all phones may take longer than the lease.
  lease.start();
  await own.start();
  const forget = {
    devices: stores.devices,
    snapshots: stores.snapshots,
    hosts: stores.hosts,
    clock,
    own: { hostId, epoch, driver: options.drivers[0]?.kind ?? 'simulated' },
    onAdopted: () => void own.sweep(),
  };
  const snapshotSweep = new SnapshotSweep({ ...stores, drivers, hostId, clock, log });
  const every = (
    everyMs: number,
    step: string,
    work: (signal: AbortSignal) => Promise<unknown>,
    firstMs = everyMs,
  ): Loop => repeat({ clock, log, everyMs, firstMs, step }, work);
  const { events } = options;
  const publishEvents = (signal: AbortSignal): Promise<void> => publishDeviceEvents({ ...stores, events, log }, signal);
  deviceEvents = every(PUBLISH_AGAIN_MS, 'publish events of devices', publishEvents, PUBLISH_FIRST_MS);
  const failJobs = async (): Promise<void> => {
    const sure = lease.steadyMs > HOST_LEASE_MS * 2;
    if (sure) await failJobsOfSilentHosts({ ...parts, hosts: stores.hosts, onEnded, log });
  };
  const publishJobs = (signal: AbortSignal): Promise<void> => finishedJobs.publishPending(signal);
  const stopIdleNow = (): Promise<void> => stopIdle({ ...parts, hostId, log });
  const loops = [
    every(PUBLISH_AGAIN_MS, 'publish finished jobs', publishJobs, PUBLISH_FIRST_MS),
    every(METER_MS, 'charge running devices', () => meter.tick()),
    every(IDLE_CHECK_MS, 'stop devices without use', stopIdleNow),
    every(HEALTH_CHECK_MS, 'check the health of the phones', (signal) => healthWatch.checkPhones(signal)),
    every(GROUP_BEAT_MS, 'renew and take over groups', () => groupRuns.tick()),
    every(SCHEDULE_POLL_MS, 'begin the schedules that are due', () => scheduleWatch.tick()),
    // Work that ended processes, of this host and others, have left undone.
    every(STORAGE_MEASURE_MS, 'measure the storage of the phones', (signal) =>
      measureStorage({ ...stores, drivers, hostId, log }, signal),
    ),
    every(SWEEP_MS, 'file finished jobs', () => finishedJobs.fileLeft()),
    every(SWEEP_MS, 'remove unused files of apps', () => folders.sweep(atWork)),
    every(TIMELINE_SWEEP_MS, 'remove expired entries of timelines', (signal) =>
      room.removeExpired(clock.now(), signal),
    ),
    every(SWEEP_MS, 'remove left snapshots', (signal) => snapshotSweep.run(signal)),
    every(SWEEP_MS, 'move devices of forgotten hosts', () => finishForgetting(forget)),
    every(SWEEP_MS, 'fail jobs of silent hosts', failJobs),
  ];

  const settingConditions = new KeyedLock();
  const lastUse = new LastUse({ ...stores, clock, log });
  const authenticate = authenticateWith({ ...stores, lastUse, clock });
  const callers = new CallerCache({ ask: authenticate, clock, ttlMs: CALLER_TTL_MS });
  const quotas = new Quotas(parts, options.quotas ?? { devices: 0, storageBytes: 0 });
  const access = {
    ...parts,
    quotas,
    ...now,
    passwords: new Passwords(),
    throttle: new Throttle(clock),
    forgetCallers: () => callers.clear(),
    onPassword: options.onPassword ?? ((): void => undefined),
    signUpOpen,
    allowPrivateTargets,
  };
  const places = { hosts: stores.hosts, hostId, clock };
  const creation = { ...parts, exits, places, quotas, once: new Once(stores.requests, clock) };
  // Not waited for: a phone that does not respond must not hold up the start.
  const closing = new AbortController();
  const following = followConditions(
    { ...stores, drivers, hostId, settingConditions, clock, log },
    closing.signal,
  ).catch(couldNot('set the conditions of running phones'));
  return {
    announce: async (url) => {
      await lease.announce(url);
      // Jobs that other hosts accepted before they could wake this one.
      await own.findJobs();
    },
    endWaits: () => waits.close(),
    rpc: {
      name: 'the device service',
      ...callChecks({ ...options, authenticate: callers.authenticate }),
      ...deviceServiceRpc({
        ...{ ...creation, ...grouping, ...access, ...now },
        ...{ catalogue, openLink, folders, appReader, uploads: new UnderWay(), uploadSpace },
        ...{ drivers, log, own, authenticate, forget, helpers, room, timelineQueue, settingConditions },
        ...{ checks: network.checks, payments: options.payments },
      }),
    },
    createFirstAccount: (email, keep) => createFirstAccount(access, email, keep),
    stillGood: (kept) => stillGood(access, kept),
    meter: () => meter.tick(),
    stopIdle: stopIdleNow,
    close: async () => {
      closing.abort(new Error('closing'));
      await following;
      await Promise.all(loops.map((loop) => loop.close()));
      await groupRuns.close();
      await own.close();
      await network.close();
      await finishedJobs.close();
      await timelineQueue.close();
      await appReader.close();
      await lastUse.close();
      await deviceEvents.close();
      await lease.close();
    },
  };
}

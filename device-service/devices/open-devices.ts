import type { Client, Transport } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import { callerOf } from '../../kit/rpc/context.js';
import { type FreeSpace, freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { PeriodicTask } from '../../kit/ops/periodic-tasks.js';
import type { Readiness } from '../../kit/ops/readiness.js';
import { type Implementation, implement } from '../../kit/rpc/rpc-service.js';
import type { RpcTls } from '../../kit/rpc/tls.js';
import { connectTo } from '../../kit/rpc/transport.js';
import type { SecretBox } from '../../kit/text/secret-box.js';
import { UnderWay } from '../../kit/async/under-way.js';
import { AppReader } from '../../phone/apk/app-reader.js';
import type { PhoneDriver } from '../../phone/driver.js';
import { AppService } from '../../proto/gen/cloudphone/device/v1/app_service_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { HealthService } from '../../proto/gen/cloudphone/device/v1/health_service_pb.js';
import { HostService } from '../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import { ModelService } from '../../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { NetworkService } from '../../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { LibraryService } from '../../proto/gen/cloudphone/device/v1/library_service_pb.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { SnapshotService } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { TemplateService } from '../../proto/gen/cloudphone/device/v1/template_service_pb.js';
import type { HelperService } from '../../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { keepPayment, refund } from '../accounts/billing/creation-payment.js';
import { release } from '../accounts/billing/funds.js';
import type { Accounts } from '../accounts/open-accounts.js';
import type { History } from '../history/open-history.js';
import { notifying } from '../record/ended-job.js';
import { AppFolders } from './uploads/app-folders.js';
import { Catalogue } from './apps/catalogue.js';
import { installApp } from './apps/install-app.js';
import { uninstallApp } from './apps/uninstall-app.js';
import { followConditions } from './conditions/follow-conditions.js';
import { HostLoop } from './converge/host-loop.js';
import type { MissedPhones } from './converge/missed-phones.js';
import type { DevicesContext } from './devices-context.js';
import { exitCheck } from './health/check-exit.js';
import { type CheckPhone, checkThroughAdb } from './health/check-phone.js';
import { getHealth } from './health/get-health.js';
import { HealthWatch } from './health/health-watch.js';
import { backupAgeMetric } from './hosts/backup-age.js';
import { type DataFolder, DataRoom } from './hosts/data-room.js';
import { Dispatch } from './hosts/dispatch.js';
import type { ForgetHostParts } from './hosts/forget-host.js';
import { HostLease } from './hosts/host-lease.js';
import { hostMetrics } from './hosts/host-metrics.js';
import { problemsOf } from './hosts/list-hosts.js';
import { measureHost } from './hosts/measure-host.js';
import { Once } from './idempotency/once.js';
import { countJob } from './job-ends/count-job.js';
import { logEnd } from './job-ends/log-end.js';
import { removeUpload } from './job-ends/remove-upload.js';
import { openLibrary } from './library/open-library.js';
import { stopIdle } from './lifecycle/idle-stop.js';
import { devicesMaintenance } from './maintenance.js';
import { Meter } from './metering/meter.js';
import { Mover } from './moves/move-phone.js';
import { Pace } from './moves/pace.js';
import type { Outages } from './metering/outages.js';
import { chargeAndStop, stopAfterJob } from './metering/stop-unpaid.js';
import { deviceMetrics } from './metrics.js';
import { type NetworkConfig, openNetwork } from './network/network.js';
import { linkOpener } from './phones/open-link.js';
import { PhoneDrivers } from './phones/phone-drivers.js';
import { ResidentHelpers } from './phones/resident-helpers.js';
import { appRpc } from './rpc/app-rpc.js';
import { modelRpc } from './rpc/catalogue-rpc.js';
import { deviceRpc } from './rpc/device-rpc.js';
import { hostRpc } from './rpc/host-rpc.js';
import { networkRpc } from './rpc/network-rpc.js';
import { libraryRpc } from './rpc/library-rpc.js';
import { phoneRpc } from './rpc/phone-rpc.js';
import { snapshotRpc } from './rpc/snapshot-rpc.js';
import { templateRpc } from './rpc/template-rpc.js';
import { copyMetrics } from './snapshots/copy-metrics.js';
import { jobSnapshots } from './snapshots/job-snapshots.js';
import { type SeeBack, seeBackThroughAdb } from './snapshots/see-back.js';
import type { ObjectStore } from './snapshots/object-store.js';
import { SnapshotCopies } from './snapshots/snapshot-copies.js';
import { saveSnapshot } from './snapshots/take-snapshot.js';
import { jobTemplates } from './templates/job-templates.js';
import { saveTemplate } from './templates/save-template.js';
import { TemplateCopies } from './templates/template-copies.js';

export interface DevicesOptions extends NetworkConfig {
  accounts: Accounts;
  history: History;
  /** The phones of this host that do not run as they should, or whose state is not known. Accounts use the same object. */
  missed: MissedPhones;
  /** The times in which the phones of this host could not be stopped. Accounts use the same object. */
  outages: Outages;
  /** DATA_DIR, and folders in it that may be on another disk. Absent: they have room, for tests. */
  dataFolders?: readonly DataFolder[];
  /** When the newest verified backup of DATA_DIR was made, ms since 1970; undefined: never. Absent: it is not measured, for tests. */
  verifiedBackup?: () => Promise<number | undefined>;
  metrics: Registry;
  /** Gets the reasons why phones cannot be made here, for the operator. Absent: they are only logged. */
  readiness?: Readiness;
  /** One driver for each kind of phone that this host has. */
  drivers: readonly PhoneDriver[];
  /** The operator's apps, and the folders of apps on their way to phones. Absent: there are none, for tests. */
  apps?: AppDirectories;
  /** Identity of the data folder, which the caller has locked. Absent: the host's own id, for tests. */
  folderId?: string;
  /** The folder of the sockets of phones' forwarders. Absent: a folder of this process's own, for tests. */
  exitsDirectory?: string;
  /** Called when another process has got the host's lease, and this one must end. */
  lostHost?: (reason: Error) => void;
  meshToken: string | undefined;
  /** Certificates for calls to other hosts. Absent: the calls are made without TLS. */
  tls?: RpcTls | undefined;
  /** The screen service, which ends its helper programs on phones. Absent: there are no helper programs. */
  helpers?: Client<typeof HelperService>;
  /** Whether helper programs may be on phones (RESIDENT_HELPERS). Absent: no. */
  residentHelpers?: boolean;
  /** Checks a running phone. Absent: through ADB. */
  checkPhone?: CheckPhone;
  /** Verifies that a phone is back from a snapshot. Absent: through ADB. */
  seeBack?: SeeBack;
  /** Where snapshots are copied to (SNAPSHOT_STORE). Absent: they are on their hosts alone. */
  snapshotStore?: ObjectStore | undefined;
  /** Most MB a second that phones which move to other hosts may take of the network; 0 or absent: no bound. */
  moveMbPerS?: number;
  /** Encrypts secrets in the database. Absent: they are stored as they are. */
  secretBox?: SecretBox | undefined;
}

export interface AppDirectories {
  /** CATALOG_DIR, the folder of the APKs on offer. */
  catalogue: string;
  /** This service's own folder, on a disk with room for uploads. */
  folder: string;
  /** Measures the free space on that disk. Absent: the system is asked. */
  measure?: () => Promise<FreeSpace>;
  /** How long apps of libraries are kept without use, ms; 0: always. Absent: DEFAULT_LIBRARY_KEPT_MS. */
  libraryKeptMs?: number;
}

export interface Devices {
  context: DevicesContext;
  rpc: Implementation[];
  maintenance: PeriodicTask[];
  /** The parts that `forgetHost` needs to take over the devices of a host that is gone. */
  forget: ForgetHostParts;
  /** Makes database and phones agree, and begins to work. */
  start(): Promise<void>;
  /** Publishes the URL of this instance, so that other hosts wake it for jobs. */
  announce(url: string): Promise<void>;
  /** Charges all minutes due now. */
  meter(): Promise<void>;
  /** Stops devices that were not used for their idle time. */
  stopIdle(): Promise<void>;
  /** Lets running jobs end for a bounded time, and leaves the others to the next start. The lease ends last, by `endLease`. */
  close(): Promise<void>;
  endLease(): Promise<void>;
}

const NOWHERE: AppDirectories = { catalogue: '/nonexistent', folder: '/nonexistent' };

/** Opens the devices of this host and the loop that keeps their phones as wanted. Waits for the host's lease. */
export async function openDevices(options: DevicesOptions): Promise<Devices> {
  const { accounts, history, missed, metrics, apps = NOWHERE } = options;
  const { devices, recordings, snapshots, templates, hosts, hostId, clock, log } = history.context;
  const drivers = new PhoneDrivers(options.drivers);
  const folders = options.dataFolders ?? [];
  const room = new DataRoom({ folders, readiness: options.readiness });
  const lease = await HostLease.acquire({
    hosts,
    hostId,
    folderId: options.folderId ?? hostId,
    measure: () => measureHost(drivers.all, clock),
    outages: options.outages,
    isFull: () => room.isFull(),
    lost: options.lostHost ?? (() => undefined),
    clock,
    log,
  });
  options.readiness?.remarks(async () => problemsOf(await hosts.find(hostId)));
  const { epoch, seenBefore } = lease;
  const openLink = linkOpener(clock);
  const appFolders = new AppFolders(apps.folder);
  const appReader = new AppReader({ clock });
  const catalogue = new Catalogue({ directory: apps.catalogue, appFolders, appReader, clock, log });
  const uploadSpace = new HostSpace({ measure: apps.measure ?? (() => freeSpaceOf(apps.folder)), clock });
  const { libraryFolder, libraryFiles } = openLibrary({
    ...{ libraryCopies: history.context.libraryCopies, appFolders, hostSpace: uploadSpace, hostId, clock, log },
    // A file is fetched after the start, when the way to other hosts is there.
    wayTo: (to) => context.dispatch.wayTo(to),
  });
  const { allowPrivateTargets } = history.context;
  const { exitsDirectory: directory, secretBox, exitsFile, addressUrl, hostPlace, proxyCa } = options;
  const network = openNetwork({
    ...(hostPlace !== undefined && { hostPlace }),
    ...{ directory, secretBox, exitsFile, addressUrl, ...(proxyCa !== undefined && { proxyCa }) },
    ...{ devices, drivers, hostId, openLink, allowPrivateTargets, clock, log },
  });
  const { residentHelpers: isOn = false } = options;
  const helpers = new ResidentHelpers({ devices, screen: options.helpers, isOn, clock, log });
  const counted = deviceMetrics({ ...history.context, metrics, running: () => loop.kinds });
  hostMetrics(metrics, hostId, folders, () => lease.drivers, { clock, log });
  const { verifiedBackup } = options;
  if (verifiedBackup !== undefined) backupAgeMetric({ metrics, hostId, verifiedBackup, clock, log });
  const meter = new Meter(history.context);
  const onEnded = notifying(
    [
      stopAfterJob(() => context, meter),
      countJob(counted),
      ...history.jobEnds,
      ...accounts.jobEnds,
      removeUpload(appFolders),
      network.jobEnd,
      logEnd(log),
    ],
    log,
  );
  const pace = new Pace(clock, (options.moveMbPerS ?? 0) * 1e6);
  const receiving = new KeyedLock();
  const snapshotCopies = new SnapshotCopies(options.snapshotStore, {
    ...{ snapshots, drivers, hostId, receiving, pace, clock, log },
  });
  // Phones are sent, and templates fetched, after the start, when the way to other hosts is there.
  const wayTo = (to: string): Promise<Transport | undefined> => context.dispatch.wayTo(to);
  const templateCopies = new TemplateCopies({
    ...{ templates, hosts, drivers, hostId, receiving, pace, wayTo, clock, log },
  });
  copyMetrics(snapshotCopies, { metrics, clock, log });
  const seeBack = options.seeBack ?? seeBackThroughAdb(openLink, clock);
  const loop: HostLoop = new HostLoop({
    ...{ devices, drivers, hostId, epoch, seenBefore, missed, clock, log },
    workers: {
      install: installApp({ catalogue, appFolders, appReader, libraryFiles, openLink, clock }),
      uninstall: uninstallApp(openLink),
      snapshot: saveSnapshot(snapshots, helpers, snapshotCopies),
      template: saveTemplate({
        ...{ templates, snapshots, hostId },
        fetchSnapshot: (...given) => snapshotCopies.fetch(...given),
      }),
      ...network.workers,
    },
    prepareExit: network.prepareExit,
    mover: new Mover({ devices, snapshots, hostId, wayTo, receiving, pace, clock, log }),
    onMoved: ({ _id, job }) => {
      if (job?.move === undefined) return;
      context.dispatch.wake({ _id, hostId: job.move.to });
      // Callers that wait here go on to wait at the other host.
      history.context.jobWaits.left(job.id);
    },
    jobSnapshots: jobSnapshots({ snapshots, snapshotCopies, devices, drivers, clock, log }, seeBack),
    jobTemplates: jobTemplates({ templates, templateCopies, drivers, clock, log }),
    settle: (device, endMs) => meter.settle(device, endMs),
    isUnpaid: (phoneId) => meter.isUnpaid(phoneId),
    release: (device) => release(history.context, device),
    refund: (device) => refund(history.context, device),
    keepPayment: (device) => keepPayment(history.context, device),
    onEnded,
    onDeviceEvents: () => history.context.deviceEvents.soon(),
  });
  const { meshToken, tls } = options;
  const connect = (url: string): Transport =>
    connectTo({ url, service: "another host's device service", meshToken, tls });
  const onAccepted = (): void => history.context.deviceEvents.soon();
  const context: DevicesContext = {
    ...history.context,
    drivers,
    dispatch: new Dispatch({ hosts, hostId, own: loop, connect, onAccepted, clock, log }),
    openLink,
    helpers,
    exits: network.exits,
    proxyChecks: network.proxyChecks,
    catalogue,
    appFolders,
    appReader,
    uploads: new UnderWay(),
    ...{ uploadSpace, libraryFolder, libraryFiles, storingApps: new KeyedLock() },
    once: new Once(history.context.requests, clock),
    settingConditions: new KeyedLock(),
    snapshotCopies,
    checkPhone:
      options.checkPhone ?? checkThroughAdb(clock, exitCheck({ exits: network.exits, way: network.way, clock })),
    templateCopies,
    receiving,
  };
  const forget: ForgetHostParts = {
    ...{ devices, libraryCopies: history.context.libraryCopies, recordings, snapshots, templates, hosts, clock },
    own: { hostId, epoch, driver: options.drivers[0]?.kind ?? 'simulated' },
    onAdopted: () => void loop.sweep(),
  };
  const health = new HealthWatch(context, context.checkPhone);
  const closing = new AbortController();
  let following = Promise.resolve();
  const logFailure = (what: string) => (error: unknown) => log.warn({ err: error }, `could not ${what}`);
  const atWork = async (): Promise<Set<string>> =>
    new Set((await devices.ofHost(hostId).findAtWork()).flatMap(({ job }) => job?.id ?? []));
  return {
    context,
    rpc: [
      implement(DeviceService, deviceRpc(context)),
      implement(AppService, appRpc(context)),
      implement(LibraryService, libraryRpc(context)),
      implement(SnapshotService, snapshotRpc(context)),
      implement(TemplateService, templateRpc(context)),
      implement(ModelService, modelRpc(context)),
      implement(HealthService, {
        getHealth: (request, handler) => getHealth(context, callerOf(handler), request),
      }),
      implement(NetworkService, networkRpc(context)),
      implement(PhoneService, phoneRpc(context)),
      implement(HostService, hostRpc(context, loop, epoch)),
    ],
    maintenance: devicesMaintenance({ context, meter, health, lease, forget, onEnded, atWork, ...apps }),
    forget,
    start: async () => {
      await appFolders.sweep(atWork);
      // The catalogue is read in advance, as a large one takes a while.
      void catalogue.list().catch(logFailure('read the catalogue'));
      await network.start();
      // The renewal of the lease starts first, as the comparison of all phones may outlast the lease.
      lease.start();
      await loop.start();
      // The conditions are not awaited, as a phone that does not respond must not delay the start.
      following = followConditions(context, closing.signal).catch(logFailure('set the conditions of running phones'));
    },
    announce: async (url) => {
      await lease.announce(url);
      // Other hosts may have accepted jobs for this host before they had its URL, by which they wake it.
      await loop.findJobs();
    },
    meter: () => chargeAndStop(context, meter),
    stopIdle: () => stopIdle(context),
    close: async () => {
      closing.abort(new Error('closing'));
      await following;
      await loop.close();
      await network.close();
      await libraryFiles.close();
      await appReader.close();
    },
    endLease: () => lease.close(),
  };
}

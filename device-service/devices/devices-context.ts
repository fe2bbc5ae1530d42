import type { HostSpace } from '../../kit/files/host-space.js';
import type { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { UnderWay } from '../../kit/async/under-way.js';
import type { AppReader } from '../../phone/apk/app-reader.js';
import type { HistoryContext } from '../history/history-context.js';
import type { AppFolders } from './uploads/app-folders.js';
import type { Catalogue } from './apps/catalogue.js';
import type { CheckPhone } from './health/check-phone.js';
import type { Dispatch } from './hosts/dispatch.js';
import type { Once } from './idempotency/once.js';
import type { LibraryFiles } from './library/library-files.js';
import type { LibraryFolder } from './library/library-folder.js';
import type { ProxyChecks } from './network/check-proxy.js';
import type { Exits } from './network/exits.js';
import type { OpenLink } from './phones/open-link.js';
import type { PhoneDrivers } from './phones/phone-drivers.js';
import type { SnapshotCopies } from './snapshots/snapshot-copies.js';
import type { TemplateCopies } from './templates/template-copies.js';
import type { ResidentHelpers } from './phones/resident-helpers.js';

/** What the operations of devices, and of all packages below, work with. */
export interface DevicesContext extends HistoryContext {
  drivers: PhoneDrivers;
  /** Brings accepted jobs to the hosts that do them. */
  dispatch: Dispatch;
  openLink: OpenLink;
  helpers: ResidentHelpers;
  exits: Exits;
  proxyChecks: ProxyChecks;
  catalogue: Catalogue;
  appFolders: AppFolders;
  appReader: AppReader;
  /** Uploads that are being received, by account. */
  uploads: UnderWay;
  uploadSpace: HostSpace;
  /** The files of the app libraries on this host, and those that installs here need. */
  libraryFolder: LibraryFolder;
  libraryFiles: LibraryFiles;
  /** Locks by account, so that uploads to a library are stored one after the other. */
  storingApps: KeyedLock;
  once: Once;
  snapshotCopies: SnapshotCopies;
  /** Checks a running phone of this host. */
  checkPhone: CheckPhone;
  templateCopies: TemplateCopies;
  /** Locks by phone, so that conditions are set one after the other. */
  settingConditions: KeyedLock;
  /** Locks by job, so that tries to send a phone to this host come one after the other. */
  receiving: KeyedLock;
}

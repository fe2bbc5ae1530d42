import type { Client } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import type { Clock } from '../kit/clock.js';
import type { FreeSpace } from '../kit/host-space.js';
import type { Log } from '../kit/log.js';
import type { Readiness } from '../kit/ops/readiness.js';
import type { RpcTls } from '../kit/rpc/tls.js';
import type { SecretBox } from '../kit/secret-box.js';
import type { StepsBox } from './groups/steps-box.js';
import type { Prices } from './billing/prices.js';
import type { QuotaSettings } from './quotas/quotas.js';
import type { PhoneDriver } from '../phone/driver.js';
import type { HelperService } from '../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import type { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { CheckPhone } from './health/check-phone.js';
import type { NetworkConfig } from './network/network.js';
import type { SeeBack } from './snapshots/see-back.js';
import type { TimelineSettings } from './timeline/timeline-room.js';
import type { Payments } from './topups/payments.js';

/** The parts that the service is made from. */
export interface DeviceServiceOptions extends NetworkConfig {
  clock: Clock;
  log: Log;
  metrics: Registry;
  /** Gets why phones cannot be made here, for the operator. Absent: nobody is informed but by the log. */
  readiness?: Readiness;
  database: Db;
  /** One for each kind of phones that this host has. */
  drivers: readonly PhoneDriver[];
  /** The operator's apps, and where files of apps are on their way to phones. Absent: there are none, for tests. */
  apps?: AppDirectories;
  /** The machine whose phones this instance drives. One instance of a host at a time gets its lease. */
  hostId: string;
  /** Identity of the data folder, which the caller has locked. Absent: the host's own id, for tests. */
  folderId?: string;
  /** Where the sockets of phones' forwarders are. Absent: in a folder of this process's own, for tests. */
  exitsDirectory?: string;
  /** Called when another process has got the host's lease: this one must end. */
  lostHost?: (reason: Error) => void;
  meshToken: string | undefined;
  /** Certificates for calls to other hosts. Absent: they are called without. */
  tls?: RpcTls | undefined;
  /** The webhook service; absent: events are not published. */
  events?: Client<typeof EventService>;
  /** The screen service, for steps of groups on the screen. Absent: they fail. */
  screen?: Client<typeof ScreenService>;
  /** The screen service, which ends its helper programs on phones. Absent: there are none. */
  helpers?: Client<typeof HelperService>;
  /** Whether helper programs may be on phones (RESIDENT_HELPERS). Absent: no. */
  residentHelpers?: boolean;
  /** Checks a running phone. Absent: through ADB. */
  checkPhone?: CheckPhone;
  /** Verifies that a phone is back from a snapshot. Absent: through ADB. */
  seeBack?: SeeBack;
  /** Whether anyone may make an account. Absent: yes. */
  signUpOpen?: boolean;
  /** Called with the e-mail of an account whose password was replaced. Absent: nobody is notified. */
  onPassword?: (email: string) => void;
  /** Whether webhooks may go to http and to private addresses. Absent: no. */
  allowPrivateTargets?: boolean;
  /** What an account may have at most. Absent: no bound. */
  quotas?: QuotaSettings;
  /** How long timelines are kept, and what they may take. Absent: DEFAULT_TIMELINE. */
  timeline?: TimelineSettings;
  /** What phones cost. Absent: DEFAULT_PRICES. */
  prices?: Prices;
  /** Seals secrets in the database. Absent: they are stored as they are. */
  secretBox?: SecretBox | undefined;
  /** Seals the steps of groups and schedules. Absent: by the secretBox alone. */
  stepsBox?: StepsBox;
  /** The payment provider for top-ups. Absent: only the operator adds credit. */
  payments?: Payments | undefined;
}

export interface AppDirectories {
  /** CATALOG_DIR: the APKs that are on offer. */
  catalogue: string;
  /** This service's own, on a disk with room for uploads. */
  folder: string;
  /** Measures the room on that disk. Absent: asks the system. */
  measure?: () => Promise<FreeSpace>;
}

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Front, isExposed } from '../kit/net/exposure.js';
import { frontSettings, logSettings, type OpsConfig, opsSettings, serviceUrl } from '../kit/config/process-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { KEY_RATE, KEY_RATE_BOUNDS } from '../kit/net/key-rate.js';
import { Settings } from '../kit/config/settings.js';
import { formatMoney } from '../kit/text/money.js';
import { parseHttpUrl } from '../kit/text/parse-url.js';
import { SecretBox } from '../kit/text/secret-box.js';
import { type MailConfig, mailSettings } from './accounts/mail/mail-settings.js';
import { DEFAULT_PRICES, MAX_PRICE_MICROS, NO_PRICES, type Prices } from './accounts/billing/prices.js';
import { DEFAULT_AUDIT_DAYS } from './accounts/audit/remove-old-entries.js';
import type { OidcConfig } from './accounts/oidc/oidc-config.js';
import type { QuotaSettings } from './accounts/quotas/quotas.js';
import { isTimezone } from './record/timezone.js';
import type { LogOptions } from '../kit/log/log.js';
import type { NetworkConfig } from './devices/network/network.js';
import { UNKNOWN_PLACE } from './devices/network/host-exit.js';
import type { DriverConfig } from './devices/phones/open-drivers.js';
import { DEFAULT_LIBRARY_KEPT_MS } from './devices/limits.js';
import type { S3Place } from './devices/snapshots/s3-store.js';
import type { AppDirectories } from './devices/open-devices.js';
import { DEFAULT_KEPT_MS } from './recordings/limits.js';
import type { RecordingsPlace } from './recordings/open-recordings.js';
import { DEFAULT_TIMELINE, type TimelineSettings } from './history/timeline/timeline-room.js';
import type { StripeConfig } from './accounts/topups/stripe.js';
import { driverSettings } from './driver-settings.js';
import { signInSettings } from './sign-in-settings.js';

/** The demo apps, by their path from the compiled file; they themselves are not compiled. */
const DEMO_APPS = fileURLToPath(new URL('../../device-service/devices/apps/demo/catalogue', import.meta.url));

export interface DeviceConfig extends MeshConfig, OpsConfig, NetworkConfig {
  host: string;
  /** The port; 0 picks a free one. */
  port: number;
  /** The folder of the phones and of the embedded database. Only one device service at a time may use it. */
  dataDirectory: string;
  /** URL of the database. Absent: the embedded database is used, for one machine. */
  mongodbUrl: string | undefined;
  /** The file that the URL was read from, whose login is followed. Absent: it is none. */
  mongodbUrlFile?: string | undefined;
  mongodbDatabase: string;
  /** Id of the host. Absent: it is generated at the first start and stored in the data folder. */
  hostId: string | undefined;
  /** Address of the webhook service, which publishes events. */
  webhookServiceUrl: string;
  /** Address of the screen service, which performs the steps of groups. */
  screenServiceUrl: string;
  /** Whether anyone may make an account. */
  signUpOpen: boolean;
  /** The most requests of a key in a minute. */
  maxKeyRequests: number;
  /** Whether people may sign in by password. */
  passwordSignIn: boolean;
  /** The identity provider. Absent: there is none. */
  oidc: OidcConfig | undefined;
  /** The most that an account may have; 0: no bound. */
  quotas: QuotaSettings;
  /** How long entries of audit logs are stored, days. */
  auditDays: number;
  /** Whether each entry of an audit log is also written to standard output. */
  auditToStdout: boolean;
  /** How long timelines are stored, and how much room they may take. */
  timeline: TimelineSettings;
  /** Where recordings are, and how long they are stored. */
  recordings: RecordingsPlace;
  /** The prices of phones. */
  prices: Prices;
  /** Whether webhooks, proxies and phones may reach http and private addresses. */
  allowPrivateTargets: boolean;
  /** Encrypts secrets in the database. Absent: they are stored as they are. */
  secretBox: SecretBox | undefined;
  /** Settings of Stripe. Absent: credit cannot be bought online. */
  stripe: StripeConfig | undefined;
  /** The operator's mail server. Absent: the service sends no mail. */
  mail: MailConfig | undefined;
  /** Where browsers reach the service. Absent: people have no passkeys. */
  publicUrl: URL | undefined;
  driver: DriverConfig;
  /** Most MB a second of phones that move to other hosts; 0: no bound. */
  moveMbPerS: number;
  /** The bucket to which snapshots are copied. Absent: they are on their hosts alone. */
  snapshotBucket: S3Place | undefined;
  /** Whether the service's helper programs may be on phones. */
  residentHelpers: boolean;
  apps: AppDirectories;
  log: LogOptions;
}

/** Reads the device service's settings; throws one error that lists every fault. */
export function readDeviceConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): DeviceConfig {
  const settings = new Settings(environment);
  const port = settings.port('DEVICE_GRPC_PORT', 7001);
  const host = settings.address('DEVICE_HOST', '127.0.0.1');
  const front = frontSettings(settings, []);
  const config: DeviceConfig = {
    host,
    port,
    ...dataSettings(settings),
    webhookServiceUrl: serviceUrl(settings, 'WEBHOOK_SERVICE_URL', 'http://127.0.0.1:7004'),
    screenServiceUrl: serviceUrl(settings, 'SCREEN_SERVICE_URL', 'http://127.0.0.1:7002'),
    ...accessSettings(settings, { host, ...front }),
    publicUrl: front.publicUrl,
    ...auditSettings(settings),
    mail: mailSettings(settings, front.publicUrl),
    ...signInSettings(settings, front.publicUrl),
    timeline: timelineSettings(settings),
    recordings: recordingSettings(settings),
    prices: priceSettings(settings),
    secretBox: secretBoxSetting(settings),
    stripe: stripeSettings(settings),
    ...meshSettings(settings),
    driver: driverSettings(settings, environment),
    ...helperSettings(settings),
    ...moveSettings(settings),
    ...snapshotStoreSettings(settings),
    apps: appSettings(settings),
    ...networkSettings(settings),
    ...opsSettings(settings, port === 0 ? 0 : 7011),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

export function dataSettings(
  settings: Settings,
): Pick<DeviceConfig, 'dataDirectory' | 'mongodbUrl' | 'mongodbUrlFile' | 'mongodbDatabase' | 'hostId'> {
  const mongodbUrl = settings.secret('MONGODB_URL');
  // The error leaves out the value, which may hold a password.
  const isUrl = mongodbUrl === undefined || /^mongodb(\+srv)?:\/\/./.test(mongodbUrl);
  settings.require(isUrl, 'MONGODB_URL does not begin with mongodb:// or mongodb+srv://');
  return {
    dataDirectory: resolve(settings.text('DATA_DIR', './data')),
    mongodbUrl,
    mongodbUrlFile: settings.secretFile('MONGODB_URL'),
    mongodbDatabase: settings.text('MONGODB_DATABASE', 'cloudphone'),
    hostId: settings.optionalText('HOST_ID'),
  };
}

/**
 * Reads SIGNUP, ALLOW_PRIVATE_TARGETS and the quotas. Where strangers in a network reach the service, they can create accounts only if
 * the operator allows it.
 */
export function accessSettings(
  settings: Settings,
  front: Front,
): Pick<DeviceConfig, 'signUpOpen' | 'allowPrivateTargets' | 'quotas' | 'maxKeyRequests'> {
  return {
    maxKeyRequests: settings.integer('KEY_REQUESTS_PER_MINUTE', KEY_RATE_BOUNDS, KEY_RATE),
    quotas: {
      devices: settings.integer('QUOTA_DEVICES', { min: 0, max: 1_000_000 }, 200),
      storageBytes: settings.integer('QUOTA_STORAGE_GB', { min: 0, max: 1_000_000 }, 50) * 1e9,
    },
    signUpOpen: settings.choice('SIGNUP', ['open', 'closed'], isExposed(front) ? 'closed' : 'open') === 'open',
    allowPrivateTargets: settings.flag('ALLOW_PRIVATE_TARGETS', false),
  };
}

/** Reads AUDIT_DAYS and AUDIT_LOG. */
export function auditSettings(settings: Settings): Pick<DeviceConfig, 'auditDays' | 'auditToStdout'> {
  return {
    auditDays: settings.integer('AUDIT_DAYS', { min: 1, max: 3_650 }, DEFAULT_AUDIT_DAYS),
    auditToStdout: settings.choice('AUDIT_LOG', ['database', 'stdout'], 'database') === 'stdout',
  };
}

/** Reads TIMELINE_DAYS and TIMELINE_MB. */
export function timelineSettings(settings: Settings): TimelineSettings {
  const { keptMs, maxBytes } = DEFAULT_TIMELINE;
  return {
    keptMs: settings.integer('TIMELINE_DAYS', { min: 1, max: 3_650 }, keptMs / DAY_MS) * DAY_MS,
    maxBytes: settings.integer('TIMELINE_MB', { min: 1, max: 1_000_000 }, maxBytes / MIB) * MIB,
  };
}

/** Reads RECORDING_DAYS. */
export function recordingSettings(settings: Settings): RecordingsPlace {
  return {
    directory: join(dataSettings(settings).dataDirectory, 'recordings'),
    keptMs: settings.integer('RECORDING_DAYS', { min: 1, max: 3_650 }, DEFAULT_KEPT_MS / DAY_MS) * DAY_MS,
  };
}

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/**
 * Reads BILLING, PRICE_MINUTE, PRICE_MONTH and TRIAL_MINUTES. The prices are checked even if billing is off, as it may be turned on
 * later.
 */
export function priceSettings(settings: Settings): Prices {
  const billing = settings.flag('BILLING', true);
  const bounds = { most: MAX_PRICE_MICROS, example: formatMoney(DEFAULT_PRICES.minuteMicros) };
  const prices = {
    billing,
    minuteMicros: settings.money('PRICE_MINUTE', bounds, DEFAULT_PRICES.minuteMicros),
    monthMicros: settings.money('PRICE_MONTH', bounds, DEFAULT_PRICES.monthMicros),
    trialMinutes: settings.integer('TRIAL_MINUTES', { min: 0, max: 1_000_000 }, DEFAULT_PRICES.trialMinutes),
  };
  return billing ? prices : NO_PRICES;
}

/** Reads EXITS_FILE, ADDRESS_URL, HOST_COUNTRY and HOST_TIMEZONE, see docs/network.md. */
export function networkSettings(settings: Settings): Pick<DeviceConfig, 'exitsFile' | 'addressUrl' | 'hostPlace'> {
  const exitsFile = settings.optionalText('EXITS_FILE');
  const addressUrl = settings.optionalText('ADDRESS_URL');
  settings.require(
    addressUrl === undefined || parseHttpUrl(addressUrl) !== undefined,
    `ADDRESS_URL "${addressUrl ?? ''}" is not an http or https URL`,
  );
  const country = settings.optionalText('HOST_COUNTRY') ?? UNKNOWN_PLACE.country;
  settings.require(
    /^[a-z]{2}$/.test(country),
    `HOST_COUNTRY "${country}" is not two lower-case letters (ISO 3166-1), such as de`,
  );
  const timezone = settings.optionalText('HOST_TIMEZONE') ?? UNKNOWN_PLACE.timezone;
  settings.require(isTimezone(timezone), `HOST_TIMEZONE "${timezone}" is not an IANA time zone, such as Europe/Berlin`);
  return {
    exitsFile: exitsFile === undefined ? undefined : resolve(exitsFile),
    addressUrl,
    hostPlace: { country, timezone },
  };
}

/**
 * Reads SECRETS_KEY: 32 random bytes in hex, the same for every device service on one database. While it is replaced it has two values with
 * a comma: secrets are sealed with the first one, and open with both.
 */
export function secretBoxSetting(settings: Settings): SecretBox | undefined {
  const text = settings.secret('SECRETS_KEY');
  if (text === undefined) return undefined;
  const usable = /^[0-9a-f]{64}(\s*,\s*[0-9a-f]{64})?$/i.test(text);
  // The error leaves out the value, as it is a secret.
  settings.require(
    usable,
    'SECRETS_KEY is not 64 hex digits, such as `openssl rand -hex 32` makes, or two such keys with a comma',
  );
  const [key = '', also] = text.split(',').map((each) => each.trim());
  return usable
    ? new SecretBox(Buffer.from(key, 'hex'), also === undefined ? undefined : Buffer.from(also, 'hex'))
    : undefined;
}

/** Reads Stripe's settings. Its two secrets go together; STRIPE_API_URL is for tests that use another server in place of Stripe. */
export function stripeSettings(settings: Settings): StripeConfig | undefined {
  const secretKey = settings.secret('STRIPE_SECRET_KEY');
  const webhookSecret = settings.secret('STRIPE_WEBHOOK_SECRET');
  const apiUrl = serviceUrl(settings, 'STRIPE_API_URL', 'https://api.stripe.com');
  const both = secretKey !== undefined && webhookSecret !== undefined;
  settings.require(
    both || (secretKey === undefined && webhookSecret === undefined),
    'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET go together: set both, or neither',
  );
  return both ? { secretKey, webhookSecret, apiUrl: new URL(apiUrl) } : undefined;
}

/** Reads CATALOG_DIR, the folder of the operator's APKs, and LIBRARY_DAYS. Without the folder: the demo apps of this repository. */
export function appSettings(settings: Settings): AppDirectories {
  return {
    catalogue: resolve(settings.text('CATALOG_DIR', DEMO_APPS)),
    folder: join(dataSettings(settings).dataDirectory, 'apps'),
    libraryKeptMs: settings.integer('LIBRARY_DAYS', { min: 0, max: 3_650 }, DEFAULT_LIBRARY_KEPT_MS / DAY_MS) * DAY_MS,
  };
}

/** Reads the setting for phones that move to other hosts. */
export function moveSettings(settings: Settings): Pick<DeviceConfig, 'moveMbPerS'> {
  return { moveMbPerS: settings.integer('MOVE_MB_PER_S', { min: 0, max: 100_000 }, 100) };
}

/** Reads SNAPSHOT_STORE and the settings of its server. The two halves of its credentials go together. */
export function snapshotStoreSettings(settings: Settings): Pick<DeviceConfig, 'snapshotBucket'> {
  const text = settings.optionalText('SNAPSHOT_STORE');
  const [, bucket, path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]{0,500}))?$/.exec(text ?? '') ?? [];
  settings.require(
    text === undefined || bucket !== undefined,
    `SNAPSHOT_STORE "${text ?? ''}" is not s3:// with the name of a bucket, such as s3://my-bucket/snapshots`,
  );
  const endpoint = settings.optionalText('SNAPSHOT_STORE_ENDPOINT');
  settings.require(
    endpoint === undefined || parseHttpUrl(endpoint) !== undefined,
    `SNAPSHOT_STORE_ENDPOINT "${endpoint ?? ''}" is not an http or https URL`,
  );
  const region = settings.text('SNAPSHOT_STORE_REGION', 'us-east-1');
  const accessKeyId = settings.optionalText('SNAPSHOT_STORE_KEY_ID');
  const secretAccessKey = settings.secret('SNAPSHOT_STORE_SECRET');
  settings.require(
    (accessKeyId === undefined) === (secretAccessKey === undefined),
    'SNAPSHOT_STORE_KEY_ID and SNAPSHOT_STORE_SECRET go together: set both, or neither',
  );
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
  return { snapshotBucket: bucket === undefined ? undefined : { bucket, prefix, endpoint, region, credentials } };
}

/** Reads RESIDENT_HELPERS: `off` installs nothing on phones. An attached phone needs permission in PHONES_FILE, too. */
export function helperSettings(settings: Settings): Pick<DeviceConfig, 'residentHelpers'> {
  return { residentHelpers: settings.flag('RESIDENT_HELPERS', true) };
}

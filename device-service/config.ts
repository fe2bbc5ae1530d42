import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Front, isExposed } from '../kit/exposure.js';
import { frontSettings, logSettings, type OpsConfig, opsSettings, serviceUrl } from '../kit/config/process-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { Settings } from '../kit/config/settings.js';
import { formatMoney } from '../kit/money.js';
import { parseHttpUrl } from '../kit/parse-url.js';
import { SecretBox } from '../kit/secret-box.js';
import { engineSocket } from '../phone/container/docker-host.js';
import { isPool } from '../phone/container/subnets.js';
import { DEFAULT_PRICES, MOST_PRICE_MICROS, NO_PRICES, type Prices } from './billing/prices.js';
import type { QuotaSettings } from './quotas/quotas.js';
import { readSimulatedPhones } from '../simulated-phone/host/config.js';
import type { LogOptions } from '../kit/log.js';
import type { NetworkConfig } from './network/network.js';
import { DRIVER_KINDS, type DriverConfig, type DriverKind } from './phones/open-drivers.js';
import type { AppDirectories } from './options.js';
import { DEFAULT_TIMELINE, type TimelineSettings } from './timeline/timeline-room.js';
import type { StripeConfig } from './topups/stripe.js';

/** The demo apps, seen from the compiled file: they are not compiled. */
const DEMO_APPS = fileURLToPath(new URL('../../device-service/apps/demo/catalogue', import.meta.url));

export interface DeviceConfig extends MeshConfig, OpsConfig, NetworkConfig {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Where phones (and the embedded database) are kept. One device service at a time may have it. */
  dataDirectory: string;
  /** Absent: the embedded database, for one machine. */
  mongodbUrl: string | undefined;
  mongodbDatabase: string;
  /** Absent: made up at the first start and kept in the data folder. */
  hostId: string | undefined;
  /** Where events are published. */
  webhookServiceUrl: string;
  /** Address of the screen service, which does the steps of groups. */
  screenServiceUrl: string;
  /** Whether anyone may make an account. */
  signUpOpen: boolean;
  /** What an account may have at most; 0: no bound. */
  quotas: QuotaSettings;
  /** How long timelines are kept, and what they may take. */
  timeline: TimelineSettings;
  /** What phones cost. */
  prices: Prices;
  /** Whether webhooks, proxies and phones may reach http and private addresses. */
  allowPrivateTargets: boolean;
  /** Seals secrets in the database. Absent: they are stored as they are. */
  secretBox: SecretBox | undefined;
  /** Absent: credit cannot be bought online. */
  stripe: StripeConfig | undefined;
  driver: DriverConfig;
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
  const config: DeviceConfig = {
    host,
    port,
    ...dataSettings(settings),
    webhookServiceUrl: serviceUrl(settings, 'WEBHOOK_SERVICE_URL', 'http://127.0.0.1:7004'),
    screenServiceUrl: serviceUrl(settings, 'SCREEN_SERVICE_URL', 'http://127.0.0.1:7002'),
    ...accessSettings(settings, { host, ...frontSettings(settings, []) }),
    timeline: timelineSettings(settings),
    prices: priceSettings(settings),
    secretBox: secretBoxSetting(settings),
    stripe: stripeSettings(settings),
    ...meshSettings(settings),
    driver: driverSettings(settings, environment),
    ...helperSettings(settings),
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
): Pick<DeviceConfig, 'dataDirectory' | 'mongodbUrl' | 'mongodbDatabase' | 'hostId'> {
  const mongodbUrl = settings.secret('MONGODB_URL');
  // Without the value, which may hold a password.
  const isUrl = mongodbUrl === undefined || /^mongodb(\+srv)?:\/\/./.test(mongodbUrl);
  settings.require(isUrl, 'MONGODB_URL does not begin with mongodb:// or mongodb+srv://');
  return {
    dataDirectory: resolve(settings.text('DATA_DIR', './data')),
    mongodbUrl,
    mongodbDatabase: settings.text('MONGODB_DATABASE', 'cloudphone'),
    hostId: settings.optionalText('HOST_ID'),
  };
}

/**
 * SIGNUP, ALLOW_PRIVATE_TARGETS and the quotas. Where strangers of a network reach the service, they get accounts only if the operator
 * says so.
 */
export function accessSettings(
  settings: Settings,
  front: Front,
): Pick<DeviceConfig, 'signUpOpen' | 'allowPrivateTargets' | 'quotas'> {
  return {
    quotas: {
      devices: settings.integer('QUOTA_DEVICES', { min: 0, max: 1_000_000 }, 200),
      storageBytes: settings.integer('QUOTA_STORAGE_GB', { min: 0, max: 1_000_000 }, 50) * 1e9,
    },
    signUpOpen: settings.choice('SIGNUP', ['open', 'closed'], isExposed(front) ? 'closed' : 'open') === 'open',
    allowPrivateTargets: settings.flag('ALLOW_PRIVATE_TARGETS', false),
  };
}

/** TIMELINE_DAYS and TIMELINE_MB. */
export function timelineSettings(settings: Settings): TimelineSettings {
  const { keptMs, bytesMost } = DEFAULT_TIMELINE;
  return {
    keptMs: settings.integer('TIMELINE_DAYS', { min: 1, max: 3_650 }, keptMs / DAY_MS) * DAY_MS,
    bytesMost: settings.integer('TIMELINE_MB', { min: 1, max: 1_000_000 }, bytesMost / MIB) * MIB,
  };
}

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/** BILLING, PRICE_MINUTE, PRICE_MONTH and TRIAL_MINUTES. The others are checked without billing too, for the day it is turned on. */
export function priceSettings(settings: Settings): Prices {
  const billing = settings.choice('BILLING', ['on', 'off'], 'on') === 'on';
  const bounds = { most: MOST_PRICE_MICROS, example: formatMoney(DEFAULT_PRICES.minuteMicros) };
  const prices = {
    billing,
    minuteMicros: settings.money('PRICE_MINUTE', bounds, DEFAULT_PRICES.minuteMicros),
    monthMicros: settings.money('PRICE_MONTH', bounds, DEFAULT_PRICES.monthMicros),
    trialMinutes: settings.integer('TRIAL_MINUTES', { min: 0, max: 1_000_000 }, DEFAULT_PRICES.trialMinutes),
  };
  return billing ? prices : NO_PRICES;
}

/** EXITS_FILE and ADDRESS_URL, see docs/network.md. */
export function networkSettings(settings: Settings): Pick<DeviceConfig, 'exitsFile' | 'addressUrl'> {
  const exitsFile = settings.optionalText('EXITS_FILE');
  const addressUrl = settings.optionalText('ADDRESS_URL');
  settings.require(
    addressUrl === undefined || parseHttpUrl(addressUrl) !== undefined,
    `ADDRESS_URL "${addressUrl ?? ''}" is not an http or https URL`,
  );
  return { exitsFile: exitsFile === undefined ? undefined : resolve(exitsFile), addressUrl };
}

/** SECRETS_KEY: 32 random bytes in hex, the same for every device service on one database. */
export function secretBoxSetting(settings: Settings): SecretBox | undefined {
  const text = settings.secret('SECRETS_KEY');
  if (text === undefined) return undefined;
  const usable = /^[0-9a-f]{64}$/i.test(text);
  // Not the value: it is a secret.
  settings.require(usable, 'SECRETS_KEY is not 64 hex digits, such as `openssl rand -hex 32` makes');
  return usable ? new SecretBox(Buffer.from(text, 'hex')) : undefined;
}

/** Stripe's two secrets go together; STRIPE_API_URL is for tests against something else than Stripe. */
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

/** CATALOG_DIR: the operator's APKs. Absent: the demo apps of this repository. */
export function appSettings(settings: Settings): AppDirectories {
  return {
    catalogue: resolve(settings.text('CATALOG_DIR', DEMO_APPS)),
    folder: join(dataSettings(settings).dataDirectory, 'apps'),
  };
}

export function driverSettings(settings: Settings, environment: NodeJS.ProcessEnv): DriverConfig {
  const kinds = settings
    .text('PHONE_DRIVER', 'simulated')
    .split(',')
    .map((kind) => kind.trim());
  const unknown = kinds.find((kind) => !isKind(kind));
  settings.require(unknown === undefined, `PHONE_DRIVER "${unknown}" is not one of ${DRIVER_KINDS.join(', ')}`);
  settings.require(new Set(kinds).size === kinds.length, 'PHONE_DRIVER names a kind of phones twice');
  const phonesFile = settings.optionalText('PHONES_FILE');
  settings.require(
    phonesFile !== undefined || !kinds.includes('attached'),
    'PHONES_FILE is missing: PHONE_DRIVER=attached takes the phones that it lists, see docs/attached-phones.md',
  );
  const modelsFile = settings.optionalText('MODELS_FILE');
  settings.require(
    modelsFile !== undefined || !kinds.some((kind) => ['container', 'emulator', 'kubernetes'].includes(kind)),
    'MODELS_FILE is missing: PHONE_DRIVER=container, emulator and kubernetes make phones of the models that it lists, see docs/real-phones.md',
  );
  const androidHome = settings.optionalText('ANDROID_HOME');
  settings.require(
    androidHome !== undefined || !kinds.includes('emulator'),
    'ANDROID_HOME is missing: PHONE_DRIVER=emulator runs the emulator of the Android SDK there, see docs/real-phones.md',
  );
  // Read here too, so that their faults are reported with all others.
  if (kinds.includes('simulated')) readSimulatedPhones(settings);
  return {
    kinds: kinds.filter(isKind),
    phonesFile: phonesFile === undefined ? undefined : resolve(phonesFile),
    modelsFile: modelsFile === undefined ? undefined : resolve(modelsFile),
    androidHome: androidHome === undefined ? undefined : resolve(androidHome),
    bootsAtOnce: settings.integer(
      'BOOTS_AT_ONCE',
      { min: 1, max: 1_000 },
      Math.max(1, Math.floor(availableParallelism() / 2)),
    ),
    container: containerSettings(settings, kinds.includes('container')),
    kubernetes: kubernetesSettings(settings, kinds.includes('kubernetes')),
    address: settings.text('PHONE_HOST', '127.0.0.1'),
    environment,
  };
}

/** DOCKER_HOST and PHONE_SUBNETS, of phones in containers. */
function containerSettings(settings: Settings, isUsed: boolean): DriverConfig['container'] {
  const pool = settings.text('PHONE_SUBNETS', '10.213.0.0/16');
  settings.require(
    isPool(pool),
    `PHONE_SUBNETS "${pool}" is not an IPv4 network of prefix 8 to 28, such as 10.213.0.0/16`,
  );
  const dockerHost = settings.optionalText('DOCKER_HOST');
  const socketPath = engineSocket(dockerHost);
  settings.require(
    !isUsed || socketPath !== undefined,
    `DOCKER_HOST "${dockerHost ?? ''}" is not unix:///path: phones in containers need the engine of this very host`,
  );
  return { pool, socketPath: socketPath ?? '' };
}

/** KUBECONFIG and KUBERNETES_…, of phones in pods. */
function kubernetesSettings(settings: Settings, isUsed: boolean): DriverConfig['kubernetes'] {
  const kubeconfig = settings.optionalText('KUBECONFIG');
  const gateImage = settings.text('KUBERNETES_GATE_IMAGE', '');
  settings.require(
    !isUsed || kubeconfig !== undefined || settings.optionalText('KUBERNETES_SERVICE_HOST') !== undefined,
    'KUBECONFIG is missing: outside of a cluster, it names the file with the address and the credentials of the API',
  );
  settings.require(
    !isUsed || gateImage !== '',
    'KUBERNETES_GATE_IMAGE is missing: it names the image for the containers beside Android, see docs/kubernetes.md',
  );
  return {
    access: {
      kubeconfig: kubeconfig === undefined ? undefined : resolve(kubeconfig),
      namespace: settings.text('KUBERNETES_NAMESPACE', 'cloudphone'),
    },
    gateImage,
    storageClass: settings.optionalText('KUBERNETES_STORAGE_CLASS'),
  };
}

/** RESIDENT_HELPERS: `off` installs nothing on phones. Attached phones need a word in PHONES_FILE, too. */
export function helperSettings(settings: Settings): Pick<DeviceConfig, 'residentHelpers'> {
  return { residentHelpers: settings.choice('RESIDENT_HELPERS', ['on', 'off'], 'on') === 'on' };
}

function isKind(word: string): word is DriverKind {
  return DRIVER_KINDS.some((kind) => kind === word);
}

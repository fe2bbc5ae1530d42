import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Settings } from '../kit/config/settings.js';
import { engineSocket } from '../phone/container/docker-host.js';
import { isPool } from '../phone/container/subnets.js';
import { readSimulatedPhones } from '../simulated-phone/host/config.js';
import { DRIVER_KINDS, type DriverConfig, type DriverKind } from './devices/phones/open-drivers.js';

/** Reads PHONE_DRIVER, and the settings of each kind of phones: docs/real-phones.md, docs/kubernetes.md and docs/attached-phones.md. */
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
  // The simulated phones' settings are read here too, so that their faults are reported with all others.
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

/** Reads DOCKER_HOST and PHONE_SUBNETS, for phones in containers. */
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

/** Reads KUBECONFIG and KUBERNETES_…, for phones in pods. */
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

function isKind(word: string): word is DriverKind {
  return DRIVER_KINDS.some((kind) => kind === word);
}

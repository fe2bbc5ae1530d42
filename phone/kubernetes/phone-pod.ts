import type { Container, Pod } from './api-object.js';
import type { KubernetesModel } from '../image-based/model.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import { killSwitch } from './kill-switch.js';
import { labelsOf, nameOf } from './objects.js';
import { GATE_PORT } from './ports.js';

export interface PhonePodParts {
  phone: ImageBasedPhone;
  model: KubernetesModel;
  namespace: string;
  owner: string;
  /** Image with this service and `nft`. */
  gateImage: string;
  token: string;
}

/** The container of Android. The other containers are for the phone's way out. */
export const PHONE = 'phone';
export const GATE_TOKEN = 'GATE_TOKEN';

/** How long Android may take to shut down before its container is killed, s. Less than the service's limit for a stop. */
export const SHUTDOWN_S = 45;

/**
 * Part of the processors of a model that is reserved for a phone. Most phones are idle most of the time, and may use all processors.
 */
const RESERVED_CPUS = 0.25;

/**
 * Returns the pod of a phone: redroid's boot arguments, the phone's volume at /data, and the resources of its model. Kubernetes never
 * restarts Android: the service decides that, and must see each end. Before Android starts, the rules of its network are set and the gate
 * is started. Kubernetes restarts a gate that ends.
 */
export function phonePod({ phone, model, namespace, owner, gateImage, token }: PhonePodParts): Pod {
  const { width, height, density } = model.screen;
  const android: Container = {
    name: PHONE,
    image: model.image,
    args: [
      `androidboot.redroid_width=${width}`,
      `androidboot.redroid_height=${height}`,
      `androidboot.redroid_dpi=${density}`,
      `androidboot.serialno=${phone.serial}`,
      ...(model.gpu === undefined ? [] : [`androidboot.redroid_gpu_mode=${model.gpu}`]),
      ...model.args,
    ],
    resources: {
      requests: { memory: `${model.memoryMb}Mi`, cpu: cpus(model.cpus * RESERVED_CPUS), ...model.resources },
      limits: { memory: `${model.memoryMb}Mi`, cpu: cpus(model.cpus), ...model.resources },
    },
    securityContext: model.privileged ? { privileged: true } : { capabilities: { add: model.capabilities } },
    ports: [{ containerPort: model.adbPort, name: 'adb' }],
    // `subPath`: the volume holds the folders that copies of snapshots need beside the data.
    volumeMounts: [{ name: 'data', mountPath: '/data', subPath: `${phone.phoneId}/data` }],
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: nameOf('phone', phone.phoneId),
      namespace,
      labels: labelsOf(owner, 'phone', { phone: phone.phoneId, device: phone.name }),
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: SHUTDOWN_S,
      nodeSelector: model.nodeSelector,
      tolerations: [...model.tolerations],
      initContainers: [rules(gateImage, model), gate(gateImage, token)],
      containers: [android],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: nameOf('data', phone.phoneId) } }],
    },
  };
}

function rules(image: string, { adbPort }: KubernetesModel): Container {
  return {
    name: 'rules',
    image,
    command: ['nft', killSwitch(adbPort)],
    resources: SMALL,
    securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } },
  };
}

function gate(image: string, token: string): Container {
  return {
    name: 'gate',
    image,
    // The command of the image's entrypoint.
    args: ['gate'],
    restartPolicy: 'Always',
    env: [{ name: GATE_TOKEN, value: token }],
    ports: [{ containerPort: GATE_PORT, name: 'gate' }],
    resources: SMALL,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 10_001,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Node takes some 50 MiB for so small a program. */
const SMALL = { requests: { memory: '64Mi', cpu: '10m' }, limits: { memory: '128Mi' } };

/** Memory of a phone's pod beside the model's, MiB. */
export const GATE_MEMORY_MB = 64;

function cpus(count: number): string {
  return `${Math.round(count * 1_000)}m`;
}

import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { type Clock, systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import type { KubernetesObject } from '../../../testing/kubernetes/api-client.js';
import { ApiProxy } from '../../../testing/kubernetes/api-proxy.js';
import { KubernetesCluster } from '../../../testing/kubernetes/cluster.js';
import type { ContainerSpec, ImageProgram } from '../../../testing/kubernetes/pod-run.js';
import { DeviceServiceAccount } from '../../../testing/kubernetes/service-account.js';
import { type NodeOptions, StandInKubelet } from '../../../testing/kubernetes/stand-in-kubelet.js';
import type { PhoneDriver } from '../../driver.js';
import type { KubernetesModel, ImageBasedModel } from '../../image-based/model.js';
import { ImageBasedWorld, openInFolder, STAND_IN } from '../../image-based/testing/image-based-world.js';
import { nameOf } from '../objects.js';
import { openKubernetesDriver } from '../open.js';

const DIST = fileURLToPath(new URL('../../../', import.meta.url));

export const PHONE_IMAGE = 'cloudphone/simulated-phone:test';
export const GATE_IMAGE = 'cloudphone/gate:test';
export const NAMESPACE = 'phones';

/** The owner has characters that ids of data folders have, and that names in Kubernetes may not have. */
const OWNER = 'folder_0123456789abcdefghij';

const node = (program: string, { args = [] }: ContainerSpec, ...words: string[]): string[] => [
  ...[process.execPath, join(DIST, program), ...words, ...args],
];

/** The images of tests: the simulated phone, and the service. */
export const IMAGES: Readonly<Record<string, ImageProgram>> = {
  [PHONE_IMAGE]: (container) => ({
    command: node('simulated-phone/container/main.js', container, 'qemu=1', 'androidboot.hardware=redroid'),
    environment: { NODE_ENV: 'production', SIMULATED_BOOT_MS: '50', LOG_LEVEL: 'info' },
  }),
  [GATE_IMAGE]: (container) => ({
    command: container.command ?? node('deploy/entrypoint/main.js', container),
    environment: { NODE_ENV: 'production', LOG_LEVEL: 'info' },
  }),
};

export const MODEL: KubernetesModel = {
  ...{ ...STAND_IN, driver: 'kubernetes', image: PHONE_IMAGE },
  ...{ nodeSelector: { phones: 'yes' }, tolerations: [], resources: {} },
};

/** A driver with a cluster of its own. The cluster has one node, and its phones are made of the image of the simulated phone. */
export class KubernetesWorld extends ImageBasedWorld {
  readonly cluster: KubernetesCluster;
  kubelet!: StandInKubelet;
  /** Between the driver and the API server. */
  proxy!: ApiProxy;
  account!: DeviceServiceAccount;
  /** Models of the image-based phones; takes effect with the next `reopen`. */
  models: KubernetesModel[];
  readonly #nodes: StandInKubelet[] = [];

  private constructor(folder: string, cluster: KubernetesCluster, model: Partial<KubernetesModel>) {
    super(folder);
    this.cluster = cluster;
    this.models = [
      { ...MODEL, ...model },
      { ...MODEL, ...model, model: 'no-image', image: 'registry.test/none:latest' },
      { ...MODEL, ...model, model: 'no-node', nodeSelector: { phones: 'never' } },
      { ...MODEL, ...model, model: 'too-large', memoryMb: 60_000, bootLimitS: 5 },
    ];
  }

  /** Starts a world. Returns the reason where no cluster can run here. */
  static async start(model: Partial<KubernetesModel> = {}): Promise<KubernetesWorld | string> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      return 'needs Linux and root, for the networks of pods';
    return openInFolder('kubernetes', async (folder) => {
      const cluster = await KubernetesCluster.start(join(folder, 'cluster'));
      if (typeof cluster === 'string') return cluster;
      const world = new KubernetesWorld(folder, cluster, model);
      await cluster.addNamespace(NAMESPACE);
      world.proxy = await ApiProxy.open(cluster);
      world.account = await DeviceServiceAccount.add(cluster.api, NAMESPACE);
      await world.writeKubeconfig('first');
      world.kubelet = await world.addNode({ name: 'node-1' });
      world.driver = await world.open();
      return world;
    });
  }

  protected async closeEngine(): Promise<void> {
    (this.proxy as ApiProxy | undefined)?.close();
    await Promise.all(this.#nodes.map((node) => node.close()));
    await this.cluster.close();
  }

  async addNode(options: NodeOptions): Promise<StandInKubelet> {
    const node = await StandInKubelet.start(this.cluster, {
      ...{ labels: { phones: 'yes' }, memoryMb: 16_384, images: IMAGES },
      ...options,
    });
    this.#nodes.push(node);
    return node;
  }

  /** Gives the driver a token of its service account, known as `name`. */
  async writeKubeconfig(name: string): Promise<string> {
    return this.cluster.writeKubeconfig('service', await this.account.token(name), this.proxy.url);
  }

  open({
    directory = join(this.folder, 'data'),
    owner = OWNER,
    kubeconfig = join(this.cluster.folder, 'service.kubeconfig'),
    clock = systemClock,
  } = {}): Promise<PhoneDriver> {
    const models: ImageBasedModel[] = this.models;
    return openKubernetesDriver({
      ...{ access: { kubeconfig, namespace: NAMESPACE }, owner, directory, boots: pLimit(2) },
      ...{ gateImage: GATE_IMAGE, storageClass: undefined },
      models: { value: models, close: () => undefined },
      connectSocket: (host, port) => connect({ host, port }),
      ...{ clock, log: silentLog },
    });
  }

  /** Opens the driver again, as after a restart of the service: the driver holds no state but its connections. */
  async reopen({ clock }: { clock?: Clock } = {}): Promise<void> {
    await this.driver.close();
    this.driver = await this.open({ ...(clock && { clock }) });
  }

  /** Returns the path of the objects of a kind in the phones' namespace, or of the one that is named `name`. */
  path(kind: 'pods' | 'persistentvolumeclaims' | 'resourcequotas' | 'networkpolicies', name = ''): string {
    const group = kind === 'networkpolicies' ? 'apis/networking.k8s.io/v1' : 'api/v1';
    return `/${group}/namespaces/${NAMESPACE}/${kind}${name === '' ? '' : `/${name}`}`;
  }

  podPath(phoneId: string): string {
    return this.path('pods', nameOf('phone', phoneId));
  }

  /** Returns the folder of a claim's volume on this machine. */
  async folderOf(name: string): Promise<string> {
    const read = (path: string) => this.cluster.api.call<KubernetesObject>('GET', path);
    const claim = await read(this.path('persistentvolumeclaims', name));
    const volume = await read(`/api/v1/persistentvolumes/${(claim?.['spec'] as { volumeName: string }).volumeName}`);
    return (volume?.['spec'] as { hostPath: { path: string } }).hostPath.path;
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { type Clock, systemClock } from '../../../kit/clock.js';
import { silentLog } from '../../../kit/log.js';
import type { KubernetesObject } from '../../../testing/kubernetes/api-client.js';
import { ApiProxy } from '../../../testing/kubernetes/api-proxy.js';
import { KubernetesCluster } from '../../../testing/kubernetes/cluster.js';
import type { ContainerSpec, ImageProgram } from '../../../testing/kubernetes/pod-run.js';
import { DeviceServiceAccount } from '../../../testing/kubernetes/service-account.js';
import { type NodeOptions, StandInKubelet } from '../../../testing/kubernetes/stand-in-kubelet.js';
import type { PhoneDriver, PhoneEndpoint, PhoneExit, PhoneSpec } from '../../driver.js';
import { PhoneLink } from '../../link/phone-link.js';
import type { KubernetesModel, MadeModel } from '../../made/made-model.js';
import { nameOf } from '../objects.js';
import { openKubernetesDriver } from '../open.js';

const DIST = fileURLToPath(new URL('../../../', import.meta.url));

export const PHONE_IMAGE = 'cloudphone/simulated-phone:test';
export const GATE_IMAGE = 'cloudphone/gate:test';
export const NAMESPACE = 'phones';

/** With characters that ids of data folders have, and names of Kubernetes may not. */
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
  ...{ model: 'stand-in', name: 'Stand-in', android: ['14'], driver: 'kubernetes', image: PHONE_IMAGE },
  screen: { width: 720, height: 1280, density: 320 },
  ...{ memoryMb: 512, cpus: 2, diskMb: 1024, bootLimitS: 60, adbPort: 5555 },
  ...{ args: ['ro.product.model=Stand-in'], privileged: true, capabilities: [] },
  ...{ nodeSelector: { phones: 'yes' }, tolerations: [], resources: {} },
};

/** A driver on a cluster of its own with one node, whose phones are the stand-in image. Each test makes and deletes its phones. */
export class KubernetesWorld {
  readonly folder: string;
  readonly cluster: KubernetesCluster;
  kubelet!: StandInKubelet;
  /** Between the driver and the API server. */
  proxy!: ApiProxy;
  account!: DeviceServiceAccount;
  /** Of the phones that are made; takes effect with the next `reopen`. */
  models: KubernetesModel[];
  driver!: PhoneDriver;
  /** First bytes of each connection that reached the forwarder of the phones. */
  readonly forwarded: string[] = [];
  readonly #forwarder: Server;
  readonly #nodes: StandInKubelet[] = [];
  #phones = 0;

  private constructor(folder: string, cluster: KubernetesCluster, model: Partial<KubernetesModel>) {
    this.folder = folder;
    this.cluster = cluster;
    this.models = [
      { ...MODEL, ...model },
      { ...MODEL, ...model, model: 'no-image', image: 'registry.test/none:latest' },
      { ...MODEL, ...model, model: 'no-node', nodeSelector: { phones: 'never' } },
      { ...MODEL, ...model, model: 'too-large', memoryMb: 60_000, bootLimitS: 5 },
    ];
    this.#forwarder = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        this.forwarded.push(data.toString('latin1'));
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
      });
    }).listen(join(folder, 'forwarder.sock'));
  }

  /** Returns the reason where no cluster can run here. */
  static async start(model: Partial<KubernetesModel> = {}): Promise<KubernetesWorld | string> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      return 'needs Linux and root, for the networks of pods';
    const folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
    const cluster = await KubernetesCluster.start(join(folder, 'cluster'));
    if (typeof cluster === 'string') {
      await rm(folder, { recursive: true, force: true });
      return cluster;
    }
    const world = new KubernetesWorld(folder, cluster, model);
    await cluster.addNamespace(NAMESPACE);
    world.proxy = await ApiProxy.open(cluster);
    world.account = await DeviceServiceAccount.add(cluster.api, NAMESPACE);
    await world.writeKubeconfig('first');
    world.kubelet = await world.addNode({ name: 'node-1' });
    world.driver = await world.open();
    return world;
  }

  async close(): Promise<void> {
    await (this.driver as PhoneDriver | undefined)?.close();
    (this.proxy as ApiProxy | undefined)?.close();
    await Promise.all(this.#nodes.map((node) => node.close()));
    await this.cluster.close();
    this.#forwarder.close();
    await rm(this.folder, { recursive: true, force: true });
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
    const models: MadeModel[] = this.models;
    return openKubernetesDriver({
      ...{ access: { kubeconfig, namespace: NAMESPACE }, owner, directory, boots: pLimit(2) },
      ...{ gateImage: GATE_IMAGE, storageClass: undefined },
      models: { value: models, close: () => undefined },
      connectSocket: (host, port) => connect({ host, port }),
      ...{ clock, log: silentLog },
    });
  }

  /** As after a restart of the service: the driver holds no state but its connections. */
  async reopen({ clock }: { clock?: Clock } = {}): Promise<void> {
    await this.driver.close();
    this.driver = await this.open({ ...(clock && { clock }) });
  }

  exit(): PhoneExit {
    const forwarder = join(this.folder, 'forwarder.sock');
    return { type: 'direct', country: 'us', timezone: 'America/New_York', forwarder };
  }

  spec(name = 'phone', model = 'stand-in'): PhoneSpec {
    return { phoneId: `ph_${process.pid}_${this.#phones++}`, name, model, android: '14', exit: this.exit() };
  }

  async create(): Promise<PhoneSpec> {
    const made = this.spec();
    await this.driver.create(made);
    return made;
  }

  async shell(at: PhoneEndpoint, command: string): Promise<string> {
    const connectSocket = (host: string, port: number) => connect({ host, port });
    const link = await PhoneLink.open({ ...at, clock: systemClock, connectSocket, timeoutMs: 20_000 });
    try {
      const { stdout, stderr } = await link.shell(command, { timeoutMs: 60_000, maxBytes: 65_536, doing: 'test' });
      return stdout.toString() + stderr.toString();
    } finally {
      link.close();
    }
  }

  /** Requests a page by the proxy that the phone has as its way out. */
  page(at: PhoneEndpoint): Promise<string> {
    return this.shell(at, `curl -s -m 5 -x "$(settings get global http_proxy)" http://example.com/`);
  }

  /** Path of the objects of the phones' namespace. */
  path(kind: 'pods' | 'persistentvolumeclaims' | 'resourcequotas' | 'networkpolicies', name = ''): string {
    const group = kind === 'networkpolicies' ? 'apis/networking.k8s.io/v1' : 'api/v1';
    return `/${group}/namespaces/${NAMESPACE}/${kind}${name === '' ? '' : `/${name}`}`;
  }

  podPath(phoneId: string): string {
    return this.path('pods', nameOf('phone', phoneId));
  }

  /** The folder on this machine of a claim's volume. */
  async folderOf(name: string): Promise<string> {
    const read = (path: string) => this.cluster.api.call<KubernetesObject>('GET', path);
    const claim = await read(this.path('persistentvolumeclaims', name));
    const volume = await read(`/api/v1/persistentvolumes/${(claim?.['spec'] as { volumeName: string }).volumeName}`);
    return (volume?.['spec'] as { hostPath: { path: string } }).hostPath.path;
  }

  /** Collects the phones of changes from now on. */
  watch(): { changes: string[]; end: () => Promise<void> } {
    const watching = new AbortController();
    const changes: string[] = [];
    const watched = (async () => {
      for await (const change of this.driver.watch(watching.signal)) changes.push(change.phoneId);
    })();
    return { changes, end: () => (watching.abort(), watched) };
  }
}

/** Returns the name and text of the error that a call must end with. */
export function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
  );
}

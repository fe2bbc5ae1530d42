import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { selfSigned } from '../self-signed.js';
import { until } from '../until.js';
import type { ApiClient, KubernetesObject } from './api-client.js';
import type { KubernetesCluster } from './cluster.js';
import { PodNetwork } from './pod-network.js';
import { type ImageProgram, PodRun } from './pod-run.js';

export interface NodeOptions {
  name: string;
  labels?: Record<string, string>;
  cpus?: number;
  memoryMb?: number;
  pods?: number;
  /** The programs of images, by the image's reference. Absent: pods run nothing, and are reported as running at once. */
  images?: Readonly<Record<string, ImageProgram>>;
  /** Runs the pods in place of `images`, and returns the address of each. */
  run?: (pod: KubernetesObject) => Promise<string>;
}

const BEAT_MS = 2_000;

/**
 * A node whose pods are processes of this machine, each pod in a network namespace of its own. It takes the place of a kubelet and a
 * container runtime. Scheduler, controllers and API server see a node like any other. It knows what phones use: containers, sidecars,
 * claims with sub-paths, grace periods, logs and termination messages. It does not limit memory or processors, and knows no probes.
 */
export class StandInKubelet {
  readonly #api: ApiClient;
  readonly #options: NodeOptions;
  readonly #folder: string;
  readonly #network: PodNetwork | undefined;
  readonly #logs: Server;
  readonly #ending = new AbortController();
  readonly #pods = new Map<string, { run: PodRun | undefined; pod: KubernetesObject }>();
  #isLost = false;
  #numbers = 0;

  private constructor(cluster: KubernetesCluster, options: NodeOptions, network: PodNetwork | undefined) {
    this.#api = cluster.api;
    this.#options = options;
    this.#folder = join(cluster.folder, options.name);
    mkdirSync(this.#folder, { recursive: true });
    this.#network = network;
    this.#logs = createServer(selfSigned(), (request, response) => {
      const url = new URL(request.url ?? '', 'https://node');
      const [, , , name = '', container = ''] = url.pathname.split('/');
      const lines = (this.podOf(name)?.log(container) ?? '').split('\n');
      response.end(lines.slice(-Number(url.searchParams.get('tailLines') ?? '0') - 1).join('\n'));
    });
  }

  /** Returns once the node is ready for pods. */
  static async start(cluster: KubernetesCluster, options: NodeOptions): Promise<StandInKubelet> {
    const network = options.images === undefined ? undefined : await PodNetwork.open();
    const kubelet = new StandInKubelet(cluster, options, network);
    kubelet.#logs.listen(0, '127.0.0.1');
    await once(kubelet.#logs, 'listening');
    await kubelet.#register();
    void kubelet.#beat();
    void kubelet.#follow();
    const isReady = async (): Promise<boolean> => {
      const node = await kubelet.#api.call<KubernetesObject>('GET', `/api/v1/nodes/${options.name}`);
      return ((node?.['spec'].taints ?? []) as unknown[]).length === 0;
    };
    await until(isReady);
    return kubelet;
  }

  podOf(name: string): PodRun | undefined {
    return [...this.#pods.values()].find(({ pod, run }) => run !== undefined && pod.metadata.name === name)?.run;
  }

  /** How many processes of a container run, in all pods that have or had the name. */
  running(name: string, container: string): number {
    const runs = [...this.#pods.values()].filter(({ pod }) => pod.metadata.name === name);
    const processes = runs.flatMap(({ run }) => run?.processOf(container) ?? []);
    return processes.filter(({ exitCode }) => exitCode === undefined).length;
  }

  /** Behaves as a node that lost its network: it reports nothing any more, and its pods run on. */
  lose(): void {
    this.#isLost = true;
    this.#ending.abort();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    const runs = [...this.#pods.values()].flatMap(({ run }) => (run === undefined ? [] : [run]));
    await Promise.all(runs.map((run) => run.terminate(0)));
    await this.#network?.close();
    this.#logs.closeAllConnections();
    this.#logs.close();
  }

  async #register(): Promise<void> {
    const { name, labels = {}, cpus = 64, memoryMb = 65_536, pods = 250 } = this.#options;
    await this.#api.create('/api/v1/nodes', {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    });
    const resources = { cpu: String(cpus), memory: `${memoryMb}Mi`, pods: String(pods), 'ephemeral-storage': '100Gi' };
    await this.#api.merge(`/api/v1/nodes/${name}/status`, {
      status: {
        capacity: resources,
        allocatable: resources,
        conditions: ready(),
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: (this.#logs.address() as AddressInfo).port } },
      },
    });
    await this.#api.create('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', {
      metadata: { name },
      spec: { holderIdentity: name, leaseDurationSeconds: 8, renewTime: microTime() },
    });
  }

  async #beat(): Promise<void> {
    const { name } = this.#options;
    const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`;
    const isOver = (): boolean => this.#ending.signal.aborted;
    while (!isOver()) {
      await systemClock.sleep(BEAT_MS, this.#ending.signal).catch(() => undefined);
      if (isOver()) return;
      try {
        await this.#api.merge(path, { spec: { renewTime: microTime() } });
        // On a busy machine leases can come late. The node then counts as ready again only once it has reported so.
        await this.#api.merge(`/api/v1/nodes/${name}/status`, { status: { conditions: ready() } });
      } catch {
        // An API server that is away comes back.
      }
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const selector = `fieldSelector=spec.nodeName=${this.#options.name}`;
      const onObject = (pod: KubernetesObject, isDeleted: boolean): void => this.#see(pod, isDeleted);
      await this.#api.watch('/api/v1/pods', selector, onObject, signal).catch(() => undefined);
      await systemClock.sleep(200, signal).catch(() => undefined);
    }
  }

  #see(pod: KubernetesObject, isDeleted: boolean): void {
    const uid = pod.metadata.uid ?? '';
    const known = this.#pods.get(uid);
    if (isDeleted) {
      this.#pods.delete(uid);
      // The pod was removed by force. A kubelet ends the processes that it still runs for such a pod.
      void known?.run?.terminate(0);
      return;
    }
    if (known === undefined) {
      const isOver = ['Succeeded', 'Failed'].includes(pod['status']?.phase as string);
      this.#pods.set(uid, { pod, run: isOver ? undefined : this.#run(pod) });
    }
    if (pod.metadata.deletionTimestamp !== undefined) void this.#end(pod);
  }

  #run(pod: KubernetesObject): PodRun | undefined {
    const { images } = this.#options;
    if (images === undefined) {
      void this.#pretend(pod);
      return undefined;
    }
    const network = this.#network;
    if (network === undefined) throw new Error('no network for pods');
    return new PodRun({
      ...{ pod, images, folder: this.#folder },
      claimFolder: (claim) => this.#claimFolder(pod.metadata.namespace ?? '', claim),
      addSandbox: () => network.add(),
      report: (status) => this.#report(pod, status),
    });
  }

  async #end(pod: KubernetesObject): Promise<void> {
    const known = this.#pods.get(pod.metadata.uid ?? '');
    await known?.run?.terminate(pod.metadata.deletionGracePeriodSeconds ?? 0);
    const preconditions = { uid: pod.metadata.uid };
    await this.#persist(() => this.#api.call('DELETE', pathOf(pod), { gracePeriodSeconds: 0, preconditions }));
  }

  /**
   * Repeats a call as a kubelet does, while the API server is away, and while it refuses calls because it starts. A conflict means that the
   * pod is gone.
   */
  async #persist(call: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#ending;
    while (!this.#isLost) {
      try {
        await call();
        return;
      } catch (error) {
        if (/: 4(09|22) /.test(String(error))) return;
        if (/: 4(00|05|15) /.test(String(error))) throw error;
      }
      if (signal.aborted) return;
      await systemClock.sleep(200, signal).catch(() => undefined);
    }
  }

  async #report(pod: KubernetesObject, status: object): Promise<void> {
    // Keeps conditions that others have set, such as that of an eviction.
    const type = 'application/strategic-merge-patch+json';
    const patch = { metadata: { uid: pod.metadata.uid }, status };
    await this.#persist(() => this.#api.call('PATCH', `${pathOf(pod)}/status`, patch, type));
  }

  /** A pod that is reported as running; without `run`, it runs nothing. */
  async #pretend(pod: KubernetesObject): Promise<void> {
    const number = this.#numbers++;
    const nowhere = `10.255.${Math.floor(number / 250) % 250}.${(number % 250) + 1}`;
    const podIP = (await this.#options.run?.(pod)) ?? nowhere;
    const running = { running: { startedAt: new Date().toISOString() } };
    const { containers } = pod['spec'] as { containers: { name: string; image: string }[] };
    await this.#report(pod, {
      ...{ phase: 'Running', podIP, podIPs: [{ ip: podIP }] },
      containerStatuses: containers.map(({ name, image }) => ({
        ...{ name, image, imageID: image, ready: true, started: true, restartCount: 0, state: running },
        containerID: `standin://${pod.metadata.uid ?? ''}`,
      })),
    });
  }

  async #claimFolder(namespace: string, claim: string): Promise<string> {
    let folder: string | undefined;
    await until(async () => {
      const found = await this.#api.call('GET', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${claim}`);
      const volume = found?.spec.volumeName as string | undefined;
      if (volume === undefined) return false;
      folder = (await this.#api.call('GET', `/api/v1/persistentvolumes/${volume}`))?.spec.hostPath.path as string;
      return true;
    });
    return folder ?? '';
  }
}

function pathOf({ metadata }: KubernetesObject): string {
  return `/api/v1/namespaces/${metadata.namespace ?? ''}/pods/${metadata.name}`;
}

/** Returns the time in the form that leases have. */
function microTime(): string {
  return new Date().toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

function ready(): object[] {
  const now = new Date().toISOString();
  return [
    {
      ...{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'a stand-in' },
      ...{ lastHeartbeatTime: now, lastTransitionTime: now },
    },
  ];
}

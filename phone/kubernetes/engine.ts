import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Node, Pod, ResourceQuota } from './api-object.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import type { ConnectSocket } from '../link/phone-link.js';
import type { FetchedImage, PhoneEngine, PhoneProxy, Power } from '../image-based/engine.js';
import type { KubernetesModel, ImageBasedModel } from '../image-based/model.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import { ClusterRefusal, type Cluster } from './cluster.js';
import { ExitTunnels } from './exit-tunnels.js';
import { kubernetesModel } from './model.js';
import { networkPolicies } from './network-policy.js';
import { LABELS, nameOf, selectorOf } from './objects.js';
import { GATE_TOKEN, PHONE, phonePod, SHUTDOWN_S } from './phone-pod.js';
import { PodCache } from './pod-cache.js';
import { endOf, faultOf, powerOf, waitOf } from './pod-state.js';
import { GATE_PORT, PROXY_PORT } from './ports.js';
import { nodeObstacle, roomIn } from './room.js';

export interface KubernetesEngineParts {
  cluster: Cluster;
  /** Differs between services in one namespace: the data folder's id. */
  owner: string;
  gateImage: string;
  /** Makes the volume of a phone ready for a start. Throws PhoneFailure where it has none. */
  prepareData: (phone: ImageBasedPhone, signal?: AbortSignal) => Promise<void>;
  connectSocket: ConnectSocket;
  randomBytes: (count: number) => Buffer;
  clock: Clock;
  log: Log;
}

/**
 * The grace period of a phone whose power is cut, s. With 0, Kubernetes would remove the pod from the API, and free its volume, while the
 * pod's processes may still run.
 */
const KILL_S = 1;
/** The time within which a deleted pod must be gone, after its grace period, ms. */
const GONE_MS = 20_000;
const EVERY_MS = 200;
/** How long a measurement of the cluster is used, ms. It leaves out the service's own pods, which are known at any time. */
const FACTS_MS = 15_000;
/** How often the rules for the network are applied again, ms, which restores rules that somebody deleted. */
const POLICIES_MS = 60_000;

interface Facts {
  atMs: number;
  found: Promise<{ obstacle: string } | { nodes: Node[] | undefined; others: Pod[]; quotas: ResourceQuota[] }>;
}

/**
 * Phones in pods of a Kubernetes cluster. A pod is made at each start and deleted at each stop, so a start never uses an old pod.
 * Data that is to stay is on the phone's volume. A pod that has ended, or is lost with its node, is never removed by force. Kubernetes
 * removes such a pod once it knows that the pod's processes have ended, so no two pods write to a volume.
 */
export class KubernetesEngine implements PhoneEngine {
  readonly kind = 'kubernetes';
  readonly #parts: KubernetesEngineParts;
  readonly #pods: PodCache;
  readonly #tunnels: ExitTunnels;
  #facts: Facts | undefined;
  #responds: boolean | undefined;
  #policiesAtMs = -Infinity;

  constructor(parts: KubernetesEngineParts) {
    this.#parts = parts;
    this.#pods = new PodCache({ ...parts, selector: selectorOf(parts.owner, 'phone') });
    this.#tunnels = new ExitTunnels(parts);
  }

  get responds(): boolean | undefined {
    return this.#responds;
  }

  async obstacle(model: ImageBasedModel): Promise<string | undefined> {
    const facts = await this.#measure();
    this.#responds = !('obstacle' in facts);
    return 'obstacle' in facts ? facts.obstacle : nodeObstacle(facts.nodes, kubernetesModel(model));
  }

  async room(models: readonly KubernetesModel[]): Promise<{ freeMemoryMb: number; freeDiskMb: number }> {
    const facts = await this.#measure();
    if ('obstacle' in facts) return { freeMemoryMb: 0, freeDiskMb: 0 };
    return roomIn({ ...facts, pods: [...this.#pods.all(), ...facts.others] }, models);
  }

  /** Returns the image's reference, as nodes pull images when a pod begins. A reference with a digest always names the same image. */
  fetchImage(model: ImageBasedModel): Promise<FetchedImage> {
    return Promise.resolve({ digest: kubernetesModel(model).image });
  }

  /** Does nothing: the copy that makes the data of a clone removes the identity. */
  forgetIdentity(): Promise<void> {
    return Promise.resolve();
  }

  async powerOn(phone: ImageBasedPhone, { signal }: OperationOptions = {}): Promise<void> {
    const { cluster, owner, gateImage, randomBytes, prepareData, log } = this.#parts;
    const model = kubernetesModel(phone.made);
    // A pod of the phone's last start may be left.
    await this.#end(phone.phoneId, KILL_S, signal);
    await prepareData(phone, signal);
    const token = randomBytes(32).toString('hex');
    const pod = phonePod({ phone, model, namespace: cluster.namespace, owner, gateImage, token });
    try {
      this.#pods.expect(await cluster.apply(pod, signal));
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error;
      log.warn({ phone: phone.phoneId, err: error }, 'Kubernetes refused the pod of a phone');
      throw new PhoneFailure(`Kubernetes refused the phone's pod: ${error.message}`, { cause: error });
    }
    await this.#begun(phone, model, signal);
  }

  async powerOff({ phoneId }: ImageBasedPhone, how: 'save' | 'kill', { signal }: OperationOptions = {}): Promise<void> {
    this.#tunnels.close(phoneId);
    await this.#end(phoneId, how === 'save' ? SHUTDOWN_S : KILL_S, signal);
  }

  async power({ phoneId, made }: ImageBasedPhone, signal?: AbortSignal): Promise<Power> {
    const pod = await this.#pods.read(nameOf('phone', phoneId), signal);
    const power = powerOf(pod, kubernetesModel(made).adbPort);
    const reason = pod === undefined ? this.#pods.lastEnd(nameOf('phone', phoneId)) : undefined;
    return power.on || reason === undefined ? power : { on: false, reason };
  }

  /** A pod that another host of the service has left counts too: its device came here when that host was forgotten. */
  async remove(phoneId: string): Promise<void> {
    this.#tunnels.close(phoneId);
    await this.#end(phoneId, KILL_S, undefined, ({ metadata }) => metadata?.labels?.[LABELS.phone] === phoneId);
    this.#pods.forget(nameOf('phone', phoneId));
  }

  async list(): Promise<string[]> {
    const { cluster, owner } = this.#parts;
    const found = await cluster.list('Pod', selectorOf(owner, 'phone'));
    return [...new Set(found.flatMap(({ metadata }) => metadata?.labels?.[LABELS.phone] ?? []))];
  }

  async openExit(phone: ImageBasedPhone): Promise<PhoneProxy> {
    const pod = await this.#pods.read(nameOf('phone', phone.phoneId));
    const host = pod?.status?.podIP;
    const token = pod?.spec?.initContainers
      ?.flatMap(({ env }) => env ?? [])
      .find(({ name }) => name === GATE_TOKEN)?.value;
    if (host === undefined || token === undefined) throw new Error('the phone is off');
    this.#tunnels.open(phone.phoneId, { host, port: GATE_PORT, token, forwarder: phone.exit.forwarder });
    return { host: '127.0.0.1', port: PROXY_PORT };
  }

  lastLines({ phoneId }: ImageBasedPhone): Promise<string> {
    return this.#parts.cluster.lastLines(nameOf('phone', phoneId), PHONE);
  }

  watch(onChange: (phoneId: string | undefined, reason: string) => void, signal: AbortSignal): void {
    void this.#pods.follow(onChange, signal);
  }

  async close(): Promise<void> {
    this.#tunnels.closeAll();
    this.#parts.cluster.close();
  }

  /** Returns once the containers of a pod run. Otherwise it deletes the pod and throws PhoneFailure with the reason. */
  async #begun({ phoneId }: ImageBasedPhone, model: KubernetesModel, signal: AbortSignal | undefined): Promise<void> {
    const { clock, log } = this.#parts;
    const name = nameOf('phone', phoneId);
    const deadlineMs = clock.monotonicMs() + model.bootLimitS * 1_000;
    for (;;) {
      const pod = await this.#pods.read(name, signal);
      if (powerOf(pod, model.adbPort).on) return;
      const late = clock.monotonicMs() >= deadlineMs;
      const reason =
        pod === undefined ? 'its pod was deleted' : (faultOf(pod) ?? endOf(pod) ?? (late ? waitOf(pod) : undefined));
      if (reason !== undefined) {
        log.warn({ phone: phoneId, reason }, 'the pod of a phone did not begin');
        await this.#end(phoneId, KILL_S, signal);
        throw new PhoneFailure(`The phone's pod did not begin: ${reason}`);
      }
      await clock.sleep(EVERY_MS, signal);
    }
  }

  /**
   * Deletes the pod of a phone, and returns once Kubernetes has confirmed its end. Throws PhoneFailure for a pod of the name that is not the
   * phone's, as `isOwn` says. Absent: it is by the label of this host.
   */
  async #end(
    phoneId: string,
    graceS: number,
    signal?: AbortSignal,
    isOwn = ({ metadata }: Pod): boolean => metadata?.labels?.[LABELS.owner] === this.#parts.owner,
  ): Promise<void> {
    const { cluster, clock } = this.#parts;
    const name = nameOf('phone', phoneId);
    const pod = await cluster.read<Pod>('Pod', name, signal);
    if (pod === undefined) return;
    if (!isOwn(pod)) throw new PhoneFailure(`A pod that is not of this service has the name ${name}.`);
    await cluster.delete('Pod', name, { graceS }, signal);
    const deadlineMs = clock.monotonicMs() + graceS * 1_000 + GONE_MS;
    for (;;) {
      const left = await cluster.read<Pod>('Pod', name, signal);
      if (left === undefined) break;
      if (clock.monotonicMs() >= deadlineMs)
        throw new PhoneFailure(
          `Kubernetes does not confirm that the phone's last pod has ended (node ${left.spec?.nodeName ?? 'unknown'}). Try again once the node is back, or inform the operator.`,
        );
      await clock.sleep(EVERY_MS, signal);
    }
    this.#pods.expectNone(name);
  }

  #measure(): Facts['found'] {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#facts === undefined || nowMs - this.#facts.atMs > FACTS_MS)
      this.#facts = { atMs: nowMs, found: begunAhead(this.#findFacts()) };
    return this.#facts.found;
  }

  async #findFacts(): Facts['found'] {
    const { cluster, owner } = this.#parts;
    try {
      await this.#applyPolicies();
      const [nodes, others, quotas] = await Promise.all([
        cluster.nodes(),
        // The service's own pods are left out, as the pod cache has them.
        cluster.list<Pod>('Pod', `${LABELS.part},${LABELS.owner}!=${owner}`),
        cluster.list<ResourceQuota>('ResourceQuota'),
      ]);
      return { nodes, others, quotas };
    } catch (error) {
      return {
        obstacle: `the Kubernetes API does not serve: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }

  async #applyPolicies(): Promise<void> {
    const { cluster, owner, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#policiesAtMs < POLICIES_MS) return;
    await Promise.all(networkPolicies(cluster.namespace, owner).map((policy) => cluster.apply(policy)));
    this.#policiesAtMs = nowMs;
  }
}

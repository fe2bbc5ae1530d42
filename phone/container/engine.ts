import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { NetworkInterfaceInfo } from 'node:os';
import type Docker from 'dockerode';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { type HostDisk, type OperationOptions, PhoneFailure } from '../driver.js';
import { freeDiskMbOf } from '../files/measure-capacity.js';
import type { EnginePause, FetchedImage, PhoneEngine, PhoneProxy, Power } from '../image-based/engine.js';
import type { ContainerModel, ImageBasedModel } from '../image-based/model.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import { binderObstacle } from './binder.js';
import { containerOptions, LABELS, nameOf } from './container-options.js';
import { callEngine, statusOf, unlessGone } from './engine-call.js';
import { followEvents } from './engine-events.js';
import { ExitGates } from './exit-gates.js';
import { PhoneImages } from './phone-images.js';
import { loadFirewall, PROXY_PORT } from './firewall.js';
import { forgetIdentity } from './forget-identity.js';
import { PhoneNetworks } from './phone-networks.js';

export interface ContainerEngineParts {
  docker: Docker;
  /** The engine's Unix socket. */
  socketPath: string;
  /** The id of the data folder. It marks this service's containers among those of other services that use the same engine. */
  owner: string;
  /** Addresses for the networks of phones, as CIDR. */
  pool: string;
  interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
  clock: Clock;
  log: Log;
}

/** The part of the engine's description that is used. */
interface EngineInfo {
  DockerRootDir?: string;
}

/** How long Android may take to shut down before its container is killed, s. It is less than the service's limit for a stop. */
const SHUTDOWN_S = 45;
/**
 * How long the engine may take to respond to a ping, ms. It is less than the limit for measuring the host, so the measure reports an engine
 * that hangs.
 */
const PROBE_MS = 4_000;
const STOP_MS = (SHUTDOWN_S + 20) * 1_000;

/**
 * Phones in containers, by the API of Docker 1.41, which Podman serves too. A container is made at each start and removed at each stop.
 * Data that is to stay is in the phone's folder, and no old option of a container outlives a start.
 */
export class ContainerEngine implements PhoneEngine {
  readonly kind = 'container';
  readonly #parts: ContainerEngineParts;
  readonly #networks: PhoneNetworks;
  readonly #gates: ExitGates;
  readonly images: PhoneImages;
  /** The check of the host that is under way. All models share it, so at most one check runs at a time. */
  #probe: Promise<string | undefined> | undefined;
  #responds: boolean | undefined;
  /** The engine's folder for images and containers, once it is known. */
  #storage: string | undefined;
  #isDiskUnseen = false;

  constructor(parts: ContainerEngineParts) {
    this.#parts = parts;
    this.#networks = new PhoneNetworks(parts);
    this.#gates = new ExitGates(parts.log);
    this.images = new PhoneImages(parts);
  }

  /**
   * Returns why no phone of the model can run on this host. Also loads the firewall, so each measure of the host restores rules that
   * somebody has flushed.
   */
  async obstacle(model: ImageBasedModel): Promise<string | undefined> {
    this.#probe ??= begunAhead(this.#hostObstacle().finally(() => (this.#probe = undefined)));
    return (await this.#probe) ?? (containerModel(model).binder ? binderObstacle() : undefined);
  }

  get responds(): boolean | undefined {
    return this.#responds;
  }

  async #hostObstacle(): Promise<string | undefined> {
    const { docker } = this.#parts;
    // The firewall is loaded even when the engine does not respond, as containers may go on running without the engine.
    const fault = await loadFirewall().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    try {
      // The type of `ping` lacks its parameter for options.
      const ping = docker.ping.bind(docker) as (options: { abortSignal: AbortSignal }) => Promise<unknown>;
      await this.#call({ timeoutMs: PROBE_MS }, (abortSignal) => ping({ abortSignal }));
      this.#responds = true;
    } catch (error) {
      this.#responds = false;
      const reason = error instanceof Error ? error.message : String(error);
      return `the container engine does not respond at unix://${this.#parts.socketPath} (DOCKER_HOST): ${reason}`;
    }
    return fault;
  }

  /**
   * Returns the disk of the engine's images and containers. The engine reports the folder; where the service runs in a container, it sees
   * that folder only if the folder is mounted there.
   */
  async disk(): Promise<HostDisk | undefined> {
    const { docker, log } = this.#parts;
    try {
      this.#storage ??= (
        await this.#call({ timeoutMs: PROBE_MS }, () => docker.info() as Promise<EngineInfo>)
      ).DockerRootDir;
      const folder = this.#storage ?? '';
      return { name: `the container engine (${folder})`, freeDiskMb: await freeDiskMbOf(folder) };
    } catch (error) {
      // An engine that is away is an obstacle of its models.
      if (!this.#isDiskUnseen) log.warn({ err: error }, 'the disk of the container engine cannot be measured');
      this.#isDiskUnseen = true;
      return undefined;
    }
  }

  fetchImage(model: ImageBasedModel, options: OperationOptions = {}): Promise<FetchedImage> {
    return this.images.fetch(containerModel(model), options);
  }

  forgetIdentity({ data }: ImageBasedPhone): Promise<void> {
    return forgetIdentity(data);
  }

  async powerOn(phone: ImageBasedPhone, { signal }: OperationOptions = {}): Promise<void> {
    const { docker, owner, log } = this.#parts;
    await loadFirewall();
    await this.#networks.ensure(phone, signal);
    // A container of an earlier start may be left.
    await this.#removeContainer(phone.phoneId, signal);
    const image = await this.images.ready(phone, { signal });
    const options = containerOptions(phone, containerModel(phone.made), { image, owner });
    try {
      const made = await this.#call({ signal }, (abortSignal) => docker.createContainer({ ...options, abortSignal }));
      await this.#call({ signal }, (abortSignal) => made.start({ abortSignal }));
    } catch (error) {
      const status = statusOf(error);
      // An error with a status is a refusal by the engine, with its reason. Any other error is thrown as it is, since it may be temporary.
      if (status === undefined || !(error instanceof Error)) throw error;
      log.warn({ phone: phone.phoneId, err: error }, 'the engine refused to start the container of a phone');
      const message = "The phone's host refused to start it. Try again; if it persists, inform the operator.";
      throw new PhoneFailure(message, { cause: error });
    }
  }

  async powerOff(phone: ImageBasedPhone, how: 'save' | 'kill', { signal }: OperationOptions = {}): Promise<void> {
    const { phoneId } = phone;
    const container = await this.#find(phoneId, signal);
    if (container?.State.Running === true && how === 'save') {
      // Nothing of a paused Android runs, so it cannot shut down.
      if (container.State.Paused) await this.pause.end(phone);
      const stop = (abortSignal: AbortSignal): Promise<unknown> =>
        this.#parts.docker.getContainer(container.Id).stop({ t: SHUTDOWN_S, abortSignal });
      await unlessGone(this.#call({ signal, timeoutMs: STOP_MS }, stop));
    }
    await this.#removeContainer(phoneId, signal);
    await this.#gates.close(phoneId);
  }

  async power({ phoneId, made }: ImageBasedPhone, signal?: AbortSignal): Promise<Power> {
    const container = await this.#find(phoneId, signal);
    if (container === undefined) return { on: false, reason: 'its container is gone' };
    const { State: state, NetworkSettings: networks } = container;
    const host = networks.Networks[nameOf(phoneId)]?.IPAddress ?? '';
    if (state.Running && host !== '')
      return {
        ...{ on: true, start: `${container.Id} ${state.StartedAt}`, host, port: containerModel(made).adbPort },
        ...(state.Paused && { paused: true }),
      };
    if (state.OOMKilled) return { on: false, reason: 'it used more memory than its model has' };
    return { on: false, reason: `its Android ended with status ${state.ExitCode}` };
  }

  async remove(phoneId: string): Promise<void> {
    await this.#gates.close(phoneId);
    await this.#removeContainer(phoneId);
    await this.#networks.remove(phoneId);
  }

  async list(): Promise<string[]> {
    const { docker, owner } = this.#parts;
    const filters = { label: [`${LABELS.owner}=${owner}`] };
    const found = await this.#call({}, (abortSignal) => docker.listContainers({ all: true, filters, abortSignal }));
    const phoneIds = found.map(({ Labels: labels }) => labels[LABELS.phone] ?? '').filter((phoneId) => phoneId !== '');
    return [...new Set([...phoneIds, ...(await this.#networks.list())])];
  }

  async openExit(phone: ImageBasedPhone): Promise<PhoneProxy> {
    const power = await this.power(phone);
    if (!power.on) throw new Error('the phone is off');
    const host = await this.#networks.gateway(phone.phoneId);
    const at = { host, port: PROXY_PORT, from: power.host, forwarder: phone.exit.forwarder };
    await this.#gates.open(phone.phoneId, at);
    return { host, port: PROXY_PORT };
  }

  /** The kernel stops all processes of a paused container. The files of such a phone are as after a loss of power. */
  readonly pause: EnginePause = {
    begin: async ({ phoneId }, { signal } = {}) => {
      const { State: state, Id: id } = (await this.#find(phoneId, signal)) ?? {};
      if (id === undefined || state?.Running !== true || state.Paused) return;
      const pause = (abortSignal: AbortSignal): Promise<unknown> =>
        this.#parts.docker.getContainer(id).pause({ abortSignal });
      await unlessGone(this.#call({ signal }, pause));
    },
    end: async ({ phoneId }) => {
      const { State: state, Id: id } = (await this.#find(phoneId)) ?? {};
      if (id === undefined || state?.Paused !== true) return;
      const unpause = (abortSignal: AbortSignal): Promise<unknown> =>
        this.#parts.docker.getContainer(id).unpause({ abortSignal });
      await unlessGone(this.#call({}, unpause));
    },
  };

  async lastLines({ phoneId }: ImageBasedPhone): Promise<string> {
    const container = this.#parts.docker.getContainer(nameOf(phoneId));
    const read = (abortSignal: AbortSignal): Promise<Buffer> =>
      container.logs({ tail: 10, stdout: true, stderr: true, follow: false, abortSignal });
    return (await unlessGone(this.#call({}, read)))?.toString('utf8') ?? '';
  }

  watch(onChange: (phoneId: string | undefined, reason: string) => void, signal: AbortSignal): void {
    const { docker, owner, clock, log } = this.#parts;
    void followEvents({ docker, owner, clock, log, signal, onChange });
  }

  async close(): Promise<void> {
    await this.#gates.closeAll();
  }

  /** Returns the phone's container; undefined when there is none. Throws PhoneFailure when a container of somebody else has its name. */
  async #find(phoneId: string, signal?: AbortSignal): Promise<Docker.ContainerInspectInfo | undefined> {
    const { docker, owner } = this.#parts;
    const container = docker.getContainer(nameOf(phoneId));
    const inspect = (abortSignal: AbortSignal): Promise<Docker.ContainerInspectInfo> =>
      container.inspect({ abortSignal });
    const found = await unlessGone(this.#call({ signal }, inspect));
    if (found === undefined || found.Config.Labels[LABELS.owner] === owner) return found;
    throw new PhoneFailure(`A container that is not of this service has the name ${nameOf(phoneId)}.`);
  }

  async #removeContainer(phoneId: string, signal?: AbortSignal): Promise<void> {
    const found = await this.#find(phoneId, signal);
    if (found === undefined) return;
    const container = this.#parts.docker.getContainer(found.Id);
    const remove = (abortSignal: AbortSignal): Promise<unknown> =>
      container.remove({ force: true, v: true, abortSignal });
    await unlessGone(this.#call({ signal }, remove));
  }

  #call<T>(
    limit: { signal?: AbortSignal | undefined; timeoutMs?: number },
    call: (abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return callEngine({ ...limit, clock: this.#parts.clock }, call);
  }
}

function containerModel(model: ImageBasedModel): ContainerModel {
  if (model.driver === 'container') return model;
  throw new Error(`the model "${model.model}" is not one of containers`);
}

import type { NetworkInterfaceInfo } from 'node:os';
import type Docker from 'dockerode';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import type { PhoneEngine, PhoneProxy, Power } from '../made/engine.js';
import type { ContainerModel, MadeModel } from '../made/made-model.js';
import type { MadePhone } from '../made/phone-folders.js';
import { binderObstacle } from './binder.js';
import { containerOptions, LABELS, nameOf } from './container-options.js';
import { callEngine, statusOf, unlessGone } from './engine-call.js';
import { followEvents } from './engine-events.js';
import { ExitGates } from './exit-gates.js';
import { fetchImage } from './fetch-image.js';
import { loadFirewall, PROXY_PORT } from './firewall.js';
import { forgetIdentity } from './forget-identity.js';
import { PhoneNetworks } from './phone-networks.js';

export interface ContainerEngineParts {
  docker: Docker;
  /** Differs between services that use one engine: the data folder's id. */
  owner: string;
  /** Addresses for the networks of phones, as CIDR. */
  pool: string;
  interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
  clock: Clock;
  log: Log;
}

/** How long Android may take to shut down before its container is killed, s. Less than the service's limit for a stop. */
const SHUTDOWN_S = 45;
/** Less than between two measures of the host: an engine that hangs is found within one. */
const PROBE_MS = 4_000;
const STOP_MS = (SHUTDOWN_S + 20) * 1_000;

/**
 * Phones in containers, by the API of Docker 1.41, which Podman serves too. A container is made at each start and removed at each stop: what is
 * to stay is in the phone's folder, and no old option of a container outlives a start.
 */
export class ContainerEngine implements PhoneEngine {
  readonly kind = 'container';
  readonly #parts: ContainerEngineParts;
  readonly #networks: PhoneNetworks;
  readonly #gates: ExitGates;
  /** One at a time, for all models. */
  #probe: Promise<string | undefined> | undefined;

  constructor(parts: ContainerEngineParts) {
    this.#parts = parts;
    this.#networks = new PhoneNetworks(parts);
    this.#gates = new ExitGates(parts.log);
  }

  /** Loads the firewall, too, so that rules that somebody flushed are back with the next measure of the host. */
  async obstacle(model: MadeModel): Promise<string | undefined> {
    this.#probe ??= this.#hostObstacle().finally(() => (this.#probe = undefined));
    return (await this.#probe) ?? (containerModel(model).binder ? binderObstacle() : undefined);
  }

  async #hostObstacle(): Promise<string | undefined> {
    const { docker } = this.#parts;
    // Also while the engine does not respond: its containers may run on.
    const fault = await loadFirewall().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    try {
      // Its type leaves out the options.
      const ping = docker.ping.bind(docker) as (options: { abortSignal: AbortSignal }) => Promise<unknown>;
      await this.#call({ timeoutMs: PROBE_MS }, (abortSignal) => ping({ abortSignal }));
    } catch (error) {
      return `the container engine does not respond: ${error instanceof Error ? error.message : String(error)}`;
    }
    return fault;
  }

  fetchImage(model: MadeModel, options: OperationOptions = {}): Promise<string> {
    const { docker, clock, log } = this.#parts;
    return fetchImage(docker, containerModel(model).image, { ...options, clock, log });
  }

  forgetIdentity({ data }: MadePhone): Promise<void> {
    return forgetIdentity(data);
  }

  async powerOn(phone: MadePhone, { signal }: OperationOptions = {}): Promise<void> {
    const { docker, owner, log } = this.#parts;
    await loadFirewall();
    await this.#networks.ensure(phone, signal);
    // The remains of its last start.
    await this.#removeContainer(phone.phoneId, signal);
    const options = containerOptions(phone, containerModel(phone.made), owner);
    try {
      const made = await this.#call({ signal }, (abortSignal) => docker.createContainer({ ...options, abortSignal }));
      await this.#call({ signal }, (abortSignal) => made.start({ abortSignal }));
    } catch (error) {
      const status = statusOf(error);
      // A refusal of the engine, with its reason; anything else may pass.
      if (status === undefined || !(error instanceof Error)) throw error;
      log.warn({ phone: phone.phoneId, err: error }, 'the engine refused to start the container of a phone');
      const message = "The phone's host refused to start it. Try again; if it persists, inform the operator.";
      throw new PhoneFailure(message, { cause: error });
    }
  }

  async powerOff({ phoneId }: MadePhone, how: 'save' | 'kill', { signal }: OperationOptions = {}): Promise<void> {
    const container = await this.#find(phoneId, signal);
    if (container?.State.Running === true && how === 'save') {
      const stop = (abortSignal: AbortSignal): Promise<unknown> =>
        this.#parts.docker.getContainer(container.Id).stop({ t: SHUTDOWN_S, abortSignal });
      await unlessGone(this.#call({ signal, timeoutMs: STOP_MS }, stop));
    }
    await this.#removeContainer(phoneId, signal);
    await this.#gates.close(phoneId);
  }

  async power({ phoneId, made }: MadePhone, signal?: AbortSignal): Promise<Power> {
    const container = await this.#find(phoneId, signal);
    if (container === undefined) return { on: false, reason: 'its container is gone' };
    const { State: state, NetworkSettings: networks } = container;
    const host = networks.Networks[nameOf(phoneId)]?.IPAddress ?? '';
    if (state.Running && host !== '')
      return { on: true, start: `${container.Id} ${state.StartedAt}`, host, port: containerModel(made).adbPort };
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

  async openExit(phone: MadePhone): Promise<PhoneProxy> {
    const power = await this.power(phone);
    if (!power.on) throw new Error('the phone is off');
    const host = await this.#networks.gateway(phone.phoneId);
    const at = { host, port: PROXY_PORT, from: power.host, forwarder: phone.exit.forwarder };
    await this.#gates.open(phone.phoneId, at);
    return { host, port: PROXY_PORT };
  }

  async lastLines({ phoneId }: MadePhone): Promise<string> {
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

  /** Undefined where the phone has none. Throws PhoneFailure where the name is in use by a container that is not this service's. */
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

function containerModel(model: MadeModel): ContainerModel {
  if (model.driver === 'container') return model;
  throw new Error(`the model "${model.model}" is not one of containers`);
}

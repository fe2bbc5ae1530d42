import { createHash } from 'node:crypto';
import type { NetworkInterfaceInfo } from 'node:os';
import type Docker from 'dockerode';
import type { Clock } from '../../kit/async/clock.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { PhoneFailure } from '../driver.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import { labelsOf, LABELS, nameOf } from './container-options.js';
import { callEngine, statusOf, unlessGone } from './engine-call.js';
import { BRIDGE_PREFIX } from './firewall.js';
import { freeSubnet } from './subnets.js';

export interface PhoneNetworksParts {
  docker: Docker;
  owner: string;
  /** The range from which phones' networks take their addresses, as CIDR. */
  pool: string;
  /** The addresses of this host, as `os.networkInterfaces`. */
  interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
  clock: Clock;
}

/** How often a network is tried, as another network may take the addresses at the same moment. */
const TRIES = 5;

/** Makes one private network for each phone. No packet leaves it, as it has no route, and the rules of firewall.ts apply. */
export class PhoneNetworks {
  readonly #parts: PhoneNetworksParts;
  /** Networks are made one at a time, as each takes the first free addresses. */
  readonly #lock = new KeyedLock();

  constructor(parts: PhoneNetworksParts) {
    this.#parts = parts;
  }

  /** Makes the network of a phone that has none. */
  ensure(phone: ImageBasedPhone, signal?: AbortSignal): Promise<void> {
    return this.#lock.run('', async () => {
      const { docker, owner, pool } = this.#parts;
      if ((await this.#find(phone.phoneId, signal)) !== undefined) return;
      for (let tries = 1; ; tries++) {
        const free = freeSubnet(pool, await this.#taken(signal));
        if (free === undefined)
          throw new PhoneFailure("The phone's host has no free network for it. Delete devices, or try again later.");
        const options = {
          Name: nameOf(phone.phoneId),
          Driver: 'bridge',
          Internal: true,
          CheckDuplicate: true,
          Labels: labelsOf(phone, owner),
          Options: { 'com.docker.network.bridge.name': bridgeOf(phone.phoneId) },
          IPAM: { Driver: 'default', Config: [{ Subnet: free.subnet, Gateway: free.gateway }] },
        };
        try {
          await this.#call(signal, (abortSignal) => docker.createNetwork({ ...options, abortSignal }));
          return;
        } catch (error) {
          if (statusOf(error) === undefined || tries === TRIES) throw error;
        }
      }
    });
  }

  /** The host's address in the network of a phone. */
  async gateway(phoneId: string, signal?: AbortSignal): Promise<string> {
    const found = await this.#find(phoneId, signal);
    const gateway = found?.IPAM?.Config?.[0]?.Gateway;
    if (gateway === undefined) throw new Error('the container engine has no network of the phone');
    return gateway;
  }

  async remove(phoneId: string): Promise<void> {
    if ((await this.#find(phoneId)) === undefined) return;
    const network = this.#parts.docker.getNetwork(nameOf(phoneId));
    await unlessGone(this.#call(undefined, (abortSignal) => network.remove({ abortSignal })));
  }

  /** Ids of the phones that have a network. */
  async list(): Promise<string[]> {
    const { docker, owner } = this.#parts;
    const filters = { label: [`${LABELS.owner}=${owner}`] };
    const found = await this.#call(undefined, (abortSignal) => docker.listNetworks({ filters, abortSignal }));
    return found.map(({ Labels: labels }) => labels?.[LABELS.phone] ?? '').filter((phoneId) => phoneId !== '');
  }

  /** Returns undefined where the phone has no network. A network of the same name that this service did not make is ignored. */
  async #find(phoneId: string, signal?: AbortSignal): Promise<Docker.NetworkInspectInfo | undefined> {
    const { docker, owner } = this.#parts;
    // `inspect` is not used, as it takes no signal: a call to an engine that hangs would never end.
    const filters = { label: [`${LABELS.owner}=${owner}`, `${LABELS.phone}=${phoneId}`] };
    const found = await this.#call(signal, (abortSignal) => docker.listNetworks({ filters, abortSignal }));
    return found.find(({ Name: name }) => name === nameOf(phoneId));
  }

  async #taken(signal: AbortSignal | undefined): Promise<string[]> {
    const { docker, interfaces } = this.#parts;
    const networks = await this.#call(signal, (abortSignal) => docker.listNetworks({ abortSignal }));
    const ofEngine = networks.flatMap(({ IPAM: ipam }) =>
      (ipam?.Config ?? []).flatMap(({ Subnet: subnet }) => subnet ?? []),
    );
    const ofHost = Object.values(interfaces()).flatMap((addresses) =>
      (addresses ?? []).flatMap(({ cidr }) => cidr ?? []),
    );
    return [...ofEngine, ...ofHost];
  }

  #call<T>(signal: AbortSignal | undefined, call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    return callEngine({ clock: this.#parts.clock, signal }, call);
  }
}

/** The name of a bridge in the kernel has at most 15 characters. */
function bridgeOf(phoneId: string): string {
  return `${BRIDGE_PREFIX}${createHash('sha256').update(phoneId).digest('hex').slice(0, 12)}`;
}

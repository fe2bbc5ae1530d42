import { execFile, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { until } from '../until.js';

const run = promisify(execFile);

/**
 * A bridge of this machine to which each pod of a node is joined. Each gets an address and a default route, as by a plugin of the CNI.
 */
export class PodNetwork {
  readonly #bridge: string;
  readonly #base: string;
  static #networks = 0;
  readonly #number = PodNetwork.#networks - 1;
  #next = 10;

  private constructor(bridge: string, base: string) {
    this.#bridge = bridge;
    this.#base = base;
  }

  /** Throws where no network namespaces can be made. */
  static async open(): Promise<PodNetwork> {
    // The addresses differ from those of other nodes and test processes. No packet of a test leaves the bridge.
    const number = PodNetwork.#networks++;
    const base = `10.${216 + 8 * (number % 2) + (process.pid % 8)}.${((process.pid >> 3) + (number >> 1)) % 256}`;
    const bridge = `cpk${process.pid}n${number}`;
    await sh(`ip link add ${bridge} type bridge && ip addr add ${base}.1/24 dev ${bridge} && ip link set ${bridge} up`);
    return new PodNetwork(bridge, base);
  }

  /** Makes the network of a pod. It lasts until `end`, or the end of this process. */
  async add(): Promise<PodSandbox> {
    const number = this.#next++;
    const address = `${this.#base}.${10 + (number % 240)}`;
    const words = ['--pdeathsig', 'KILL', '--', 'unshare', '--net', '--', 'sleep', 'infinity'];
    const holder = spawn('setpriv', words, { stdio: 'ignore' });
    const own = readlinkSync('/proc/self/ns/net');
    const pid = holder.pid ?? 0;
    await until(() => holder.exitCode !== null || readlinkSync(`/proc/${pid}/ns/net`) !== own);
    const veth = `k${process.pid.toString(36)}n${this.#number}x${number}`;
    await sh(
      `ip link add ${veth} type veth peer name eth0 netns ${pid} && ip link set ${veth} master ${this.#bridge} up && ` +
        `nsenter --target ${pid} --net sh -c "ip link set lo up && ip addr add ${address}/24 dev eth0 && ip link set eth0 up && ip route add default via ${this.#base}.1"`,
    );
    return { address, netns: `/proc/${pid}/ns/net`, end: () => void holder.kill('SIGKILL') };
  }

  async close(): Promise<void> {
    await sh(`ip link del ${this.#bridge}`);
  }
}

export interface PodSandbox {
  address: string;
  /** For nsenter. */
  netns: string;
  end: () => void;
}

async function sh(script: string): Promise<void> {
  await run('sh', ['-c', script]);
}

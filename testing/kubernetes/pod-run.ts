import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from './api-client.js';
import { ContainerProcess } from './container-process.js';
import type { PodSandbox } from './pod-network.js';

/** Returns how a container of an image is run: its whole command line, and variables beside those of the pod. */
export type ImageProgram = (container: ContainerSpec) => { command: string[]; environment: Record<string, string> };

export interface ContainerSpec {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value: string }[];
  restartPolicy?: string;
  terminationMessagePath?: string;
  volumeMounts?: { name: string; mountPath: string; subPath?: string }[];
}

export interface PodRunParts {
  pod: KubernetesObject;
  folder: string;
  images: Readonly<Record<string, ImageProgram>>;
  /** The folder on this machine of a claim's volume. */
  claimFolder: (claim: string) => Promise<string>;
  addSandbox: () => Promise<PodSandbox>;
  report: (status: object) => Promise<void>;
}

const SIDECAR_MS = 2_000;

/** Runs one pod on the node of the stand-in kubelet. Does what a kubelet does, in the same order, as far as phones need it. */
export class PodRun {
  readonly #parts: PodRunParts;
  readonly #containers = new Map<string, ContainerProcess>();
  readonly #volumes = new Map<string, string>();
  #sandbox: PodSandbox | undefined;
  #phase = 'Pending';
  #waiting: { reason: string; message: string } | undefined;
  #isEnding = false;
  /** Resolves when nothing of the pod runs any more. */
  readonly done: Promise<void>;
  #terminated: Promise<void> | undefined;

  constructor(parts: PodRunParts) {
    this.#parts = parts;
    this.done = this.#run();
    // Callers that await `done` get its failure. If nobody awaits it, the API server may be gone as the test has ended, which is no
    // failure.
    this.done.catch(() => undefined);
  }

  /** Returns what a container wrote. */
  log(container: string): string {
    return this.#containers.get(container)?.log ?? '';
  }

  processOf(container: string): ContainerProcess | undefined {
    return this.#containers.get(container);
  }

  get netns(): string | undefined {
    return this.#sandbox?.netns;
  }

  terminate(graceS: number): Promise<void> {
    this.#isEnding = true;
    this.#terminated ??= this.#terminate(graceS);
    return this.#terminated;
  }

  async #terminate(graceS: number): Promise<void> {
    const main = this.#containers.get(this.#main.name);
    await main?.stop(graceS * 1_000);
    await this.done;
  }

  get #spec(): { initContainers?: ContainerSpec[]; containers: ContainerSpec[]; volumes?: PodVolume[] } {
    return this.#parts.pod['spec'];
  }

  get #main(): ContainerSpec {
    const [main] = this.#spec.containers;
    if (main === undefined) throw new Error('a pod without a container');
    return main;
  }

  async #run(): Promise<void> {
    try {
      if (await this.#begin()) {
        const main = this.#containers.get(this.#main.name);
        await main?.ended;
        this.#phase = main?.exitCode === 0 ? 'Succeeded' : 'Failed';
      }
    } catch (error) {
      this.#phase = 'Failed';
      this.#waiting = { reason: 'StandInError', message: error instanceof Error ? error.message : String(error) };
    }
    this.#isEnding = true;
    await Promise.all([...this.#containers.values()].map((one) => one.stop(SIDECAR_MS)));
    this.#sandbox?.end();
    await this.#report();
  }

  /** Starts the pod's containers in order. Returns whether the main container was started. */
  async #begin(): Promise<boolean> {
    const inits = this.#spec.initContainers ?? [];
    const unknown = [...inits, this.#main].find(({ image }) => this.#parts.images[image] === undefined);
    if (unknown !== undefined) {
      for (const reason of ['ErrImagePull', 'ImagePullBackOff']) {
        this.#waiting = { reason, message: `Back-off pulling image "${unknown.image}"` };
        await this.#report();
      }
      return false;
    }
    for (const { name, persistentVolumeClaim: claim } of this.#spec.volumes ?? [])
      if (claim !== undefined) this.#volumes.set(name, await this.#parts.claimFolder(claim.claimName));
    this.#sandbox = await this.#parts.addSandbox();
    for (const init of inits) {
      if (this.#isEnding) return false;
      const started = this.#start(init);
      if (init.restartPolicy === 'Always') {
        void this.#keep(init);
        continue;
      }
      await started.ended;
      if (started.exitCode !== 0) {
        this.#phase = 'Failed';
        return false;
      }
    }
    if (this.#isEnding) return false;
    this.#start(this.#main);
    this.#phase = 'Running';
    await this.#report();
    return true;
  }

  /** Starts a sidecar again whenever it ends before the pod. */
  async #keep(sidecar: ContainerSpec): Promise<void> {
    await this.#containers.get(sidecar.name)?.ended;
    if (this.#isEnding) return;
    this.#start(sidecar);
    void this.#keep(sidecar);
  }

  #start(container: ContainerSpec): ContainerProcess {
    const { images, folder } = this.#parts;
    const program = images[container.image]?.(container);
    if (program === undefined || this.#sandbox === undefined) throw new Error(`no image ${container.image}`);
    const reportPath = join(folder, `${this.#parts.pod.metadata.uid ?? ''}.${container.name}`);
    writeFileSync(reportPath, '');
    const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, subPath = '' }) => {
      const source = join(this.#volumes.get(name) ?? '', subPath);
      mkdirSync(source, { recursive: true });
      return [mountPath, source] as const;
    });
    const { terminationMessagePath } = container;
    const started = new ContainerProcess({
      command: program.command,
      environment: {
        ...program.environment,
        ...Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value])),
      },
      mounts: [
        ...mounts,
        ...(terminationMessagePath === undefined ? [] : [[terminationMessagePath, reportPath] as const]),
      ],
      netns: this.#sandbox.netns,
      reportPath,
    });
    this.#containers.set(container.name, started);
    return started;
  }

  #report(): Promise<void> {
    const isRunning = this.#phase === 'Running';
    const now = new Date().toISOString();
    const condition = (type: string, holds: boolean): object => ({
      ...{ type, status: holds ? 'True' : 'False', lastTransitionTime: now },
    });
    return this.#parts.report({
      phase: this.#phase,
      hostIP: '127.0.0.1',
      startTime: now,
      ...(this.#sandbox !== undefined && {
        podIP: this.#sandbox.address,
        podIPs: [{ ip: this.#sandbox.address }],
      }),
      conditions: [
        ...[condition('PodScheduled', true), condition('Initialized', isRunning)],
        ...[condition('ContainersReady', isRunning), condition('Ready', isRunning)],
      ],
      initContainerStatuses: (this.#spec.initContainers ?? []).map((one) => this.#statusOf(one)),
      containerStatuses: this.#spec.containers.map((one) => this.#statusOf(one)),
    });
  }

  #statusOf({ name, image }: ContainerSpec): object {
    const process = this.#containers.get(name);
    const base = { name, image, imageID: image, restartCount: 0 };
    if (process === undefined) {
      const waiting = this.#waiting ?? { reason: 'PodInitializing' };
      return { ...base, ready: false, state: { waiting } };
    }
    const { exitCode, startedAt, finishedAt } = process;
    const containerID = `standin://${this.#parts.pod.metadata.uid ?? ''}-${process.pid}`;
    if (exitCode === undefined)
      return { ...base, ready: true, started: true, containerID, state: { running: { startedAt } } };
    const terminated = { exitCode, startedAt, finishedAt, containerID, message: process.report };
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    return { ...base, ready: false, started: false, containerID, state: { terminated: { ...terminated, reason } } };
  }
}

interface PodVolume {
  name: string;
  persistentVolumeClaim?: { claimName: string };
}

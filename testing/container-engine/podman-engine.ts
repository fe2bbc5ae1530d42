import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { until } from '../until.js';
import { type ContainerEngine, hasSysResource, loadedName, mountsBelow, type Printed, runProgram } from './engine.js';
import { EngineProcess } from './engine-process.js';

/** How long the helper processes of removed containers may take to end, ms. */
const HELPERS_MS = 30_000;

/** Podman's command and its service of Docker's API, which share a store. */
export class PodmanEngine implements ContainerEngine {
  readonly kind = 'podman';
  readonly socketPath: string;
  readonly #folder: string;
  readonly #words: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #service: EngineProcess;

  constructor(folder: string) {
    this.#folder = folder;
    this.socketPath = join(folder, 'podman.sock');
    const settingsPath = join(folder, 'containers.conf');
    writeFileSync(settingsPath, settings());
    this.#env = { ...process.env, CONTAINERS_CONF: settingsPath };
    this.#words = [
      ['--root', join(folder, 'store')],
      ['--runroot', join(folder, 'run')],
      ['--tmpdir', join(folder, 'tmp')],
      ['--network-config-dir', join(folder, 'net')],
    ].flat();
    const serve = ['podman', ...this.#words, 'system', 'service', '--time=0', `unix://${this.socketPath}`];
    this.#service = new EngineProcess(serve, this.#env, this.socketPath);
  }

  async load(archivePath: string): Promise<string> {
    return loadedName(await this.cli('load', '-i', archivePath));
  }

  get commandLine(): string {
    return `env CONTAINERS_CONF=${this.#env['CONTAINERS_CONF'] ?? ''} podman ${this.#words.join(' ')}`;
  }

  async cli(...words: string[]): Promise<string> {
    return (await this.#run(words)).stdout;
  }

  async logs(container: string): Promise<string> {
    const { stdout, stderr } = await this.#run(['logs', container]);
    return stdout + stderr;
  }

  #run(words: string[]): Promise<Printed> {
    return runProgram('podman', [...this.#words, ...words], this.#env);
  }

  async kill9(): Promise<void> {
    await this.#service.kill9();
  }

  freeze(): void {
    this.#service.send('SIGSTOP');
  }

  resume(): void {
    this.#service.send('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.#service.stop();
    await this.#service.start();
  }

  async close(): Promise<void> {
    await this.#service.stop();
    if (this.#service.hasServed) {
      await this.cli('rm', '--all', '--force', '--volumes', '--time', '0');
      await this.cli('network', 'prune', '--force');
      // The helpers of an ended container still write to the folder, and would create it again after its removal.
      await until(() => !isUsedByHelpers(this.#folder), HELPERS_MS);
    }
    for (const place of mountsBelow(this.#folder)) await runProgram('umount', ['--lazy', place], this.#env);
  }
}

/** Returns whether a process of conmon (the monitor of a container) or of podman has a path in the folder on its command line. */
function isUsedByHelpers(folder: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const [program = '', ...words] = commandLineOf(pid);
      return ['conmon', 'podman'].includes(basename(program)) && words.some((word) => word.startsWith(`${folder}/`));
    });
}

/** Returns the words of the command line; none for a process that has ended meanwhile. */
function commandLineOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Returns settings for machines without systemd, the unified cgroups or the right to raise limits. Podman's defaults need all three. */
function settings(): string {
  const hasSystemd = existsSync('/run/systemd/system');
  return [
    '[containers]',
    ...(hasSysResource() ? [] : ['default_ulimits = ["nofile=20000:20000", "nproc=8192:8192"]']),
    '[engine]',
    ...(existsSync('/sys/fs/cgroup/cgroup.controllers') ? [] : ['runtime = "runc"']),
    ...(hasSystemd ? [] : ['cgroup_manager = "cgroupfs"', 'events_logger = "file"']),
    // Locks of the default type are shared by all engines of a machine.
    'lock_type = "file"',
    '[network]',
    'network_backend = "netavark"',
    '',
  ].join('\n');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Most characters of a container's output that are kept. */
const MAX_LOG_CHARS = 64 * 1024;

/** Runs a command in this machine's root file system with mounts added. Arguments: place and source of each mount, `--`, the command. */
const CHANGE_ROOT = `
set -e
mount -t tmpfs tmpfs /mnt
for entry in /*; do
  if [ "$entry" = /mnt ]; then continue; fi
  if [ -L "$entry" ]; then cp -P "$entry" "/mnt$entry"
  elif [ -d "$entry" ]; then mkdir "/mnt$entry"; mount --rbind "$entry" "/mnt$entry"; fi
done
while [ "$1" != -- ]; do
  if [ -d "$2" ]; then mkdir -p "/mnt$1"; else : > "/mnt$1"; fi
  mount --bind "$2" "/mnt$1"
  shift 2
done
shift
exec chroot /mnt "$@"
`;

export interface ContainerPlan {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Each mount: its place at the top level of the container, and its source on this machine. */
  mounts: readonly (readonly [place: string, source: string])[];
  netns: string;
  /** The file of the container's termination message. */
  reportPath: string;
}

/** A container of the stand-in kubelet: a process in the pod's network and in a mount namespace of its own. */
export class ContainerProcess {
  readonly startedAt = new Date().toISOString();
  readonly ended: Promise<void>;
  log = '';
  readonly #child: ChildProcess;
  readonly #reportPath: string;
  finishedAt = '';

  constructor({ command, environment, mounts, netns, reportPath }: ContainerPlan) {
    this.#reportPath = reportPath;
    const words = [
      ...['--pdeathsig', 'KILL', '--', 'nsenter', `--net=${netns}`, '--'],
      ...['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c', CHANGE_ROOT, 'sh'],
      ...[...mounts.flat(), '--', ...command],
    ];
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    this.#child = spawn('setpriv', words, { env: { PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    const onData = (chunk: Buffer): void => void (this.log = (this.log + chunk.toString()).slice(-MAX_LOG_CHARS));
    this.#child.stdout?.on('data', onData);
    this.#child.stderr?.on('data', onData);
    this.ended = once(this.#child, 'close').then(() => void (this.finishedAt = new Date().toISOString()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Undefined while the container runs. */
  get exitCode(): number | undefined {
    if (this.#child.signalCode !== null) return this.#child.signalCode === 'SIGTERM' ? 143 : 137;
    return this.#child.exitCode ?? undefined;
  }

  get report(): string {
    return readFileSync(this.#reportPath, 'utf8').slice(0, 4_096);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGTERM, and SIGKILL after the grace period. Resolves when the container has ended. */
  async stop(graceMs: number): Promise<void> {
    if (this.exitCode !== undefined) return;
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(timer);
  }
}

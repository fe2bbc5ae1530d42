import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Of what a container writes, kept, characters. */
const MOST_LOG = 64 * 1024;

/** Shows the root file system of this machine with a container's mounts added to its top (`$1 $2`: place and source, up to `--`). */
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
  /** Place in the container, at its top, by source. */
  mounts: readonly (readonly [place: string, source: string])[];
  netns: string;
  /** The file of its termination message. */
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
    const onData = (chunk: Buffer): void => void (this.log = (this.log + chunk.toString()).slice(-MOST_LOG));
    this.#child.stdout?.on('data', onData);
    this.#child.stderr?.on('data', onData);
    this.ended = once(this.#child, 'close').then(() => void (this.finishedAt = new Date().toISOString()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Undefined while it runs. */
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

  /** SIGTERM, and SIGKILL after the grace period. */
  async stop(graceMs: number): Promise<void> {
    if (this.exitCode !== undefined) return;
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(timer);
  }
}

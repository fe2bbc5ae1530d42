import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import locks from 'fs-native-extensions';
import { until } from '../until.js';
import { type ContainerEngine, hasSysResource, loadedName, mountsBelow, type Printed, runProgram } from './engine.js';
import { EngineProcess } from './engine-process.js';

/** How long to wait for the daemon of another test file, ms: that file's whole run. */
const OTHERS_MS = 800_000;

/**
 * Runs Docker's daemon with a containerd of its own. Only one such daemon runs on a machine at a time, whatever its folder. A daemon that
 * starts rewrites the network rules that all daemons share.
 */
export class DockerEngine implements ContainerEngine {
  readonly kind = 'docker';
  readonly socketPath: string;
  readonly #folder: string;
  readonly #daemon: EngineProcess;
  #machineLock: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.socketPath = join(folder, 'docker.sock');
    const words = [
      ['--data-root', join(folder, 'store')],
      ['--exec-root', join(folder, 'run')],
      ['--pidfile', join(folder, 'docker.pid')],
      ['--host', `unix://${this.socketPath}`],
      ['--config-file', this.#write('daemon.json', '{}', 0o600)],
    ].flat();
    if (!hasSysResource()) {
      const runtime = this.#write('runtime', RUNTIME, 0o755);
      words.push('--add-runtime', `here=${runtime}`, '--default-runtime', 'here');
    }
    this.#daemon = new EngineProcess(['dockerd', ...words], process.env, this.socketPath);
  }

  async load(archivePath: string): Promise<string> {
    return loadedName(await this.cli('load', '-i', archivePath));
  }

  get commandLine(): string {
    return `docker --host unix://${this.socketPath}`;
  }

  async cli(...words: string[]): Promise<string> {
    return (await this.#run(words)).stdout;
  }

  async logs(container: string): Promise<string> {
    const { stdout, stderr } = await this.#run(['logs', container]);
    return stdout + stderr;
  }

  #run(words: string[]): Promise<Printed> {
    return runProgram('docker', ['--host', `unix://${this.socketPath}`, ...words], process.env);
  }

  async kill9(): Promise<void> {
    await this.#daemon.kill9();
  }

  freeze(): void {
    this.#daemon.send('SIGSTOP');
  }

  resume(): void {
    this.#daemon.send('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.#lockMachine();
    await this.#daemon.stop();
    await this.#daemon.start();
  }

  async close(): Promise<void> {
    // A daemon that was killed has left its containers and its containerd running.
    if (!this.#daemon.isRunning && this.#daemon.hasServed) await this.#daemon.start();
    if (this.#daemon.isRunning) {
      const ids = (await this.cli('ps', '--all', '--quiet')).split('\n').filter(Boolean);
      if (ids.length > 0) await this.cli('rm', '--force', '--volumes', ...ids);
      await this.cli('network', 'prune', '--force');
    }
    await this.#daemon.stop();
    await this.#endContainerd();
    for (const place of mountsBelow(this.#folder)) await runProgram('umount', ['--lazy', place], process.env);
    if (this.#machineLock !== undefined) closeSync(this.#machineLock);
    this.#machineLock = undefined;
  }

  async #lockMachine(): Promise<void> {
    if (this.#machineLock !== undefined) return;
    const file = openSync(join(tmpdir(), 'cloudphone-test-docker.lock'), 'w');
    this.#machineLock = file;
    await until(() => locks.tryLock(file), OTHERS_MS);
  }

  /** Ends containerd. A daemon does not end a containerd that an earlier daemon has started. */
  async #endContainerd(): Promise<void> {
    const path = join(this.#folder, 'run/containerd/containerd.pid');
    if (!existsSync(path)) return;
    const pid = Number(readFileSync(path, 'utf8'));
    const isIt = (): boolean =>
      existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.#folder);
    if (!isIt()) return;
    process.kill(pid, 'SIGTERM');
    await until(() => !isIt(), 30_000);
  }

  #write(name: string, text: string, mode: number): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text, { mode });
    return path;
  }
}

/** Runs runc without CAP_SYS_RESOURCE, which this machine does not have. A privileged container asks for all capabilities by name. */
const RUNTIME = `#!/bin/sh
bundle=
last=
for word in "$@"; do
  [ "$last" = --bundle ] && bundle=$word
  last=$word
done
case " $* " in
*" create "*) sed -i -E 's/"CAP_SYS_RESOURCE",|,?"CAP_SYS_RESOURCE"//g' "\${bundle:-.}/config.json" ;;
esac
exec runc "$@"
`;

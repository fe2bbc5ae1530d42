import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A container engine with a store, networks and processes of its own, below one folder. */
export interface ContainerEngine {
  readonly kind: 'docker' | 'podman';
  /** The socket of Docker's API. */
  readonly socketPath: string;
  /** Loads an archive of `npm run phone-image` and returns the image's name. */
  load(archivePath: string): Promise<string>;
  /** Runs the engine's command (`docker`, `podman`) and returns its standard output. A failure throws its standard error. */
  cli(...words: string[]): Promise<string>;
  /** The engine's command with its options, as text for a shell. The words of a call follow it. */
  readonly commandLine: string;
  /** Returns the text that a container has written to its standard output and error. */
  logs(container: string): Promise<string>;
  /** Ends the process of the API as a crash does. Podman's containers go on running; Docker's run until Docker starts again. */
  kill9(): Promise<void>;
  /** Stops the process of the API from running, as an overloaded host may, until `resume`. */
  freeze(): void;
  resume(): void;
  /** Starts the API again, after ending it where it runs. */
  restart(): Promise<void>;
  /** Removes every container and network, ends the engine and unmounts everything below the folder. The folder stays. */
  close(): Promise<void>;
}

export interface Printed {
  stdout: string;
  stderr: string;
}

/** Runs a program that must succeed. */
export function runProgram(command: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<Printed> {
  return new Promise((resolve, reject) => {
    execFile(command, words, { env, timeout: 300_000, maxBuffer: 16 * 1024 ** 2 }, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(new Error(`${command} ${words.at(-1) ?? ''}: ${stderr.trim() || error.message}`, { cause: error }));
    });
  });
}

/** Returns the image's name in the output of `load`. */
export function loadedName(printed: string): string {
  const name = /^Loaded image: (\S+)$/m.exec(printed)?.[1];
  if (name === undefined) throw new Error(`no image was loaded: ${printed}`);
  return name;
}

/** Returns whether this process has CAP_SYS_RESOURCE. Without it no limit can be raised, and no container can have all capabilities. */
export function hasSysResource(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
  return (BigInt(`0x${effective}`) >> 24n) % 2n === 1n;
}

/** Places below a folder at which something is mounted, the innermost first. */
export function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((place) => place.startsWith(`${folder}/`))
    .reverse();
}

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ContainerEngine, runProgram } from '../container-engine/engine.js';

const VERSION = 'v2.32.4';
export const NEEDS_COMPOSE = 'needs Docker Compose: testing/compose/build makes it, in 5 minutes';

/** A Docker Compose project of one or more files, which is run with a container engine. */
export class ComposeProject {
  readonly #program: string;
  readonly #files: readonly string[];
  readonly #env: NodeJS.ProcessEnv;

  private constructor(program: string, files: readonly string[], env: NodeJS.ProcessEnv) {
    this.#program = program;
    this.#files = files;
    this.#env = env;
  }

  /** Returns the project; a text with the reason when Docker Compose is missing here. `env`: the variables of the files. */
  static of(engine: ContainerEngine, files: readonly string[], env: Record<string, string>): ComposeProject | string {
    const { XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
    const program = join(XDG_CACHE_HOME, 'cloudphone', `compose-${VERSION}`, 'docker-compose');
    if (!existsSync(program)) return NEEDS_COMPOSE;
    return new ComposeProject(program, files, { ...process.env, ...env, DOCKER_HOST: `unix://${engine.socketPath}` });
  }

  /** Runs a command of Docker Compose, and returns its output. Throws its error text when it fails. */
  async run(...words: string[]): Promise<string> {
    const files = this.#files.flatMap((file) => ['--file', file]);
    return (await runProgram(this.#program, [...files, ...words], this.#env)).stdout;
  }
}

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApi } from '../../testing/openapi.js';
import { skip } from '../../testing/skip.js';

/** Outputs of pip, Go and Maven when their registry cannot be reached, as opposed to faults of a package. */
const NO_NETWORK =
  /NewConnectionError|ConnectTimeout|ReadTimeout|NameResolutionError|Network is unreachable|ProxyError|Temporary failure|dial tcp|i\/o timeout|no such host|lookup disabled|Unknown host|Connection refused|Connect to \S+ failed|UnresolvedAddress|transfer failed/i;

export interface Ran {
  status: number;
  /** The text of both streams. */
  printed: string;
}

/** A temporary folder with the OpenAPI file (`openapi.json`), in which a generator and the client that it makes are run. */
export class ToolFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'cloudphone-generated-'));

  constructor() {
    this.write('openapi.json', JSON.stringify(openApi().document));
  }

  at(...names: string[]): string {
    return join(this.path, ...names);
  }

  write(name: string, text: string): void {
    writeFileSync(this.at(name), text);
  }

  /** Runs a program in the folder, or in `cwd`. A program that is not there has the status 127, as in shells. */
  run(
    command: string,
    words: readonly string[],
    options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Ran> {
    const { cwd = this.path, env = {} } = options;
    const bounds = { maxBuffer: 64 * 1024 * 1024, cwd, env: { ...process.env, ...env } };
    return new Promise((resolve) => {
      execFile(command, words, bounds, (error, stdout, stderr) => {
        const status = error === null ? 0 : error.code === 'ENOENT' ? 127 : 1;
        resolve({ status, printed: stdout + stderr + (error?.message ?? '') });
      });
    });
  }

  /** Runs a program that a tool needs; skips the test where that, or the network that it uses, is missing. Other failures are thrown. */
  async needs(
    context: Mocha.Context,
    what: string,
    command: string,
    words: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const { status, printed } = await this.run(command, words, { env });
    if (status === 0) return;
    if (status !== 127 && !NO_NETWORK.test(printed)) throw new Error(printed);
    skip(context, `needs ${what}`);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Every operation of the API, by its identifier, for the checks of the clients. */
export function operationIds(): string[] {
  const paths = openApi().document['paths'] as Record<string, Record<string, { operationId: string }>>;
  return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
}

import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { begunAhead } from '../begun-ahead.js';
import { openShell } from '../adb/open-shell.js';
import type { PhoneShell } from '../adb/phone-shell.js';
import type { ShellResult } from '../adb/shell-run.js';
import type { Service } from '../service.js';

type Namespace = 'system' | 'secure' | 'global';

/**
 * The phone of an episode, as tasks prepare it and read its state. Agents never get this. Its shell is open from the first command until the
 * release. While it is open, the service reads screens the slow way.
 */
export class GymPhone {
  readonly device: string;
  readonly #service: Service;
  #shell: Promise<PhoneShell> | undefined;

  constructor(device: string, service: Service) {
    this.device = device;
    this.#service = service;
  }

  /** Closes the shell, unless no command has opened it. */
  async release(): Promise<void> {
    const shell = this.#shell;
    this.#shell = undefined;
    (await shell)?.close();
  }

  /** Runs a command of the phone's shell and returns its output. Throws where its status is not 0. */
  async run(command: string, input?: string): Promise<string> {
    const { stdout, stderr, status } = await this.#exec(command, input);
    if (status !== 0)
      throw new Error(`${this.device}: "${command.slice(0, 120)}" failed: ${stderr.trim() || `status ${status}`}`);
    return stdout;
  }

  async setSetting(namespace: Namespace, key: string, value: string): Promise<void> {
    await this.run(`settings put ${namespace} ${key} ${value}`);
  }

  /** Reads a JSON file of an app. Undefined: the app has not written it. */
  async appState<T>(packageName: string, file: string): Promise<T | undefined> {
    const { stdout, status, stderr } = await this.#exec(`run-as ${packageName} cat files/${file}`);
    if (status === 0) return JSON.parse(stdout) as T;
    if (stderr.includes('No such file')) return undefined;
    throw new Error(`${this.device}: the state of ${packageName} cannot be read: ${stderr.trim()}`);
  }

  /** Writes a JSON file of an app, which must not run. */
  async setAppState(packageName: string, file: string, state: unknown): Promise<void> {
    await this.run(`run-as ${packageName} tee files/${file} > /dev/null`, JSON.stringify(state));
  }

  /** Returns the names in a folder of the shared storage, sorted; those of folders end in `/`. Undefined: there is no such folder. */
  async list(folder: string): Promise<string[] | undefined> {
    const { stdout, status } = await this.#exec(`ls -p ${quoted(folder)}`);
    return status === 0
      ? stdout
          .split('\n')
          .filter((name) => name !== '')
          .sort()
      : undefined;
  }

  /** Writes a file of the shared storage, and the folders that lead to it. */
  async writeFile(path: string, text: string): Promise<void> {
    const folder = path.slice(0, path.lastIndexOf('/'));
    await this.run(`mkdir -p ${quoted(folder)} && tee ${quoted(path)} > /dev/null`, text);
  }

  async installedPackages(): Promise<string[]> {
    return (await this.run('pm list packages')).split('\n').map((line) => line.replace(/^package:/, '').trim());
  }

  get service(): CloudPhone {
    return this.#service.phone;
  }

  async #exec(command: string, input?: string): Promise<ShellResult> {
    const shell = await (this.#shell ??= begunAhead(openShell(this.#service, this.device)));
    return shell.run(command, input);
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

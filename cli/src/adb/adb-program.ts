import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants as access } from 'node:fs';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config.js';
import { Failure, STATUS } from '../output/failure.js';

/** Longest time of one call of adb that is no work of the user, ms. The first call starts adb's server. */
const CALL_MS = 30_000;

const MAX_OUTPUT_BYTES = 64 * 1024;

/** The stock adb of this machine. */
export class AdbProgram {
  readonly #path: string;
  readonly #settings: Settings;

  constructor(path: string, settings: Settings) {
    this.#path = path;
    this.#settings = settings;
  }

  /** Makes adb's server connect to an address. Returns undefined when it is connected, else adb's own words. */
  async connect(serial: string): Promise<string | undefined> {
    const output = await this.#call(['connect', serial]);
    // Older versions end with status 0 in any case.
    return /^(already )?connected to /m.test(output) ? undefined : output.trim() || 'adb printed nothing.';
  }

  /** Makes adb's server forget an address. One that it does not know is no failure. */
  async disconnect(serial: string): Promise<void> {
    await this.#call(['disconnect', serial]);
  }

  /** Starts adb for the user, with the streams of this process. */
  start(words: readonly string[]): ChildProcess {
    return spawn(this.#path, words, { stdio: 'inherit', env: this.#settings.environment });
  }

  /** Whether adb's server runs. It is not started for that. */
  isServing(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: this.#settings.adbServerPort });
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  }

  #call(words: readonly string[]): Promise<string> {
    const options = { timeout: CALL_MS, maxBuffer: MAX_OUTPUT_BYTES, env: this.#settings.environment };
    return new Promise((resolve) => {
      // The status is no use: what adb printed says more.
      execFile(this.#path, words, options, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  }
}

/** Returns the adb of PATH, or of the SDK. Throws where there is none. */
export function findAdb(settings: Settings): AdbProgram {
  const path = settings.programFolders.map((folder) => join(folder, 'adb')).find(isProgram);
  if (path !== undefined) return new AdbProgram(path, settings);
  throw new Failure(
    'There is no adb in PATH or in ANDROID_HOME. Install the platform tools of Android, in Debian: apt install adb',
    STATUS.refused,
  );
}

/** Waits until a program has ended. Returns its status, as shells have it: 128 and the number of the signal that ended it. */
export function statusOfChild(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, access.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { ApkError } from '../../phone/apk/apk-error.js';
import type { IncomingFile } from '../files/file-writer.js';
import type { InstallFlags } from './install-rules.js';

interface InstallSession {
  flags: InstallFlags;
  /** By the name each was written under. */
  files: Map<string, IncomingFile>;
}

/** Installations in steps (`pm install-create`), which collect the APKs of one package. */
export class InstallSessions {
  readonly #random: () => number;
  readonly #install: (files: readonly IncomingFile[], flags: InstallFlags) => Promise<void>;
  readonly #sessions = new Map<number, InstallSession>();
  #nextId: number | undefined;

  constructor(random: () => number, install: (files: readonly IncomingFile[], flags: InstallFlags) => Promise<void>) {
    this.#random = random;
    this.#install = install;
  }

  create(flags: InstallFlags): number {
    if (this.#sessions.size >= MAX_SESSIONS) throw failed('Too many active sessions');
    this.#nextId ??= Math.floor(this.#random() * 1_000_000_000) + 1;
    const id = this.#nextId++;
    this.#sessions.set(id, { flags, files: new Map() });
    return id;
  }

  /** Throws ApkError when there is no such session. */
  get(id: number): InstallSession {
    const session = this.#sessions.get(id);
    if (!session) throw failed(`Caller has no access to session ${id}`);
    return session;
  }

  async commit(id: number): Promise<void> {
    const { files, flags } = this.get(id);
    this.#sessions.delete(id);
    await this.#install([...files.values()], flags);
  }

  async abandon(id: number): Promise<void> {
    const { files } = this.get(id);
    this.#sessions.delete(id);
    for (const file of files.values()) await file.abort();
  }

  /** When the phone goes down. */
  async abandonAll(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) await this.abandon(id);
  }

  /** Takes one APK into a session, in place of the one of the same name. Throws ApkError, and discards the file, when there are too many. */
  async add(id: number, name: string, file: IncomingFile): Promise<void> {
    const files = this.#sessions.get(id)?.files;
    const replaced = files?.get(name);
    if (!files || (!replaced && files.size >= MAX_SESSION_FILES)) {
      await file.abort();
      throw failed(files ? 'Too many files in one session' : `Caller has no access to session ${id}`);
    }
    files.set(name, file);
    await replaced?.abort();
  }
}

const MAX_SESSIONS = 50;
/** Each holds an open file of the host. */
const MAX_SESSION_FILES = 100;

function failed(message: string): ApkError {
  return new ApkError('INSTALL_FAILED_INTERNAL_ERROR', message);
}

import { ApkError } from '../../phone/apk/apk-error.js';
import type { IncomingFile } from '../files/file-writer.js';
import type { InstallFlags } from './install-rules.js';

interface InstallSession {
  flags: InstallFlags;
  /** The files by the name under which each was written. */
  files: Map<string, IncomingFile>;
  /** In a session for several packages, the sessions that are committed with it. */
  children?: Set<number>;
}

/** The files of one package to install. */
export interface PackageFiles {
  files: readonly IncomingFile[];
  flags: InstallFlags;
}

/** Installations in steps (`pm install-create`), which collect the APKs of one package. */
export class InstallSessions {
  readonly #random: () => number;
  readonly #install: (packages: readonly PackageFiles[]) => Promise<void>;
  readonly #sessions = new Map<number, InstallSession>();
  #nextId: number | undefined;

  constructor(random: () => number, install: (packages: readonly PackageFiles[]) => Promise<void>) {
    this.#random = random;
    this.#install = install;
  }

  /** Creates a session. `isParent`: it is for several packages, which have sessions of their own. */
  create(flags: InstallFlags, { isParent = false } = {}): number {
    if (this.#sessions.size >= MAX_SESSIONS) throw failed('Too many active sessions');
    this.#nextId ??= Math.floor(this.#random() * 1_000_000_000) + 1;
    const id = this.#nextId++;
    this.#sessions.set(id, { flags, files: new Map(), ...(isParent && { children: new Set<number>() }) });
    return id;
  }

  /** Returns a session. Throws ApkError when there is none with this id. */
  get(id: number): InstallSession {
    const session = this.#sessions.get(id);
    if (!session) throw failed(`Caller has no access to session ${id}`);
    return session;
  }

  /**
   * Makes sessions the children of a parent session, so that they are committed with it. Throws ApkError when the parent is not for several
   * packages, or a child is a parent itself or already has a parent.
   */
  adopt(parentId: number, childIds: readonly number[]): void {
    const { children } = this.get(parentId);
    if (!children) throw failed(`Session ${parentId} is not a multi-package session`);
    for (const id of childIds) {
      if (this.get(id).children) throw failed(`Session ${id} has sessions of its own`);
      if ([...this.#sessions.values()].some((one) => one.children?.has(id)))
        throw failed(`Session ${id} already has a parent`);
    }
    for (const id of childIds) children.add(id);
  }

  /** Installs the package of a session. For a parent, installs the packages of its children: all or none. */
  async commit(id: number): Promise<void> {
    const sessions = this.#takeAll(id);
    const packages = sessions.filter(({ children }) => !children);
    if (packages.length === 0) throw failed(`Session ${id} has no packages`);
    await this.#install(packages.map(({ files, flags }) => ({ files: [...files.values()], flags })));
  }

  async abandon(id: number): Promise<void> {
    for (const { files } of this.#takeAll(id)) for (const file of files.values()) await file.abort();
  }

  /** Removes and returns a session with its children. */
  #takeAll(id: number): InstallSession[] {
    const session = this.get(id);
    const taken = [session, ...[...(session.children ?? [])].flatMap((child) => this.#sessions.get(child) ?? [])];
    for (const one of [id, ...(session.children ?? [])]) this.#sessions.delete(one);
    return taken;
  }

  /** Ends all sessions, when the phone goes down. */
  async abandonAll(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) if (this.#sessions.has(id)) await this.abandon(id);
  }

  /**
   * Takes an APK into a session, in place of one of the same name. If there is no such session, or it has too many files, discards the file
   * and throws ApkError.
   */
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
/** Most files of a session, as each is an open file of the host. */
const MAX_SESSION_FILES = 100;

function failed(message: string): ApkError {
  return new ApkError('INSTALL_FAILED_INTERNAL_ERROR', message);
}

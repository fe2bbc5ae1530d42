import type { AppContext } from '../../../simulated-phone/apps/app.js';

/** An entry of a folder. */
export interface Entry {
  name: string;
  path: string;
  isFolder: boolean;
}

/** The files of a phone, as a program that manages files needs them. The phone's own object has these beside what apps are promised. */
interface WholeFiles {
  list(path: string): Promise<{ name: string; stat: { kind: string } }[]>;
  mkdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  removeTree(path: string): Promise<void>;
  read(path: string): Promise<Buffer>;
  write(path: string, data: Uint8Array): Promise<void>;
  exists(path: string): Promise<boolean>;
}

/** The folders and files of the shared storage. */
export class SharedStorage {
  readonly #files: WholeFiles;

  constructor({ files }: AppContext) {
    if (!('list' in files && 'rename' in files)) throw new Error('This phone does not let apps manage files.');
    this.#files = files as unknown as WholeFiles;
  }

  /** Lists a folder, folders first. */
  async list(folder: string): Promise<Entry[]> {
    const entries = (await this.#files.list(folder)).map(({ name, stat }) => ({
      ...{ name, path: `${folder}/${name}` },
      isFolder: stat.kind === 'directory',
    }));
    return entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name, 'en'));
  }

  async read(path: string): Promise<string> {
    return (await this.#files.read(path)).toString('utf8');
  }

  makeFolder(path: string): Promise<void> {
    return this.#files.mkdir(path);
  }

  /** Moves a file or folder. Throws where the new name is taken. */
  async move(from: string, to: string): Promise<void> {
    if (await this.#files.exists(to)) throw new Error(`${to} exists`);
    await this.#files.rename(from, to);
  }

  async copy(from: string, to: string): Promise<void> {
    await this.#files.write(to, await this.#files.read(from));
  }

  remove(path: string): Promise<void> {
    return this.#files.removeTree(path);
  }
}

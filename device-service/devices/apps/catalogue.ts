import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { ApkError } from '../../../phone/apk/apk-error.js';
import type { AppReader } from '../../../phone/apk/app-reader.js';
import { CATALOGUE_FRESH_MS, MAX_CATALOGUE_APPS, MAX_ICON_BYTES } from '../limits.js';
import type { AppFolders } from '../uploads/app-folders.js';

/** An app that the operator offers. */
export interface CatalogueEntry {
  /** The file's name without its ending. */
  app: string;
  file: string;
  package: string;
  name: string;
  version: string;
  sizeBytes: number;
  icon?: { contentType: string; data: Buffer; etag: string };
}

export interface CatalogueParts {
  /** The folder CATALOG_DIR. */
  directory: string;
  appFolders: AppFolders;
  appReader: AppReader;
  clock: Clock;
  log: Log;
}

interface KnownFile {
  /** The file's size and times when it was read. */
  stamp: string;
  /** Undefined: the file cannot be offered. */
  entry: CatalogueEntry | undefined;
}

/** Matches the name of a file: `notes.apk` is the app `notes`. */
const FILE_NAME = /^([a-z0-9][a-z0-9._-]{0,99})\.(?:apk|apks|xapk|apkm)$/;

/**
 * The apps that the operator offers: the APKs and bundles in a folder. When apps are listed, the catalogue is compared with the folder, and
 * files that are new or have changed are read. A file that cannot be read is left out and logged once. It is read again when it has
 * changed, as a file that is still being copied does.
 */
export class Catalogue {
  readonly #parts: CatalogueParts;
  /** Files that were read, by name. */
  #known = new Map<string, KnownFile>();
  #isMissing = false;
  #reading: Promise<void> | undefined;
  #readMs = -Infinity;

  constructor(parts: CatalogueParts) {
    this.#parts = parts;
  }

  /** Returns all apps, by id. */
  async list(): Promise<CatalogueEntry[]> {
    await this.#refresh();
    const entries = [...this.#known.values()].flatMap(({ entry }) => entry ?? []);
    return entries.sort((a, b) => (a.app < b.app ? -1 : 1));
  }

  async find(app: string): Promise<CatalogueEntry | undefined> {
    return (await this.list()).find((entry) => entry.app === app);
  }

  /** Compares the catalogue with the folder. There is one reading at a time, and callers meanwhile wait for it. */
  #refresh(): Promise<void> {
    const { clock } = this.#parts;
    if (clock.monotonicMs() - this.#readMs < CATALOGUE_FRESH_MS) return Promise.resolve();
    this.#reading ??= begunAhead(
      this.#read().finally(() => {
        this.#readMs = clock.monotonicMs();
        this.#reading = undefined;
      }),
    );
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { directory, log } = this.#parts;
    const names = (await this.#names()).filter((name) => !name.startsWith('.')).sort();
    const known = new Map<string, KnownFile>();
    const apps = new Set<string>();
    for (const name of names) {
      const file = join(directory, name);
      // `stat` fails when the file was removed after it was listed.
      const found = await stat(file).catch(() => undefined);
      if (found === undefined || !found.isFile()) continue;
      const stamp = `${found.size} ${found.mtimeMs} ${found.ino}`;
      const before = this.#known.get(name);
      if (before?.stamp === stamp) {
        known.set(name, before);
        if (before.entry !== undefined) apps.add(before.entry.app);
        continue;
      }
      const app = FILE_NAME.exec(name)?.[1];
      const reason =
        app === undefined
          ? 'its name is not of a-z, 0-9, ".", "_" and "-" with the ending apk, apks, xapk or apkm'
          : apps.has(app)
            ? 'there is another file for the same app'
            : apps.size >= MAX_CATALOGUE_APPS
              ? `there are over ${MAX_CATALOGUE_APPS} apps`
              : undefined;
      if (reason !== undefined) log.warn({ file: name, reason }, 'a file of the catalogue is left out');
      const entry = app === undefined || reason !== undefined ? undefined : await this.#entryOf(app, file, found.size);
      if (entry !== undefined) apps.add(entry.app);
      known.set(name, { stamp, entry });
    }
    this.#known = known;
  }

  async #names(): Promise<string[]> {
    const { directory, log } = this.#parts;
    try {
      const names = await readdir(directory);
      this.#isMissing = false;
      return names;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (!this.#isMissing) log.warn({ directory }, 'the folder of the catalogue is not there; no apps are offered');
      this.#isMissing = true;
      return [];
    }
  }

  async #entryOf(app: string, file: string, sizeBytes: number): Promise<CatalogueEntry | undefined> {
    const { appFolders, appReader, log } = this.#parts;
    const folder = `catalogue-${app}`;
    try {
      // These are the operator's own files, read one after another. No disk space has to stay free for them, so that offered apps stay
      // offered while the disk is nearly full.
      const read = () => appReader.readPackage(file, { unpackTo: appFolders.unpacked(folder), leavesRoom: false });
      const { base } = await appFolders.hold(folder, read);
      const icon = base.icon === undefined ? undefined : iconOf(base.icon);
      return {
        app,
        file,
        package: base.package,
        name: base.label,
        version: base.versionName,
        sizeBytes,
        ...(icon !== undefined && { icon }),
      };
    } catch (error) {
      if (!(error instanceof ApkError)) throw error;
      log.warn({ file, reason: error.message }, 'a file of the catalogue cannot be read and is left out');
      return undefined;
    }
  }
}

function iconOf(data: Buffer): CatalogueEntry['icon'] {
  if (data.length > MAX_ICON_BYTES) return undefined;
  const contentType = data.toString('latin1', 1, 4) === 'PNG' ? 'image/png' : 'image/webp';
  return { contentType, data, etag: `"${createHash('sha256').update(data).digest('hex').slice(0, 32)}"` };
}

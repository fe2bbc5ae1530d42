import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { HostSpace } from '../../kit/files/host-space.js';
import type { ApkLimits } from './apk-limits.js';
import type { ReadBudget } from './read-budget.js';
import { type ApkDescription, readApkIn } from './read-apk.js';
import { ZipFile } from './zip-file.js';

/** A file of a bundle that was unpacked. */
export interface UnpackedFile {
  /** Its name in the bundle. */
  file: string;
  path: string;
  sizeBytes: number;
}

/** An APK of a bundle that was unpacked and read. */
export interface UnpackedApk extends UnpackedFile {
  apk: ApkDescription;
}

export interface UnpackingParts {
  zip: ZipFile;
  /** The folder for the files. */
  folder: string;
  hostSpace: HostSpace | undefined;
  limits: ApkLimits;
  budget: ReadBudget;
}

/** Unpacks files of one bundle into a folder, under numbers in place of their names. All together have the bound of one file. */
export class Unpacking {
  readonly #parts: UnpackingParts;
  #leftBytes: number;
  #count = 0;

  private constructor(parts: UnpackingParts) {
    this.#parts = parts;
    this.#leftBytes = parts.limits.fileBytes;
  }

  /** Makes the folder, without its former content. */
  static async begin(parts: UnpackingParts): Promise<Unpacking> {
    await rm(parts.folder, { recursive: true, force: true });
    await mkdir(parts.folder, { recursive: true, mode: 0o700 });
    return new Unpacking(parts);
  }

  /** Unpacks a file. Throws as `ZipFile.unpack` does, also when there is no such file. */
  async unpack(file: string, ending: 'apk' | 'obb'): Promise<UnpackedFile> {
    const { zip, folder, hostSpace } = this.#parts;
    const to = path.join(folder, `${this.#count++}.${ending}`);
    const sizeBytes = await zip.unpack(file, to, { maxBytes: this.#leftBytes, hostSpace });
    this.#leftBytes -= sizeBytes;
    return { file, path: to, sizeBytes };
  }

  /** Unpacks and reads an APK. Throws ApkError for one that is faulty. */
  async unpackApk(file: string): Promise<UnpackedApk> {
    const { limits, budget } = this.#parts;
    const unpacked = await this.unpack(file, 'apk');
    const zip = await ZipFile.open(unpacked.path, limits, budget);
    try {
      zip.assertSound();
      return { ...unpacked, apk: await readApkIn(zip, limits, budget) };
    } finally {
      await zip.close();
    }
  }
}

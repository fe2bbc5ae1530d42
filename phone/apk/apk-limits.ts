/** Limits for parsing untrusted APKs. */
export interface ApkLimits {
  fileBytes: number;
  /** Most bytes of the manifest, and of the resource table, each unpacked. */
  tableBytes: number;
  /** Most entries of all APKs of one app, and of the bundle that they are in. */
  entries: number;
  /** Most bytes of the lists of those entries, each at the end of its file: they are read into memory. */
  directoryBytes: number;
  /** Most bytes of all entries together, unpacked. */
  unpackedBytes: number;
  /** Most bytes of one icon's file. */
  iconBytes: number;
  /**
   * Longest side of an icon, by its header: decoding takes 4 bytes for each pixel. Phones show 192 pixels, stores 512.
   */
  iconSidePx: number;
  /** Largest ratio of unpacked to packed size, for an entry of more than `ratioFreeBytes`. Resource tables reach 20. */
  ratio: number;
  ratioFreeBytes: number;
  /** Items of manifests and resource tables that are read, for all APKs of one app. A large app has 100,000. */
  work: number;
  /** Most bytes of all entries that are read into memory, unpacked, for all APKs of one app. */
  contentBytes: number;
  /** Most bytes of all strings that are decoded, for all APKs of one app. Each is decoded once, when it is needed. */
  textBytes: number;
}

export const DEFAULT_APK_LIMITS: ApkLimits = {
  fileBytes: 2 * 1024 ** 3,
  tableBytes: 64 * 1024 ** 2,
  entries: 100_000,
  directoryBytes: 32 * 1024 ** 2,
  unpackedBytes: 8 * 1024 ** 3,
  iconBytes: 4 * 1024 ** 2,
  iconSidePx: 1_024,
  ratio: 200,
  ratioFreeBytes: 4 * 1024 ** 2,
  work: 1_000_000,
  contentBytes: 192 * 1024 ** 2,
  textBytes: 16 * 1024 ** 2,
};

/** Limits for parsing untrusted APKs. */
export interface ApkLimits {
  fileBytes: number;
  /** Of the manifest and of the resource table, unpacked, each. */
  tableBytes: number;
  /** Of all APKs of one app, and of the bundle that they are in. */
  entries: number;
  /** Of the lists of those entries, each at the end of its file: they are read into memory. */
  directoryBytes: number;
  /** Of all entries together, unpacked. */
  unpackedBytes: number;
  /** Of one icon's file. */
  iconBytes: number;
  /** Of an icon, by its header: decoding takes 4 bytes for each pixel. Phones show 192 pixels, stores 512. */
  iconSidePx: number;
  /** Unpacked over packed size of an entry that is read, above `ratioFreeBytes`. Resource tables reach 20. */
  ratio: number;
  ratioFreeBytes: number;
  /** Items of manifests and resource tables that are read, for all APKs of one app. A large app has 100,000. */
  work: number;
  /** Of all entries that are read into memory, unpacked, for all APKs of one app. */
  contentBytes: number;
  /** Of all strings that are decoded, for all APKs of one app. Each is decoded once, when it is needed. */
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

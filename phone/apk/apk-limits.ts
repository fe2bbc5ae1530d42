/** Limits for parsing untrusted APKs. */
export interface ApkLimits {
  fileBytes: number;
  /** Of the manifest and of the resource table, unpacked, each. */
  tableBytes: number;
  entries: number;
  /** Of all entries together, unpacked. */
  unpackedBytes: number;
  /** Of one icon. */
  iconBytes: number;
  /** Unpacked over packed size of an entry that is read, above `ratioFreeBytes`. Resource tables reach 20. */
  ratio: number;
  ratioFreeBytes: number;
}

export const DEFAULT_APK_LIMITS: ApkLimits = {
  fileBytes: 2 * 1024 ** 3,
  tableBytes: 64 * 1024 ** 2,
  entries: 100_000,
  unpackedBytes: 8 * 1024 ** 3,
  iconBytes: 4 * 1024 ** 2,
  ratio: 200,
  ratioFreeBytes: 4 * 1024 ** 2,
};

import { removeTree } from '../files/remove-tree.js';

/** The data of a phone, and the folder of the phone. */
export interface PhoneData {
  /** The folder that describes the phone, or is to describe it. It never moves between hosts as a whole. */
  home: string;
  /** The folder of the phone's data: in `home`, or a scratch folder whose content becomes that. */
  data: string;
}

/**
 * Keeps the data of each phone of a host within the size that its model has, as far as the file system of the phones can. No function
 * throws because a limit cannot be set: the phone is measured in any case, and stopped when it has grown too large.
 */
export interface DiskLimits {
  /** A line for the operator: `project quota (ext4)`, or `measured` with the reason. */
  readonly way: string;
  /** Prepares an empty folder for data of a phone that is off. All that is put into it counts as the phone's, without a limit so far. */
  prepare(phone: PhoneData): Promise<void>;
  /** Bounds the data of a phone that is off. Called before each start, as a restore or an operator may have changed the limit. */
  hold(phone: PhoneData, maxBytes: number): Promise<void>;
  /** Removes a tree of scratch. If it was the folder of a phone, the phone's limit is given up. */
  remove(tree: string): Promise<void>;
}

/** No limits: the file system cannot bound phones, so they are measured. `reason` says why. */
export function measuredOnly(reason: string): DiskLimits {
  return {
    way: `measured: ${reason}`,
    prepare: () => Promise.resolve(),
    hold: () => Promise.resolve(),
    remove: removeTree,
  };
}

import { i64, layout, letters4, u32, u64 } from './layout.js';

/** File transfer (`sync:`): requests and responses are records that begin with four letters. */

/**
 * The header of every request. `length`: bytes of the path that follows. For DATA, `length`: bytes of file that follow. For DONE after a
 * push, `length`: the mtime.
 */
export const syncHeader = layout<{ id: string; length: number }>({ id: letters4, length: u32 });

/** Response to STAT. When there is no such file, all fields but the id are zero. */
export const statV1 = layout<{ id: string; mode: number; sizeBytes: number; mtimeS: number }>({
  id: letters4,
  mode: u32,
  sizeBytes: u32,
  mtimeS: u32,
});

export interface StatV2Fields {
  id: string;
  /** errno, 0 when found. */
  error: number;
  dev: number;
  ino: number;
  mode: number;
  nlink: number;
  uid: number;
  gid: number;
  sizeBytes: number;
  atimeS: number;
  mtimeS: number;
  ctimeS: number;
}

const statV2Layout = {
  id: letters4,
  error: u32,
  dev: u64,
  ino: u64,
  mode: u32,
  nlink: u32,
  uid: u32,
  gid: u32,
  sizeBytes: u64,
  atimeS: i64,
  mtimeS: i64,
  ctimeS: i64,
};

/** Response to STA2 (follows links) and LST2 (does not). */
export const statV2 = layout<StatV2Fields>(statV2Layout);

/** One entry of LIST, followed by `nameLength` bytes; the last one has the id DONE and no name. */
export const dentV1 = layout<{ id: string; mode: number; sizeBytes: number; mtimeS: number; nameLength: number }>({
  id: letters4,
  mode: u32,
  sizeBytes: u32,
  mtimeS: u32,
  nameLength: u32,
});

/** One entry of LIS2. */
export const dentV2 = layout<StatV2Fields & { nameLength: number }>({ ...statV2Layout, nameLength: u32 });

/** Follows the path of SND2. */
export const sendV2 = layout<{ id: string; mode: number; flags: number }>({ id: letters4, mode: u32, flags: u32 });

/** Follows the path of RCV2. */
export const receiveV2 = layout<{ id: string; flags: number }>({ id: letters4, flags: u32 });

export const MAX_SYNC_PATH_BYTES = 1024;
/** Most bytes of one DATA record. Clients send 65,528 or 65,536. */
export const MAX_SYNC_DATA_BYTES = 64 * 1024;

export function syncFail(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([syncHeader.write({ id: 'FAIL', length: bytes.length }), bytes]);
}

export const syncOkay: Buffer = syncHeader.write({ id: 'OKAY', length: 0 });

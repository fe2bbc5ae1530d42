import type { FileTree } from '../files/file-tree.js';
import type { Machine } from '../machine/machine.js';
import { CommandFailure } from './command.js';

/** The largest file that is read as a script, far larger than real ones. A pushed program can have gigabytes. */
const MAX_SCRIPT_BYTES = 1024 * 1024;
const ELF_MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

/** Reads the text of a script. Throws CommandFailure for a program, as the phone cannot run machine code. */
export async function readScript(files: FileTree<Machine>, path: string): Promise<string> {
  const { sizeBytes } = await files.stat(path);
  const bytes = sizeBytes > MAX_SCRIPT_BYTES ? ELF_MAGIC : await files.read(path);
  if (!bytes.subarray(0, 4).equals(ELF_MAGIC) && !bytes.subarray(0, 512).includes(0)) return bytes.toString('utf8');
  throw new CommandFailure(`/system/bin/sh: ${path}: not executable: simulated phones run no machine code`, {
    bare: true,
    status: 126,
  });
}

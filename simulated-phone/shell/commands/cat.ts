import { pathOf, statusOf, type Command, type CommandCall } from '../command.js';
import { fairSource } from '../fair-streams.js';
import { parseOptions } from '../options.js';
import type { ByteSource } from '../../streams/pipe.js';

export const cat: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['u', 'v', 'e', 't'] });
  const shows = ['v', 'e', 't'].some((flag) => options.has(flag));
  return eachInput(call, options.rest, async (source) => {
    for (let bytes = await source.read(); bytes; bytes = await source.read())
      await call.stdout.write(shows ? visible(bytes, { ends: options.has('e'), tabs: options.has('t') }) : bytes);
  });
};

/** Returns a text that shows unprintable bytes as `^X` and `M-X`. `ends`: shows `$` at the end of each line. `tabs`: shows tabs as `^I`. */
function visible(bytes: Buffer, { ends, tabs }: { ends: boolean; tabs: boolean }): string {
  return bytes.toString('latin1').replace(/[^ -~]/g, (char) => {
    if (char === '\n') return ends ? '$\n' : char;
    if (char === '\t' && !tabs) return char;
    const code = char.charCodeAt(0);
    const low = code & 0x7f;
    const shown = low < 32 || low === 127 ? `^${String.fromCharCode(low ^ 0x40)}` : String.fromCharCode(low);
    return code > 127 ? `M-${shown}` : shown;
  });
}

/** Size of toybox's buffer: a device gets no more than this in one write. */
const TEE_BYTES = 4096;

export const tee: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['a', 'i'] });
  const files = [];
  for (const name of options.rest)
    files.push(await call.machine.shellFiles.openWrite(pathOf(call, name), { append: options.has('a') }));
  try {
    for (let bytes = await call.stdin.read(); bytes; bytes = await call.stdin.read()) {
      for (let at = 0; at < bytes.length; at += TEE_BYTES) {
        const part = bytes.subarray(at, at + TEE_BYTES);
        for (const file of files) await file.write(part);
        await call.stdout.write(part);
      }
    }
    return 0;
  } finally {
    for (const file of files) await file.close();
  }
};

/**
 * Runs `use` on each named file, and on standard input for `-` and when no file is named. A file that cannot be read is reported and makes
 * the status 1; the others are still used.
 */
export async function eachInput(
  call: CommandCall,
  names: readonly string[],
  use: (source: ByteSource, name: string) => Promise<void>,
): Promise<number> {
  let status = 0;
  for (const name of names.length > 0 ? names : ['-']) {
    if (name === '-') {
      await use(call.stdin, '-');
      continue;
    }
    status |= await statusOf(call, name, async () => {
      const reader = await call.machine.shellFiles.openRead(pathOf(call, name));
      try {
        await use(fairSource(reader, call.signal), name);
      } finally {
        await reader.close();
      }
    });
  }
  return status;
}

import { fairSource } from '../fair-streams.js';
import { ApkError } from '../../../phone/apk/apk-error.js';
import type { IncomingFile } from '../../files/file-writer.js';
import { PhoneFileError } from '../../files/file-error.js';
import { pathOf, type CommandCall } from '../command.js';
import { unknownOption } from './intent.js';
import { asBuffer, type ByteSource } from '../../streams/pipe.js';

/** `install -S SIZE [-r -t -d -g ...]` with the APK on standard input; exactly SIZE bytes are read before the response. */
export async function installFromStream(call: CommandCall, args: readonly string[]): Promise<number> {
  checkOptions(args, 'install');
  const sizeBytes = sizeOption(args);
  if (sizeBytes === undefined) return failed(call, 'INSTALL_FAILED_INVALID_URI', 'must provide an APK or -S SIZE');
  return printOutcome(call, async () => {
    const file = await call.machine.packages.stage();
    await copied(call.stdin, file, sizeBytes);
    await call.machine.packages.install([file], flags(args));
  });
}

export async function installFromFile(call: CommandCall, args: readonly string[], path: string): Promise<number> {
  checkOptions(args, 'install');
  return printOutcome(call, async () => {
    const reader = await call.machine.shellFiles.openRead(path).catch((error: unknown) => {
      throw error instanceof PhoneFileError
        ? new ApkError('INSTALL_FAILED_INVALID_URI', `Unable to open file: ${path}`)
        : error;
    });
    try {
      const file = await call.machine.packages.stage();
      await copied(reader, file, reader.sizeBytes);
      await call.machine.packages.install([file], flags(args));
    } finally {
      await reader.close();
    }
  });
}

/** The commands for installing in steps, as for split APKs. */
export const sessionCommands: Record<string, (call: CommandCall, args: string[]) => Promise<number>> = {
  'install-create': async (call, args) => {
    checkOptions(args, 'install-create');
    const create = async (): Promise<void> => {
      const id = call.machine.packages.sessions.create(flags(args), { isParent: args.includes('--multi-package') });
      await call.stdout.write(`Success: created install session [${id}]\n`);
    };
    return printOutcome(call, create, { silent: true });
  },
  'install-write': async (call, args) => {
    const words = args.filter((word, at) => !word.startsWith('-S') && args[at - 1] !== '-S');
    const [id = '', name = 'base', path = '-'] = words;
    return printOutcome(
      call,
      async () => {
        call.machine.packages.sessions.get(Number(id)); // an unknown session is refused before its data is read
        const reader = path === '-' ? undefined : await call.machine.shellFiles.openRead(pathOf(call, path));
        try {
          const sizeBytes = sizeOption(args) ?? reader?.sizeBytes;
          if (sizeBytes === undefined) throw new ApkError('INSTALL_FAILED_INVALID_APK', 'must specify a APK size');
          const file = await call.machine.packages.stage();
          await copied(reader ? fairSource(reader, call.signal) : call.stdin, file, sizeBytes);
          await call.machine.packages.sessions.add(Number(id), name, file);
          await call.stdout.write(`Success: streamed ${sizeBytes} bytes\n`);
        } finally {
          await reader?.close();
        }
      },
      { silent: true },
    );
  },
  'install-commit': (call, args) =>
    printOutcome(call, () => call.machine.packages.sessions.commit(Number(args.find((word) => /^\d+$/.test(word))))),
  'install-add-session': (call, args) =>
    printOutcome(call, async () => {
      const [parent, ...children] = args.filter((word) => !word.startsWith('-')).map(Number);
      if (parent === undefined || children.length === 0)
        throw new ApkError('INSTALL_FAILED_INTERNAL_ERROR', 'parent and child sessions are required');
      call.machine.packages.sessions.adopt(parent, children);
    }),
  'install-abandon': (call, args) =>
    printOutcome(call, () => call.machine.packages.sessions.abandon(Number(args.find((word) => /^\d+$/.test(word))))),
  'install-incremental': (call) =>
    failed(call, 'INSTALL_FAILED_INTERNAL_ERROR', 'Incremental installation not allowed'),
  'install-existing': async (call, args) => {
    const name = args.at(-1) ?? '';
    const found = call.machine.packages.get(name);
    await call.stdout.write(found ? `Package ${name} installed for user: 0\n` : `android.content.pm.PackageManager$NameNotFoundException: Package ${name} doesn't exist\n`); // prettier-ignore
    return found ? 0 : 1;
  },
};

async function printOutcome(
  call: CommandCall,
  run: () => Promise<unknown>,
  options = { silent: false },
): Promise<number> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ApkError) return failed(call, error.code, error.message);
    if (error instanceof PhoneFileError && error.code === 'ENOSPC')
      return failed(call, 'INSTALL_FAILED_INSUFFICIENT_STORAGE', 'Failed to allocate space for the APK');
    if (error instanceof PhoneFileError) return failed(call, 'INSTALL_FAILED_MEDIA_UNAVAILABLE', error.message);
    throw error;
  }
  if (!options.silent) await call.stdout.write('Success\n');
  return 0;
}

async function failed(call: CommandCall, code: string, text: string): Promise<number> {
  await call.stdout.write(`Failure [${code}: ${text}]\n`);
  return 1;
}

/** Copies exactly `sizeBytes` bytes; the file is discarded when the source ends before. */
async function copied(source: ByteSource, file: IncomingFile, sizeBytes: number): Promise<void> {
  let left = sizeBytes;
  try {
    while (left > 0) {
      const bytes = await source.read();
      if (!bytes) throw new ApkError('INSTALL_FAILED_INVALID_APK', `Failed to read APK: ${left} bytes are missing`);
      await file.write(asBuffer(bytes.subarray(0, left)));
      left -= bytes.length;
    }
  } catch (error) {
    await file.abort();
    // The rest of the announced bytes is read before a full disk is reported, as the client reads no response until it has sent them.
    if (error instanceof PhoneFileError) await skip(source, left);
    throw error;
  }
}

async function skip(source: ByteSource, bytes: number): Promise<void> {
  let left = bytes;
  while (left > 0) {
    const part = await source.read();
    if (!part) return;
    left -= part.length;
  }
}

function sizeOption(args: readonly string[]): number | undefined {
  const at = args.indexOf('-S');
  const size = Number(args[at + 1]);
  return at >= 0 && Number.isSafeInteger(size) && size >= 0 ? size : undefined;
}

/** Options of an installation. Options in the second list are followed by a value. */
const FLAGS = new Set(['-r', '-t', '-d', '-g', '-R', '-l', '-s', '-q', '-f', '--fastdeploy', '--multi-package', '--staged', '--non-staged', '--wait', '--no-wait', '--instant', '--full', '--apex', '--preload', '--ephemeral', '--force-uuid', '--dont-kill', '--restrict-permissions', '--enable-rollback', '--force-sdk', '--skip-verification', '--bypass-low-target-sdk-block', '--ignore-dexopt-profile', '--update-ownership', '--force-non-staged', '--no-incremental', '--no-streaming', '--streaming', '--incremental', '--force-agent', '--abort-if-exists']); // prettier-ignore
const WITH_WORD = new Set(['-S', '-i', '-p', '--abi', '--install-location', '--install-reason', '--originating-uri', '--referrer', '--pkg', '--user', '--dexopt-compiler-filter', '--package-source', '--inherit', '--package', '--split']); // prettier-ignore

/** Checks the options. Throws CommandFailure for one that Android does not have. */
function checkOptions(args: readonly string[], verb: string): void {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (WITH_WORD.has(word)) at++;
    else if (/^-./.test(word) && !FLAGS.has(word)) throw unknownOption(verb, `Unknown option ${word}`);
  }
}

function flags(args: readonly string[]): { allowDowngrade: boolean; allowTest: boolean; replace: boolean } {
  return { allowDowngrade: args.includes('-d'), allowTest: args.includes('-t'), replace: !args.includes('-R') };
}

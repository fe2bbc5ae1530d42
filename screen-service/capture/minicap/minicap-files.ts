import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The properties of a phone that decide whether minicap can run. */
export interface MinicapPhone {
  sdk: number;
  /** Best first. */
  abis: string[];
  emulator: boolean;
}

export interface MinicapFiles {
  program: Buffer;
  library: Buffer;
}

/** Prints the lines that `parseMinicapPhone` reads. */
export const MINICAP_PHONE_COMMAND =
  'getprop ro.build.version.sdk; getprop ro.build.version.preview_sdk; getprop ro.product.cpu.abilist; getprop ro.kernel.qemu';

/** The last API level whose native library is in the package (Android 11). */
const LAST_SDK = 30;

export function parseMinicapPhone(output: string): MinicapPhone {
  const [sdk = '', preview = '', abis = '', qemu = ''] = output.split('\n').map((line) => line.trim());
  return {
    // A preview of the next version has the interfaces of that version already.
    sdk: Number(sdk) + (Number(preview) > 0 ? 1 : 0),
    abis: abis.split(',').filter((abi) => abi !== ''),
    emulator: qemu === '1',
  };
}

/**
 * Reads the prebuilt program and library for a phone. Undefined: the optional package is not installed, or it has nothing for the phone.
 * The package has nothing for emulators (minicap refuses their pixel format), for versions of Android that are too new, and for some
 * processors.
 */
export async function readMinicapFiles({ sdk, abis, emulator }: MinicapPhone): Promise<MinicapFiles | undefined> {
  if (emulator || !(sdk <= LAST_SDK)) return undefined;
  const folder = prebuiltFolder();
  if (folder === undefined) return undefined;
  for (const abi of abis) {
    try {
      const [program, library] = await Promise.all([
        readFile(join(folder, abi, 'bin', 'minicap')),
        readFile(join(folder, abi, 'lib', `android-${sdk}`, 'minicap.so')),
      ]);
      return { program, library };
    } catch {
      // The package has no files for this processor and version; the phone may be able to run those of another processor.
    }
  }
  return undefined;
}

function prebuiltFolder(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return join(dirname(require.resolve('@devicefarmer/minicap-prebuilt/package.json')), 'prebuilt');
  } catch {
    return undefined;
  }
}

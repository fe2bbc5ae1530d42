import type { Context } from 'mocha';

/** Skips a test that cannot run here, or all tests of a hook. Prints the reason, as mocha's summary shows only the number of such tests. */
export function skip(test: Context, reason: string): never {
  console.log(`      skipped: ${reason}`);
  return test.skip();
}

export const NEEDS_ADB = 'needs the program adb (Debian package adb)';
export const NEEDS_MKSH = 'needs the program mksh (Debian package mksh)';
export const NEEDS_FFMPEG = 'needs the program ffmpeg (Debian package ffmpeg)';

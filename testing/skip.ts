import type { Context } from 'mocha';

/** Skips the test, or all tests below the hook, that cannot run here, and reports why: the summary alone shows only how many. */
export function skip(test: Context, reason: string): never {
  console.log(`      skipped: ${reason}`);
  return test.skip();
}

export const NEEDS_ADB = 'needs the program adb (Debian package adb)';
export const NEEDS_FFMPEG = 'needs the program ffmpeg (Debian package ffmpeg)';

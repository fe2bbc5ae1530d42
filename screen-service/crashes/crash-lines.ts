import type { LogTags } from '../logs/log-tags.js';

/** The lines of a log that tell of crashes. */
export const CRASH_TAGS: LogTags = [
  ['AndroidRuntime', 'E'],
  ['ActivityManager', 'I'],
  ['DEBUG', 'F'],
  ['libc', 'F'],
  ['Zygote', 'I'],
];

/** Numbers of the signals by which native code crashes: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS. */
const CRASH_SIGNALS: ReadonlySet<number> = new Set([4, 5, 6, 7, 8, 11, 31]);

/** Returns whether a line begins the trace of an uncaught exception, and whether it is of the system itself. */
export function exceptionStart(message: string): { isOfSystem: boolean } | undefined {
  if (message.startsWith('FATAL EXCEPTION: ')) return { isOfSystem: false };
  return message.startsWith('*** FATAL EXCEPTION IN SYSTEM PROCESS: ') ? { isOfSystem: true } : undefined;
}

/** Parses the second line of an uncaught exception: `Process: com.example:sync, PID: 4711`. A program of the shell has no process name. */
export function exceptionProcess(message: string): { process: string | undefined; pid: number } | undefined {
  const match = /^(?:Process: (\S{1,300}), )?PID: (\d{1,10})$/.exec(message);
  return match === null ? undefined : { process: match[1], pid: Number(match[2]) };
}

/** Parses `ANR in com.example:sync (com.example/.MainActivity)`; the part in brackets may be missing. */
export function anrStart(message: string): { process: string; package: string | undefined } | undefined {
  const match = /^ANR in ([^\s(]{1,300})(?: \(([\w.]{1,255})\/[^\s)]{1,600}\))?/.exec(message);
  return match?.[1] === undefined ? undefined : { process: match[1], package: match[2] };
}

/** Parses the death of a process: `Process com.example (pid 4711) has died: fg  TOP`. */
export function deathOf(message: string): { process: string; pid: number; wasInFront: boolean } | undefined {
  const match = /^Process (\S{1,300}) \(pid (\d{1,10})\) has died(.{0,40})/.exec(message);
  if (match?.[1] === undefined) return undefined;
  return { process: match[1], pid: Number(match[2]), wasInFront: /\bTOP\b/.test(match[3] ?? '') };
}

/** Parses libc's line about a signal: `Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 4712 (x), pid 4711 (y)`. */
export function fatalSignal(message: string): { pid: number; reason: string } | undefined {
  const match =
    /^Fatal (signal (\d{1,3}) \(\w{1,20}\)[^\n]{0,300}?) in tid \d{1,10} \([^\n]{0,100}?\), pid (\d{1,10})/.exec(
      message,
    );
  if (match?.[1] === undefined || !CRASH_SIGNALS.has(Number(match[2]))) return undefined;
  return { pid: Number(match[3]), reason: match[1] };
}

/** Parses Zygote's line about an end by a signal: `Process 4711 exited due to signal 11 (Segmentation fault)`. */
export function endBySignal(message: string): { pid: number; reason: string } | undefined {
  const match = /^Process (\d{1,10}) exited due to (signal (\d{1,3})(?: \([^)\n]{1,60}\))?)/.exec(message);
  if (match?.[2] === undefined || !CRASH_SIGNALS.has(Number(match[3]))) return undefined;
  return { pid: Number(match[1]), reason: match[2] };
}

/** Whether a line begins a tombstone. */
export function isTombstoneStart(message: string): boolean {
  return message.startsWith('*** *** *** ');
}

/** Parses a tombstone's line of its process: `pid: 4711, tid: 4712, name: RenderThread  >>> com.example <<<`. */
export function tombstoneProcess(message: string): { process: string; pid: number } | undefined {
  const match = /^pid: (\d{1,10}), tid: \d{1,10}, name: [^\n]{0,200}?>>> (\S{1,300}) <<</.exec(message);
  return match?.[2] === undefined ? undefined : { process: match[2], pid: Number(match[1]) };
}

/** Parses a tombstone's line of its signal. One that somebody requested (`debuggerd`) has a signal by which nothing crashes. */
export function tombstoneSignal(message: string): { isCrash: boolean; reason: string } | undefined {
  const match = /^signal (\d{1,3}) \(/.exec(message);
  return match === null ? undefined : { isCrash: CRASH_SIGNALS.has(Number(match[1])), reason: message };
}

/** Returns what native code said before it gave up: `Abort message: '…'`. */
export function abortMessage(message: string): string | undefined {
  return /^Abort message: '([^\n]*?)'?$/.exec(message)?.[1];
}

/** Returns the user of a tombstone's process: `uid: 10123`. */
export function tombstoneUid(message: string): number | undefined {
  const match = /^uid: (\d{1,10})$/.exec(message);
  return match === null ? undefined : Number(match[1]);
}

/** Longest name of a process, characters. Android's packages have at most 255. */
const MAX_PROCESS_CHARS = 300;

/** A package, and then the name that the app gives the process, or that Android gives a process of its own. */
const APP_PROCESS = /^([A-Za-z]\w*(?:\.\w+)+)(?::[\w.:-]+)?$/;

/** Users of apps begin with this number; each user of the phone has 100,000 of them. */
const FIRST_APP_UID = 10_000;
const UIDS_OF_USER = 100_000;

/** The process of the system itself, and the package that stands for it. */
export const SYSTEM_PROCESS = 'system_server';
const SYSTEM_PACKAGE = 'android';

/**
 * Returns the package of a process; undefined where it is no app, such as a daemon or a command of the shell. `uid` is the process's user,
 * where the log has it: daemons such as `media.codec` have names that look like packages.
 */
export function packageOfProcess(process: string, uid?: number): string | undefined {
  if (process === SYSTEM_PROCESS) return SYSTEM_PACKAGE;
  if (process.length > MAX_PROCESS_CHARS) return undefined;
  const name = APP_PROCESS.exec(process)?.[1];
  if (name === undefined) return undefined;
  // Apps of the system have users below those of other apps. Their packages have three parts and more.
  const isOfApp = uid === undefined ? !name.startsWith('media.') : uid % UIDS_OF_USER >= FIRST_APP_UID;
  return isOfApp || name.split('.').length > 2 ? name : undefined;
}

import { ADB_PORT, CONSOLE_PORT, GRPC_PORT } from './ports.js';

/**
 * Returns the arguments of the emulator, without the program's name:
 *
 * - `-no-snapshot` makes each boot a cold one, and saves no state. `-no-snapshot-load` alone would still write the memory to a file.
 * - `-grpc` always comes with `-grpc-use-token`, as without the token the emulator accepts calls from everybody.
 * - `-skip-adb-auth` allows ADB without keys, as a phone's endpoint does. The ADB port is in a network namespace of its own.
 */
export function emulatorArguments(phone: {
  avd: string;
  serial: string;
  gpu: string;
  timezone: string;
  args: readonly string[];
}): string[] {
  return [
    ...['-avd', phone.avd],
    ...['-ports', `${CONSOLE_PORT},${ADB_PORT}`],
    ...['-grpc', String(GRPC_PORT), '-grpc-use-token'],
    ...['-android-serialno', phone.serial],
    ...['-timezone', phone.timezone],
    ...['-gpu', phone.gpu],
    ...['-no-window', '-no-audio', '-no-boot-anim', '-no-snapshot', '-skip-adb-auth'],
    ...phone.args,
  ];
}

/** Options that older emulators do not have; see `emulator -help`. */
export const NEEDED_OPTIONS = ['-android-serialno', '-grpc-use-token', '-skip-adb-auth'] as const;

/** Variables of the service that the emulator needs; none of them is a secret. */
const PASSED_ON = ['PATH', 'LANG', 'LD_LIBRARY_PATH'] as const;

/** The variable by which a phone's processes are found. It holds the phone's folder, and child processes inherit it. */
export const PHONE_VARIABLE = 'CLOUDPHONE_PHONE_FOLDER';

/** The environment of a phone's processes. `seen`: the phone's folder as they see it, see namespace.ts. */
export function emulatorEnvironment(
  phone: { folder: string; seen: string; androidHome: string },
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { folder, seen, androidHome } = phone;
  return {
    ...Object.fromEntries(passed),
    [PHONE_VARIABLE]: folder,
    ANDROID_HOME: androidHome,
    ANDROID_SDK_ROOT: androidHome,
    ANDROID_AVD_HOME: `${seen}/avd`,
    // Emulators of one user would otherwise share keys, the console's token and caches.
    HOME: `${seen}/home`,
    ANDROID_USER_HOME: `${seen}/home/.android`,
    ANDROID_EMULATOR_HOME: `${seen}/home/.android`,
    XDG_RUNTIME_DIR: `${seen}/runtime`,
    TMPDIR: `${seen}/tmp`,
  };
}

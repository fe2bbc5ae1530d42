/** Names in a phone's folder that only the emulator needs. Names of all image-based phones are in phone/image-based. */
export const AVD_HOME = 'avd';
export const RUNTIME_FOLDER = 'runtime';
export const TEMPORARY_FOLDER = 'tmp';
export const HOME_FOLDER = 'home';
/** The emulator reads the console's password from here, and makes a password where the file is missing. */
export const TOKEN_FILE = 'home/.emulator_console_auth_token';
/** The Unix socket by which the service reaches the console, which is in the phone's network namespace. */
export const CONSOLE_SOCKET = 'console.sock';
/** A link to the Unix socket of the phone's forwarder; without it, the phone has no network. */
export const EXIT_SOCKET = 'exit';

/**
 * Ports of an emulator. They are the same for all emulators, as each has a network namespace of its own. The console's port is above 5585,
 * as adb servers scan the ports 5554 to 5585. It is below 5683, as the emulator accepts only the ports 5554 to 5682 for its console.
 */
export const CONSOLE_PORT = 5640;
export const ADB_PORT = 5641;
export const GRPC_PORT = 8640;

/** Where the phone's HTTP proxy listens in its namespace. */
export const PROXY_PORT = 3128;

/** The address by which the guest reaches the loopback interface of its emulator. */
export const HOST_IN_GUEST = '10.0.2.2';

/**
 * Ports of an emulator, the same for all of them: each has a network namespace of its own. Beyond 5554 to 5585, which adb servers scan,
 * and within 5554 to 5682, which the emulator takes for its console.
 */
export const CONSOLE_PORT = 5640;
export const ADB_PORT = 5641;
export const GRPC_PORT = 8640;

/** Where the phone's HTTP proxy listens in its namespace. */
export const PROXY_PORT = 3128;

/** The address by which the guest reaches the loopback interface of its emulator. */
export const HOST_IN_GUEST = '10.0.2.2';

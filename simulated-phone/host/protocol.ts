/** The version of the simulator's rpcs. Raised by every change that a driver or a process of another release would not understand. */
export const PROTOCOL = 4;

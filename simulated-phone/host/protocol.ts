/** The version of the simulator's rpcs. Raise it with every change that a driver or simulator of another release would not understand. */
export const PROTOCOL = 5;

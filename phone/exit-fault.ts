/**
 * How a phone's forwarder on the host says that nothing went out: by this header, with the word for why, which it takes away from
 * responses of sites; and by a status of its own for each word, as clients of a tunnel see no header.
 */
export const EXIT_FAULT_HEADER = 'x-exit-fault';

export const EXIT_FAULT_STATUS = {
  none: 503,
  refused: 403,
  unreachable: 502,
  login: 511,
  target: 500,
  timeout: 504,
} as const;

export type ExitFaultWord = keyof typeof EXIT_FAULT_STATUS;

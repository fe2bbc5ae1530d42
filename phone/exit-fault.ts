/**
 * The header of a response by a phone's forwarder when it sent nothing to the site. Its value is the reason. The forwarder removes this
 * header from the responses of sites. Each reason also has its own HTTP status, because clients of a tunnel see no headers.
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

/**
 * The header by which a phone's forwarder on the host reports that nothing was sent to the site; its value is the reason. The forwarder
 * removes it from the responses of sites. Each reason has a status, too, as clients of a tunnel see no header.
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

import type { IncomingHttpHeaders } from 'node:http2';

/** Longest time that Node's timers can wait, ms: a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

const UNIT_MS: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * Shortens the time that a client allows for an rpc to LONGEST_MS, 24 days, as gRPC allows `grpc-timeout: 600H`. Returns a text for the
 * client when the header is malformed, and removes it, so that the text is ours.
 */
export function boundTimeout(headers: IncomingHttpHeaders): string | undefined {
  const grpc = headers['grpc-timeout'];
  if (grpc !== undefined) {
    const [, amount, unit = ''] = /^(\d+)([HMSmun])$/.exec(String(grpc)) ?? [];
    if (amount === undefined) {
      delete headers['grpc-timeout'];
      return 'grpc-timeout is not a whole number and a unit: H, M, S, m, u or n, for example 10S.';
    }
    if (Number(amount) * (UNIT_MS[unit] ?? 0) > LONGEST_MS)
      headers['grpc-timeout'] = `${Math.floor(LONGEST_MS / 1_000)}S`;
  }
  const connect = headers['connect-timeout-ms'];
  if (connect === undefined) return undefined;
  if (!/^\d+$/.test(String(connect))) {
    delete headers['connect-timeout-ms'];
    return 'connect-timeout-ms is not a whole number of milliseconds.';
  }
  if (Number(connect) > LONGEST_MS) headers['connect-timeout-ms'] = String(LONGEST_MS);
  return undefined;
}

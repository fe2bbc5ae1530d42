import type { IncomingHttpHeaders } from 'node:http2';

/** Longest time that Node's timers can wait, ms: a longer one would end at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const UNIT_MS: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * Limits the time that a client allows for an rpc to MAX_TIMEOUT_MS, 24 days. It is needed as gRPC permits `grpc-timeout: 600H`. When a
 * header is malformed, removes it and returns an error text for the client. The library then writes no text of its own.
 */
export function boundTimeout(headers: IncomingHttpHeaders): string | undefined {
  const grpc = headers['grpc-timeout'];
  if (grpc !== undefined) {
    const [, amount, unit = ''] = /^(\d+)([HMSmun])$/.exec(String(grpc)) ?? [];
    if (amount === undefined) {
      delete headers['grpc-timeout'];
      return 'grpc-timeout is not a whole number and a unit: H, M, S, m, u or n, for example 10S.';
    }
    if (Number(amount) * (UNIT_MS[unit] ?? 0) > MAX_TIMEOUT_MS)
      headers['grpc-timeout'] = `${Math.floor(MAX_TIMEOUT_MS / 1_000)}S`;
  }
  const connect = headers['connect-timeout-ms'];
  if (connect === undefined) return undefined;
  if (!/^\d+$/.test(String(connect))) {
    delete headers['connect-timeout-ms'];
    return 'connect-timeout-ms is not a whole number of milliseconds.';
  }
  if (Number(connect) > MAX_TIMEOUT_MS) headers['connect-timeout-ms'] = String(MAX_TIMEOUT_MS);
  return undefined;
}

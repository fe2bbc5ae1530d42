import { errors } from 'undici';
import { RefusedTarget } from '../../kit/net/guarded-connect.js';

/**
 * Returns why an attempt without a response failed, in one word for the customer. The word never holds an address or a text of the
 * receiver.
 */
export function errorWord(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const word = wordOf(cause);
    if (word !== undefined) return word;
  }
  return 'connection';
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  UND_ERR_HEADERS_OVERFLOW: 'malformed',
  ERR_INVALID_URL: 'url',
};

/** Error codes of c-ares and getaddrinfo. */
const DNS = /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EFORMERR|ENOTIMP|EBADNAME|EBADQUERY|EBADRESP|EAI_\w+)$/;
/** OpenSSL's verification failures have names of their own; Node's errors about certificates begin with ERR_TLS or ERR_SSL. */
const TLS =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

function wordOf(error: Error): string | undefined {
  if (error instanceof RefusedTarget) return 'not_public';
  if (error instanceof errors.HTTPParserError) return 'malformed';
  if (error instanceof AggregateError) {
    // The error has one failure for each address that was tried.
    return error.errors
      .map((one) => (one instanceof Error ? wordOf(one) : undefined))
      .find((word) => word !== undefined);
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A name server that does not respond is ETIMEOUT; a host that does not is ETIMEDOUT.
  if (DNS.test(code) || code === 'ETIMEOUT') return 'dns';
  if (TLS.test(code)) return 'tls';
  if (code.startsWith('HPE_')) return 'malformed';
  return words[code];
}

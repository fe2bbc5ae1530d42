import { ApiError } from '../../kit/errors/api-error.js';
import type { Middleware } from '../context.js';

const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)\/?/i;

const HOST_HEADERS: readonly string[] = ['host', ':authority'];
/** Every request has some ten headers, and most differ from these in length. */
const HOST_LENGTHS: readonly number[] = HOST_HEADERS.map(({ length }) => length);

/**
 * Refuses requests without Host (RFC 9112, 3.2), except that HTTP/1.0 has no such header, and HTTP/2 has :authority in its place. Refuses
 * requests that name two hosts, as a proxy in front may have used the other one.
 *
 * Turns a request target in absolute form (`GET http://host/path`), which every server must accept (3.2.2), into its path. Some other
 * targets are refused here, as Koa's URL parser throws for them.
 */
export const checkTarget: Middleware = (ctx, next) => {
  const { headers, httpVersionMajor, httpVersionMinor } = ctx.req;
  if (headers.host === undefined && (httpVersionMajor === 2 || httpVersionMinor === 1)) {
    throw new ApiError('bad_request', 'The Host header is missing. HTTP/1.1 requires it.');
  }
  const hosts = namedHosts(ctx.req.rawHeaders);
  if (httpVersionMajor < 2 && hosts.length > 1) throw twoHosts();
  if (!ctx.url.startsWith('/')) {
    const [form, host] = ABSOLUTE_FORM.exec(ctx.url) ?? [];
    if (form === undefined)
      throw new ApiError('bad_request', 'The request target must be a path, such as /v1/devices.');
    if (host !== undefined) hosts.push(plain(host));
    ctx.url = ctx.url.replace(ABSOLUTE_FORM, '/');
  }
  if (hosts.length > 1 && new Set(hosts).size > 1) throw twoHosts();
  return next();
};

/** Returns the values of Host and, in HTTP/2, of :authority. */
function namedHosts(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (HOST_LENGTHS.includes(name.length) && HOST_HEADERS.includes(name.toLowerCase()))
      hosts.push(plain(rawHeaders[at + 1] ?? ''));
  }
  return hosts;
}

/** Returns a host without the default ports of http and https, which one place may name and the other leave out. */
function plain(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/:(80|443)?$/, '');
}

function twoHosts(): ApiError {
  return new ApiError('bad_request', 'The request names two hosts. Send one Host header, with the host of the URL.');
}

import type { Context, HeaderList } from '../exchange.js';

/**
 * Writes an answer, with the headers that its layers have left for it. All at once and past Koa's own writing, which sets header by
 * header and then asks for each of them again: that is a tenth of a refused request. Throws for headers that HTTP does not allow.
 */
export function writeAnswer(context: Context, status: number, headers: HeaderList, body?: string | Buffer): void {
  const { res, state } = context;
  const all = [...state.headers, ...headers];
  if (body !== undefined) all.push('Content-Length', Buffer.byteLength(body));
  res.writeHead(status, all);
  context.respond = false;
  res.end(body);
}

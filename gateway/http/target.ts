/**
 * Splits a request target into path and query, both still percent-encoded. Takes the absolute form (`GET http://host/path`) too,
 * as every HTTP/1.1 server must; anything else is taken as a path, which then matches no route.
 */
export function splitTarget(target: string): { path: string; query: string } {
  const from = target.charCodeAt(0) === 0x2f ? 0 : (ABSOLUTE_FORM.exec(target)?.[0].length ?? 0);
  const mark = target.indexOf('?', from);
  const path = target.slice(from, mark < 0 ? undefined : mark);
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : target.slice(mark + 1) };
}

const ABSOLUTE_FORM = /^https?:\/\/[^/?]*/i;

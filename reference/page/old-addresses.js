/**
 * Leads addresses of the one page that the reference once was to the pages of now: `#tag/Device/operation/createDevice` and `#tag/Device`.
 */
export function followOldAddress() {
  const [, tag, operation] = /^#(?:tag\/(\w+))?(?:\/?operation\/(\w+))?/.exec(location.hash) ?? [];
  if (location.pathname !== '/docs/reference/' || (tag ?? operation) === undefined) return;
  const end = operation === undefined ? `/reference/${tag.toLowerCase()}/` : `#${operation}`;
  const link = [...document.querySelectorAll('main a')].find(({ href }) => href.endsWith(end));
  if (link !== undefined) location.replace(link.href);
}

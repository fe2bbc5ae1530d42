/**
 * Whether an If-None-Match header names `etag`: `*`, or a list that contains it. Compared weakly, as RFC 9110 (13.1.2) demands:
 * a W/ in front makes no difference. A header that is not one matches nothing.
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const header = ifNoneMatch.trim();
  if (header === '*') return true;
  // A tag may contain commas, so the list is read tag by tag and not split.
  const tag = /\s*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y;
  const wanted = etag.replace(/^W\//, '');
  for (let match = tag.exec(header); match !== null; match = tag.exec(header)) {
    if (match[1] === wanted) return true;
    if (tag.lastIndex >= header.length) return false;
  }
  return false;
}

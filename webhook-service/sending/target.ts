import { parseHttpUrl } from '../../kit/text/parse-url.js';

/** The parts of a webhook URL that a delivery uses. */
export interface Target {
  /** Scheme, host and port. */
  origin: string;
  /** With the query, without the fragment. */
  path: string;
  /** HTTP Basic credentials from the URL's user-info. Absent: the URL has no user-info. */
  authorization?: string;
}

/** Reads a webhook URL; undefined when nothing can be sent there: not a URL, or neither http nor https. */
export function targetOf(text: string): Target | undefined {
  const url = parseHttpUrl(text);
  if (url === undefined) return undefined;
  const { origin, pathname, search, username, password } = url;
  const path = `${pathname}${search}`;
  if (username === '' && password === '') return { origin, path };
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { origin, path, authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}

/** A webhook URL as its owner sees it in lists: without user-info and fragment. */
export function shownUrl(text: string): string {
  const url = parseHttpUrl(text);
  return url === undefined ? '(not an http or https URL)' : `${url.origin}${url.pathname}${url.search}`;
}

/** Decodes a part of a URL. A text with a stray % is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

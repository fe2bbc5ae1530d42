/** Where a delivery goes, taken apart. */
export interface Target {
  /** The URL without user-info and fragment. */
  url: URL;
  /** What user-info in the URL stands for: HTTP Basic. Absent: there is none. */
  authorization?: string;
}

/** Reads a webhook URL; undefined when nothing can be sent there: not a URL, or neither http nor https. */
export function targetOf(text: string): Target | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  if (username === '' && password === '') return { url };
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { url, authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}

/** A webhook URL as its owner sees it in lists: without user-info. */
export function shownUrl(text: string): string {
  return targetOf(text)?.url.href ?? '(not an http or https URL)';
}

/** A stray % is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

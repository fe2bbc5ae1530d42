/**
 * A URL, or undefined for a text that is none. Not by URL.canParse: Node 20's fast path for it takes letters such as é or a soft hyphen for
 * broken UTF-8, so that it refuses good URLs once the code around it has run often.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    // It throws nothing but that this is no URL.
    return undefined;
  }
}

/** An http or https URL, or undefined for anything else. */
export function parseHttpUrl(text: string, base?: string): URL | undefined {
  const url = parseUrl(text, base);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/**
 * Returns the URL, or undefined for a text that is not a URL. URL.canParse is not used: its fast path in Node 20 takes letters such as é or
 * a soft hyphen for broken UTF-8. So it refuses good URLs once the code around it has run often.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    // The constructor throws only when the text is not a URL.
    return undefined;
  }
}

/** An http or https URL, or undefined for anything else. */
export function parseHttpUrl(text: string, base?: string): URL | undefined {
  const url = parseUrl(text, base);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

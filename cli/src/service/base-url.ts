import { UsageError } from '../output/usage-error.js';

/** Returns the base URL, with /v1, of what a person types: the address of the service, its panel's, or the base URL. */
export function baseUrlOf(typed: string): string {
  const url = parsed(/^https?:\/\//.test(typed) ? typed : `https://${typed}`);
  if (url?.username !== '' || url.password !== '' || url.search !== '')
    throw new UsageError(`"${typed}" is not the address of a service, such as https://phones.example.com.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
}

/** Returns the address of a page of the service's panel. */
export function panelUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/v1$/, '')}${path}`;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

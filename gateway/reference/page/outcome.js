import { element } from './element.js';

/** Headers that are shown, where the response has them. */
const HEADERS = [
  ...['content-type', 'content-length', 'etag', 'retry-after', 'idempotency-replayed', 'x-frame-age-ms'],
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id'],
];

/** Most of a text that is shown, characters. */
const SHOWN_MAX = 100_000;

/** Returns what the reader sees of a response: status, time, headers of interest and the body. */
export async function outcomeOf(response, { tookMs, access }) {
  const { status, statusText, ok, headers } = response;
  const line = element(
    'p',
    { class: 'line' },
    element('span', { class: ok ? 'good' : 'bad' }, `${status} ${statusText}`.trim()),
    ` in ${Math.round(tookMs)} ms`,
  );
  const list = element('dl');
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value !== null) list.append(element('dt', {}, name), element('dd', {}, value));
  }
  return [line, ...(status === 401 && access !== 'anyone' ? [signedOut()] : []), list, ...(await bodyOf(response))];
}

/** A text in place of a response. */
export function failureOf(text) {
  return element('p', { class: 'bad' }, text);
}

function signedOut() {
  const link = element('a', { href: '/', target: '_blank' }, 'Sign in to the panel');
  return element('p', {}, 'You are not signed in here. ', link, ', then send it again.');
}

async function bodyOf(response) {
  const type = (response.headers.get('content-type') ?? '').split(';')[0];
  if (type === '' || response.status === 204) return [];
  if (type.startsWith('image/')) {
    const address = URL.createObjectURL(await response.blob());
    return [element('img', { src: address, alt: 'The picture of the response' })];
  }
  if (type === 'application/octet-stream') {
    // It may be larger than the page can hold.
    await response.body?.cancel();
    return [element('p', {}, element('a', { href: response.url, download: '' }, 'Download the file'))];
  }
  const text = await response.text();
  const shown = type === 'application/json' ? pretty(text) : text;
  const rest = shown.length - SHOWN_MAX;
  const block = element('pre', { tabindex: '0' }, element('code', {}, shown.slice(0, SHOWN_MAX)));
  return rest > 0 ? [block, element('p', { class: 'soft' }, `${rest} more characters are not shown.`)] : [block];
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

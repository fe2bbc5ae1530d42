import { element } from './element.js';
import { withoutPictures } from './pictures.js';
import { signedOut } from './session.js';
import { sizeOf } from './size.js';

/** Headers of interest, which are shown first. */
const FIRST = [
  ...['content-type', 'content-length', 'etag', 'retry-after', 'idempotency-replayed', 'x-frame-age-ms'],
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id'],
];

/** Most of a text that is shown, characters. */
const MAX_SHOWN_CHARS = 100_000;

/** Types of bodies that are texts, beside text/… itself. */
const TEXTS = ['application/json', 'application/x-ndjson', 'application/yaml', 'application/xml'];

/** Returns what the reader sees of a response: status, time and size, the body, and the headers. */
export async function outcomeOf(response, { tookMs, access }) {
  const { status, statusText, ok, headers } = response;
  const { parts, bytes } = await bodyOf(response);
  const facts = [`${Math.round(tookMs)} ms`, ...(bytes === undefined ? [] : [sizeOf(bytes)])];
  const line = element(
    'p',
    { class: 'line' },
    element('span', { class: `status-badge ${ok ? 'good' : 'bad'}` }, `${status} ${statusText}`.trim()),
    element('span', { class: 'facts' }, facts.join(' · ')),
  );
  const notice = status === 401 && access !== 'anyone' ? [element('p', { class: 'notice' }, ...signedOut())] : [];
  return [line, ...notice, ...parts, headersOf(headers)];
}

function headersOf(headers) {
  const placeOf = ([name]) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const all = [...headers].sort((a, b) => placeOf(a) - placeOf(b));
  const list = element('dl');
  for (const [name, value] of all) list.append(element('dt', {}, name), element('dd', {}, value));
  return element('details', { class: 'headers', open: '' }, element('summary', {}, `${all.length} headers`), list);
}

/** Returns what is shown of a body, and its size. The size of a file that is not read is the one that the service reports. */
async function bodyOf(response) {
  const type = (response.headers.get('content-type') ?? '').split(';')[0];
  if (type === '' || response.status === 204) return { parts: [] };
  if (type.startsWith('image/')) {
    const blob = await response.blob();
    return { parts: [pictureOf(blob, response.url)], bytes: blob.size };
  }
  if (!type.startsWith('text/') && !TEXTS.includes(type)) {
    // It may be larger than the page can hold.
    await response.body?.cancel();
    const bytes = Number(response.headers.get('content-length') ?? Number.NaN);
    const link = element('a', { class: 'download', href: response.url, download: '' }, 'Download the file');
    return { parts: [element('p', {}, link)], ...(bytes >= 0 && { bytes }) };
  }
  const text = await response.text();
  const { shown, pictures } = type === 'application/json' ? readJson(text) : { shown: text, pictures: [] };
  return { parts: [...pictures.map((blob) => pictureOf(blob)), ...textOf(shown)], bytes: new Blob([text]).size };
}

/** A picture with its size. `url`: where it can be had as a file; absent: it was a part of a text. */
function pictureOf(blob, url) {
  const address = URL.createObjectURL(blob);
  const image = element('img', { src: address, alt: 'The picture of the response' });
  const facts = element('span', {}, `${blob.type}, ${sizeOf(blob.size)}`);
  image.addEventListener('load', () => {
    facts.textContent = `${image.naturalWidth} × ${image.naturalHeight}, ${blob.type}, ${sizeOf(blob.size)}`;
  });
  const name = `${url === undefined ? 'picture' : new URL(url).pathname.split('/').at(-1)}.${blob.type.split('/')[1]}`;
  const link = element('a', { href: address, download: name }, 'Save');
  return element('figure', { class: 'picture' }, image, element('figcaption', {}, facts, ' · ', link));
}

function readJson(text) {
  try {
    const { value, pictures } = withoutPictures(JSON.parse(text));
    return { shown: JSON.stringify(value, undefined, 2), pictures };
  } catch {
    return { shown: text, pictures: [] };
  }
}

function textOf(text) {
  const rest = text.length - MAX_SHOWN_CHARS;
  const block = element('pre', { tabindex: '0' }, element('code', {}, text.slice(0, MAX_SHOWN_CHARS)));
  return rest > 0 ? [block, element('p', { class: 'soft' }, `${rest} more characters are not shown.`)] : [block];
}

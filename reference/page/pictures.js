import { sizeOf } from './size.js';

/** How pictures begin in base64. */
const BEGINNINGS = { '/9j/': 'image/jpeg', iVBORw0KGgo: 'image/png', UklGR: 'image/webp' };

/** Most pictures of one response that are shown. */
const MAX_SHOWN_PICTURES = 8;

/** Returns a value of JSON without the pictures that are base64 texts in it, and those pictures: thousands of letters show nothing. */
export function withoutPictures(json) {
  const pictures = [];
  const visit = (value) => {
    if (typeof value === 'string') {
      const picture = pictures.length < MAX_SHOWN_PICTURES ? pictureOf(value) : undefined;
      if (picture === undefined) return value;
      pictures.push(picture);
      return `(${picture.type}, ${sizeOf(picture.size)}, shown above)`;
    }
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner)]));
  };
  return { value: visit(json), pictures };
}

function pictureOf(text) {
  const [, type] = Object.entries(BEGINNINGS).find(([beginning]) => text.startsWith(beginning)) ?? [];
  if (type === undefined || text.length < 100 || !/^[A-Za-z0-9+/]+=*$/.test(text)) return undefined;
  return new Blob([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], { type });
}

import { bytesPerPixel, type Pixels } from '../../phone/screen/pixels.js';
import type { ScreenContent } from '../tree/elements.js';

/** Replaces a secret text, whatever its length. */
const HIDDEN = '••••••••';

/** The content without the texts in `secrets`, which show where a secret was typed into a field that is no password field. */
export function hideSecrets(content: ScreenContent, secrets: readonly string[]): ScreenContent {
  const pattern = patternOf(secrets);
  if (pattern === undefined) return content;
  const hide = (text: string): string => text.replace(pattern, HIDDEN);
  return {
    ...content,
    elements: content.elements.map((one) => ({
      ...one,
      text: hide(one.text),
      label: hide(one.label),
      words: one.words.map(hide),
    })),
    texts: content.texts.map((one) => ({ ...one, text: hide(one.text) })),
  };
}

/** The pixels with every place blacked out at which a text of `content` holds a secret. The same pixels when there is none. */
export function hideSecretPixels(pixels: Pixels, content: ScreenContent, secrets: readonly string[]): Pixels {
  const pattern = patternOf(secrets);
  const spots = pattern === undefined ? [] : content.texts.filter(({ text }) => text.search(pattern) >= 0);
  if (spots.length === 0) return pixels;
  const data = Buffer.from(pixels.data);
  const pixelBytes = bytesPerPixel[pixels.layout];
  for (const { bounds } of spots) {
    for (let row = bounds.y; row < Math.min(bounds.y + bounds.height, pixels.height); row++) {
      const start = (row * pixels.width + bounds.x) * pixelBytes;
      data.fill(0, start, start + Math.min(bounds.width, pixels.width - bounds.x) * pixelBytes);
    }
  }
  return { ...pixels, data };
}

/**
 * Matches each secret as a field may show it: without the blanks at its ends, with other line ends, and with a capital where a sentence
 * begins. Longer ones first, as a secret can begin with another one.
 */
function patternOf(secrets: readonly string[]): RegExp | undefined {
  const trimmed = secrets.map((secret) => secret.trim()).filter((secret) => secret !== '');
  if (trimmed.length === 0) return undefined;
  const escaped = trimmed
    .sort((a, b) => b.length - a.length)
    .map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll(/\s+/g, '\\s+'));
  return new RegExp(escaped.join('|'), 'giu');
}

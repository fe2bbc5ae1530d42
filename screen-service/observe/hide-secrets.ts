import { bytesPerPixel, type Pixels } from '../../phone/screen/pixels.js';
import type { ScreenContent } from '../tree/elements.js';
import type { Rectangle } from '../tree/rectangle.js';
import { SecretFinder } from './secret-spots.js';

/** Replaces what a text shows of a secret, whatever its length. */
const HIDDEN = '••••••••';

/** The text without what it shows of the secrets. */
export function hideSecretText(text: string, secrets: readonly string[]): string {
  return hiddenBy(new SecretFinder(secrets), text);
}

/** The content without what its texts show of the secrets, which are in fields that are no password fields, and in echoes of these. */
export function hideSecrets(content: ScreenContent, secrets: readonly string[]): ScreenContent {
  if (secrets.length === 0) return content;
  const finder = new SecretFinder(secrets);
  const hide = (text: string): string => hiddenBy(finder, text);
  return {
    ...content,
    elements: content.elements.map((one) => ({
      ...one,
      text: hide(one.text),
      label: hide(one.label),
      words: one.words.map(hide),
    })),
    texts: content.texts.map((one) => ({ ...one, text: hide(one.text) })),
    landmarks: content.landmarks.map((one) => ({ ...one, words: one.words.map(hide), content: hide(one.content) })),
  };
}

function hiddenBy(finder: SecretFinder, text: string): string {
  let shown = '';
  let done = 0;
  for (const { from, to } of finder.find(text)) {
    shown += text.slice(done, from) + HIDDEN;
    done = to;
  }
  return shown + text.slice(done);
}

/**
 * The pixels with every place blacked out at which a text of `content` shows a part of a secret, and with the pictures of apps, as on the
 * cards of the overview: what these show is in no tree. `withPasswords`: the password fields too, in which Android shows the last letter
 * for a moment. The same pixels when there is nothing to hide.
 */
export function hideSecretPixels(
  pixels: Pixels,
  content: ScreenContent,
  secrets: readonly string[],
  { withPasswords }: { withPasswords: boolean },
): Pixels {
  if (secrets.length === 0 && !withPasswords) return pixels;
  const finder = new SecretFinder(secrets);
  const spots: Rectangle[] = content.texts
    .filter(({ text }) => finder.find(text).length > 0)
    .map(({ bounds }) => bounds);
  if (secrets.length > 0) spots.push(...content.appPictures);
  if (withPasswords)
    spots.push(...content.elements.filter(({ states }) => states.includes('password')).map(({ bounds }) => bounds));
  if (spots.length === 0) return pixels;
  const data = Buffer.from(pixels.data);
  const pixelBytes = bytesPerPixel[pixels.layout];
  for (const bounds of spots) {
    for (let row = bounds.y; row < Math.min(bounds.y + bounds.height, pixels.height); row++) {
      const start = (row * pixels.width + bounds.x) * pixelBytes;
      data.fill(0, start, start + Math.min(bounds.width, pixels.width - bounds.x) * pixelBytes);
    }
  }
  return { ...pixels, data };
}

/* eslint-disable no-control-regex -- control characters are what is looked for */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Makes control characters visible, line feeds and tabs excepted. Phones, their apps and other people write the texts that are shown. Bare
 * escape sequences in these texts would move the cursor, retitle the window or fill the clipboard.
 */
export function plainText(text: string): string {
  return text.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The same, on one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll('\n', '\\n').replaceAll('\t', ' ');
}

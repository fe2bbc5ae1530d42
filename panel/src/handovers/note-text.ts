/** Most characters of a note. */
export const MAX_NOTE = 1_000;

/** Control characters besides line ends, such as the tabs of a pasted text. The service refuses a note with any of them. */
const CONTROLS = /[^\P{Cc}\n]/gu;

/** Returns a note as it is sent: with spaces in place of control characters, and without spaces around it. */
export function noteText(typed: string): string {
  return typed.replaceAll(/\r\n?/g, '\n').replaceAll(CONTROLS, ' ').trim();
}

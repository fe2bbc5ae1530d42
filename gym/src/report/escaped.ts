const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Returns a text for XML and HTML. Characters that XML cannot hold become question marks. */
export function escaped(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are the characters that XML 1.0 forbids.
  const allowed = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?');
  return allowed.replace(/[&<>"']/g, (char) => NAMES[char] ?? char);
}

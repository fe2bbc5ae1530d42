/** The longest address that SMTP carries, characters. */
const MAX_CHARS = 254;

/**
 * Returns whether a text is one plain address that is safe in a header and in an SMTP command. Quoted names, groups and lists are not: a
 * mail goes to one person.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_CHARS && /^[^\s\p{C}@<>()[\],;:\\"]+@[^\s\p{C}@<>()[\],;:\\"]+$/u.test(text);
}

/** The sender of mails. */
export interface MailSender {
  /** Empty: the address alone. */
  name: string;
  address: string;
}

/** Reads `Cloud phones <phones@example.com>`, or an address alone. Returns undefined for any other text. */
export function parseSender(text: string): MailSender | undefined {
  const match = /^(?:"?([^"<>\p{C}]*?)"?\s*<([^<>]*)>|([^<>]*))$/u.exec(text.trim());
  const address = match?.[2] ?? match?.[3] ?? '';
  return isMailAddress(address) ? { name: (match?.[1] ?? '').trim(), address } : undefined;
}

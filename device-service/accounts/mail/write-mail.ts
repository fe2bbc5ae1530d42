import type { MailMessage } from './mail-server.js';
import type { MailText } from './mail-texts.js';

/** Returns a mail in plain text and in HTML, with the same words. The HTML loads nothing from elsewhere. */
export function writeMail({ subject, before, link, after }: MailText): Pick<MailMessage, 'subject' | 'text' | 'html'> {
  const paragraphs = [...before, ...(link === undefined ? [] : [link.url]), ...after];
  const html = [
    ...before.map(paragraph),
    ...(link === undefined ? [] : [`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`]),
    ...after.map(paragraph),
  ];
  return {
    subject,
    text: `${paragraphs.filter((each) => each !== '').join('\n\n')}\n`,
    html: `<!doctype html><html><body>${html.join('')}</body></html>\n`,
  };
}

function paragraph(text: string): string {
  return text === '' ? '' : `<p>${escaped(text)}</p>`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

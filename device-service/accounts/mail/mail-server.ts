import type { MailSender } from './mail-address.js';

/** A mail as the mail server gets it. */
export interface MailMessage {
  /** The id that every attempt has, for the Message-ID. */
  messageId: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * The end of an attempt. `sent`: the server has the mail. `refused`: it never takes this mail. `later`: it does not take this mail now.
 * `away`: it takes no mail at present, so that others need not be tried.
 */
export interface SendOutcome {
  kind: 'sent' | 'refused' | 'later' | 'away';
  /** What the server said, or what went wrong, on one line; for the operator. */
  response: string;
}

/** The operator's mail server. */
export interface MailServer {
  from: MailSender;
  /** Where the links of mails lead. */
  publicUrl: URL;
  /** Gives one mail to the server. Never rejects. When the signal aborts, the attempt has a few seconds to end. */
  send(message: MailMessage, signal?: AbortSignal): Promise<SendOutcome>;
}

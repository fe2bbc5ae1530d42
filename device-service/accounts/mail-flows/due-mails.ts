import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import type { MailDocument } from '../../store/mails.js';
import { CLAIM_MS, MAX_CONNECTIONS, RETRY_DELAYS_MS } from '../mail/limits.js';
import type { MailEnd, MailMetrics } from '../mail/mail-metrics.js';
import type { MailServer, SendOutcome } from '../mail/mail-server.js';
import { prepareMail, type PrepareParts } from './prepare-mail.js';

/** How long to wait before the end of an attempt is written again, when the database did not take it, ms. */
const REWRITE_MS = 200;

export interface DueMailsOptions extends PrepareParts {
  server: MailServer;
  metrics: MailMetrics;
  clock: Clock;
  log: Log;
}

/**
 * Sends the mails that are due. A mail is claimed by one conditional update, and each later write names that claim. A process that dies
 * leaves its claims to lapse, and the next one makes the attempt again.
 *
 * What happens after a crash:
 * - Before the server has taken the mail: it is sent once.
 * - After that, before the end is written: the same mail comes again with the same Message-ID, as nobody can know whether it was taken.
 * - After the end is written: nothing is left to do.
 */
export class DueMails {
  readonly #options: DueMailsOptions;
  /** Why the mail server took no mail at last. Undefined: it does, or was not asked yet. */
  #away: string | undefined;

  constructor(options: DueMailsOptions) {
    this.#options = options;
  }

  /** The problem that the operator should see to; none while mails go out. */
  get problems(): readonly string[] {
    if (this.#away === undefined) return [];
    return [
      `The mail server takes no mail: ${this.#away}. Check SMTP_URL and MAIL_FROM with: admin mail test --to ADDRESS`,
    ];
  }

  /** Sends what is due. It ends early when the server is away: one round then makes few attempts, however many mails wait. */
  async send(signal: AbortSignal): Promise<void> {
    const first = await this.#claim();
    if (first === null) return;
    const round = { isOver: false };
    const ends = await Promise.allSettled(
      Array.from({ length: MAX_CONNECTIONS }, (_, at) => this.#work(round, signal, at === 0 ? first : undefined)),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #work(round: { isOver: boolean }, signal: AbortSignal, first?: MailDocument): Promise<void> {
    let mail: MailDocument | null = first ?? null;
    while (!signal.aborted && !round.isOver) {
      mail ??= await this.#claim();
      if (mail === null) return;
      if ((await this.#attempt(mail, signal)) === 'away') round.isOver = true;
      mail = null;
    }
    // A mail that was claimed and not tried goes back into the queue.
    if (mail !== null) await this.#options.mails.postpone(mail, new Date(this.#options.clock.now()));
  }

  #claim(): Promise<MailDocument | null> {
    const { mails, clock } = this.#options;
    const now = clock.now();
    return mails.claim(new Date(now), new Date(now + CLAIM_MS));
  }

  async #attempt(mail: MailDocument, signal: AbortSignal): Promise<MailEnd> {
    const { mails, server, metrics, clock, log } = this.#options;
    const now = clock.now();
    let end: MailEnd;
    if (mail.giveUpAt.getTime() <= now) {
      await mails.end(mail, { failure: 'it could not be sent within a day', ...this.#expiry(mail) });
      end = 'given_up';
    } else {
      const message = await prepareMail(this.#options, server, mail);
      if (message === 'dropped') {
        await mails.drop(mail);
        end = 'dropped';
      } else if (message === 'unreadable') {
        await mails.end(mail, { failure: 'no key of SECRETS_KEY opens its link', ...this.#expiry(mail) });
        end = 'given_up';
      } else {
        end = await this.#settle(mail, await server.send(message, signal));
      }
    }
    metrics.ended(mail.kind, end);
    if (end === 'given_up' || end === 'refused')
      log.warn({ mail: mail.messageId, kind: mail.kind, outcome: end }, 'a mail was not sent');
    else log.debug({ mail: mail.messageId, kind: mail.kind, outcome: end }, 'mail');
    return end;
  }

  /** Writes the end of an attempt down. When that fails, the claim lapses, and the attempt is made again. */
  async #settle(mail: MailDocument, { kind, response }: SendOutcome): Promise<MailEnd> {
    const { mails, clock } = this.#options;
    this.#notice(kind, response);
    const now = clock.now();
    if (kind === 'sent')
      await this.#insist(mail, () => mails.end(mail, { sentAt: new Date(now), ...this.#expiry(mail) }));
    else if (kind === 'refused')
      await this.#insist(mail, () => mails.end(mail, { failure: response, ...this.#expiry(mail) }));
    else await mails.postpone(mail, new Date(now + retryDelayMs(mail.claims)));
    return kind;
  }

  #expiry({ windowMs }: MailDocument): { expiresAt: Date } {
    return { expiresAt: new Date(this.#options.clock.now() + windowMs) };
  }

  /** Writes an end again while the claim lasts, as a mail without its end would be sent a second time. */
  async #insist({ dueAt }: MailDocument, write: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if ((dueAt?.getTime() ?? 0) - clock.now() < REWRITE_MS) throw error;
        await clock.sleep(REWRITE_MS);
      }
    }
  }

  /** Logs when the server goes away and when it is back, and not each attempt in between. */
  #notice(kind: SendOutcome['kind'], response: string): void {
    const { log } = this.#options;
    const wasAway = this.#away !== undefined;
    this.#away = kind === 'away' ? response : undefined;
    if (kind === 'away' && !wasAway) log.warn({ response }, 'the mail server takes no mail; trying again');
    if (kind !== 'away' && wasAway) log.info('the mail server takes mail again');
  }
}

function retryDelayMs(attempts: number): number {
  return RETRY_DELAYS_MS[Math.min(attempts, RETRY_DELAYS_MS.length) - 1] ?? RETRY_DELAYS_MS[0] ?? 0;
}

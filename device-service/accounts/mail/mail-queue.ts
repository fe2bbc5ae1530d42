import type { Clock } from '../../../kit/async/clock.js';
import { FixedWindows } from '../../../kit/async/fixed-windows.js';
import type { Log } from '../../../kit/log/log.js';
import type { Wakeup } from '../../../kit/ops/periodic-tasks.js';
import { createId } from '../../../kit/text/ids.js';
import type { SecretBox } from '../../../kit/text/secret-box.js';
import type { MailKind, MailStore } from '../../store/mails.js';
import type { MailWindowStore } from '../../store/mail-windows.js';
import {
  DEFAULT_WINDOW_MS,
  GIVE_UP_MS,
  type MailBound,
  MAX_OF_ACCOUNT,
  MAX_OF_KIND,
  MAX_TO_ADDRESS,
} from './limits.js';
import { isMailAddress } from './mail-address.js';
import type { MailMetrics } from './mail-metrics.js';
import { oneLine } from './one-line.js';

export interface NewMail {
  kind: MailKind;
  to: string;
  /** The account that the mail is about. Absent: it is about the person alone. */
  accountId?: string;
  data?: Record<string, string>;
  /** The token of its link, where the sender does not make one. */
  token?: string;
  /** Names what the mail is about: an address gets one such mail within `windowMs`. Absent: each mail is another one. */
  once?: { about: string; windowMs: number };
}

/** `known`: the address got the same mail within its window, or will get it. `refused`: a bound is reached, or the address is none. */
export type Queued = 'queued' | 'known' | 'refused';

export interface MailQueueOptions {
  mails: MailStore;
  mailWindows: MailWindowStore;
  /** Seals the tokens of links. Absent: they are stored as they are until the mail is sent. */
  box: SecretBox | undefined;
  metrics: MailMetrics;
  /** Sends the mails that are due. */
  sending: Wakeup;
  clock: Clock;
  log: Log;
}

/**
 * Puts mails into the database, from where any process sends them. What is queued is not lost: a crash before the insert leaves nothing,
 * and its caller does the work again or reports the failure. A crash after it leaves a mail that is due.
 */
export class MailQueue {
  readonly #options: MailQueueOptions;
  /** The bounds that were reported in this hour, so that a flood does not fill the log. */
  readonly #reported: FixedWindows;

  constructor(options: MailQueueOptions) {
    this.#options = options;
    this.#reported = new FixedWindows({ clock: options.clock, windowMs: DEFAULT_WINDOW_MS, maxKeys: 1_000 });
  }

  async add({ kind, to, accountId, data = {}, token, once }: NewMail): Promise<Queued> {
    const { mails, box, metrics, sending, clock } = this.#options;
    const address = to.toLowerCase();
    if (!isMailAddress(address)) return 'refused';
    const now = clock.now();
    const windowMs = once?.windowMs ?? DEFAULT_WINDOW_MS;
    const messageId = createId('mail', now);
    const id = once === undefined ? messageId : `${kind} ${once.about} ${address}`;
    if (once !== undefined && (await this.#isKnown(id, now))) return 'known';
    if (!(await this.#hasRoom({ kind, to: address, ...(accountId !== undefined && { accountId }) }))) return 'refused';
    const isNew = await mails.insert(
      {
        _id: id,
        messageId,
        kind,
        to: address,
        ...(accountId !== undefined && { accountId }),
        data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, oneLine(text)])),
        ...(token !== undefined && { secret: box?.seal(token, id) ?? token }),
        createdAt: new Date(now),
        dueAt: new Date(now),
        claims: 0,
        giveUpAt: new Date(now + GIVE_UP_MS),
        windowMs,
        // The end of the mail brings this time forward.
        expiresAt: new Date(now + GIVE_UP_MS + windowMs),
      },
      new Date(now),
    );
    if (!isNew) return 'known';
    metrics.queued(kind);
    sending.soon();
    return 'queued';
  }

  async #isKnown(id: string, nowMs: number): Promise<boolean> {
    const known = await this.#options.mails.find(id);
    return known !== null && known.expiresAt.getTime() > nowMs;
  }

  /** Counts the mail in each of its bounds. Returns false when one is reached. */
  async #hasRoom({ kind, to, accountId }: Pick<NewMail, 'kind' | 'to' | 'accountId'>): Promise<boolean> {
    const { mailWindows, metrics, clock, log } = this.#options;
    const group = kind === 'invitation' ? 'invitations' : 'notices';
    // A notice goes once to each address about one thing, so its address has no bound beside that.
    const bounds: [string, MailBound][] = [
      ...(accountId === undefined || kind === 'invitation'
        ? [[`${kind} to ${to}`, MAX_TO_ADDRESS] as [string, MailBound]]
        : []),
      ...(accountId === undefined ? [] : [[`${group} of ${accountId}`, MAX_OF_ACCOUNT] as [string, MailBound]]),
      [`all of ${kind}`, MAX_OF_KIND],
    ];
    for (const [id, bound] of bounds) {
      if (await mailWindows.count(id, bound, clock.now())) continue;
      metrics.ended(kind, 'bounded');
      const key = id.startsWith('all') ? id : `${kind} ${accountId ?? 'address'}`;
      if (this.#reported.count(key).count === 1)
        log.warn({ kind, account: accountId, most: bound.most }, 'mails are not sent, as a bound of mails is reached');
      return false;
    }
    return true;
  }
}

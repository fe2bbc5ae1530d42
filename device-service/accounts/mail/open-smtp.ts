import type { Clock } from '../../../kit/async/clock.js';
import { SEND_TIMEOUT_MS, STOP_MS } from './limits.js';
import type { MailServer, SendOutcome } from './mail-server.js';
import type { MailConfig, SmtpConfig } from './mail-settings.js';
import { oneLine } from './one-line.js';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';

/** Longest wait for a connection, for the greeting, and without a byte from the server, ms. */
const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
const SILENCE_MS = 30_000;
/** How long the server may take to close a connection after QUIT, ms. */
const QUIT_MS = 1_000;

type SmtpError = Error & { command?: string; responseCode?: number; response?: string };

/** Opens the mail server. The library is loaded here, so that installations without mail spend neither time nor memory on it. */
export async function openSmtp({ smtp, from, publicUrl }: MailConfig, clock: Clock): Promise<MailServer> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const { default: Composer } = await import('nodemailer/lib/mail-composer');
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const compose = ({ messageId, to, ...content }: Parameters<MailServer['send']>[0]): Promise<Buffer> =>
    new Composer({
      ...content,
      messageId: `<${messageId}@${domain}>`,
      from,
      to: { name: '', address: to },
      date: new Date(clock.now()),
      // Programs that respond to mails by themselves leave such mails alone.
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
  return {
    from,
    publicUrl,
    send: async (message, signal) => {
      const raw = await compose(message);
      const connection = new Connection({ ...connectionOptions(smtp), name: publicUrl.hostname });
      try {
        const response = await withinTime(clock, signal, connection, () =>
          converse(connection, smtp, { from: from.address, to: message.to }, raw),
        );
        return { kind: 'sent', response: oneLine(response) };
      } catch (error) {
        return outcomeOf(error as SmtpError);
      } finally {
        // A server that does not close after QUIT has the connection closed for it.
        connection.quit();
        clock.after(QUIT_MS, () => connection.close());
      }
    },
  };
}

function connectionOptions({ host, port, tls, ca }: SmtpConfig): SMTPConnection.Options {
  return {
    ...{ host, port, secure: tls === 'always', requireTLS: tls === 'starttls', ignoreTLS: tls === 'never' },
    ...{
      connectionTimeout: CONNECT_MS,
      greetingTimeout: GREETING_MS,
      dnsTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
    },
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    logger: false,
  };
}

/** Gives one mail to the server. Returns the server's response. */
async function converse(
  connection: SMTPConnection,
  { login }: SmtpConfig,
  envelope: { from: string; to: string },
  raw: Buffer,
): Promise<string> {
  await called((done) => connection.connect(done));
  if (login !== undefined) await called((done) => connection.login(login, done));
  return new Promise((resolve, reject) => {
    connection.send({ from: envelope.from, to: [envelope.to] }, raw, (error, info) => {
      if (error === null) resolve(info.response);
      else reject(error);
    });
  });
}

function called(call: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => {
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
  });
}

/** Runs `work` and closes the connection when its time is over, as the library forgets its callbacks then. */
function withinTime(
  clock: Clock,
  signal: AbortSignal | undefined,
  connection: SMTPConnection,
  work: () => Promise<string>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const cut = (reason: string): void => {
      connection.close();
      reject(new Error(reason));
    };
    const limit = clock.after(SEND_TIMEOUT_MS, () => cut(`no end within ${SEND_TIMEOUT_MS / 1_000} s`));
    let stopping: { cancel: () => void } | undefined;
    const stop = (): void => {
      stopping = clock.after(STOP_MS, () => cut('the service is stopping'));
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    connection.on('error', reject);
    work()
      .then(resolve, reject)
      .finally(() => {
        limit.cancel();
        stopping?.cancel();
        signal?.removeEventListener('abort', stop);
      });
  });
}

/**
 * Returns what a failure means. Only a refusal of the recipient or the content is about this mail. A refused login or sender is a fault of
 * the settings, which the operator can correct before the mails are given up.
 */
function outcomeOf(error: SmtpError): SendOutcome {
  const { command, responseCode = 0 } = error;
  const response = oneLine(error.response ?? error.message);
  if (command !== 'RCPT TO' && command !== 'DATA') return { kind: 'away', response };
  if (responseCode >= 500) return { kind: 'refused', response };
  return { kind: responseCode >= 400 ? 'later' : 'away', response };
}

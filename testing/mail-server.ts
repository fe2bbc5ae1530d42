import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server';

/** A mail as a mail server got it. */
export interface ReceivedMail {
  to: string[];
  /** The message with its headers; long lines of quoted-printable parts are joined. */
  text: string;
  messageId: string;
  subject: string;
}

/** A response of a mail server to a command, such as 451 or 550. */
export function smtpError(responseCode: number, message = 'no'): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** A mail server on this machine. */
export interface TestMailServer {
  port: number;
  received: ReceivedMail[];
  /** How many connections were opened. */
  connections: () => number;
  close(): Promise<void>;
}

export interface TestMailOptions extends SMTPServerOptions {
  /** Throws a refusal of a recipient. */
  recipient?: (to: string) => void | Promise<void>;
  /** Called before a mail is taken; throws a refusal of it. */
  content?: (mail: ReceivedMail) => void | Promise<void>;
  port?: number;
}

/** Opens a mail server. Without options, it takes all mail without TLS and without a sign-in. */
export async function openTestMail({
  recipient,
  content,
  port = 0,
  ...options
}: TestMailOptions = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 200,
    logger: false,
    ...options,
    onConnect: (_session, done) => {
      connections++;
      done();
    },
    onRcptTo: ({ address }: SMTPServerAddress, _session, done) => {
      Promise.resolve()
        .then(() => recipient?.(address))
        .then(() => done(), done);
    },
    onData: (stream: SMTPServerDataStream, session, done) => {
      read(stream)
        .then(async (text) => {
          const mail = {
            to: session.envelope.rcptTo.map(({ address }) => address),
            text,
            messageId: /^Message-ID: <([^>]*)>/im.exec(text)?.[1] ?? '',
            subject: /^Subject: (.*)/im.exec(text)?.[1] ?? '',
          };
          await content?.(mail);
          received.push(mail);
        })
        .then(() => done(null, 'taken'), done);
    },
  });
  // A client that is killed, or does not trust the certificate, is no fault of the test.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function read(stream: SMTPServerDataStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').replace(/=\r\n/g, '').replace(/=3D/g, '=');
}

/** The token in the link of a mail. */
export function tokenOf({ text }: Pick<ReceivedMail, 'text'>): string {
  const token = /#([\w-]+)/.exec(text)?.[1];
  if (token === undefined) throw new Error('the mail has no link with a token');
  return token;
}

import type { Socket } from 'node:net';
import { CommandError } from './values/command-error.js';
import type { Server } from './commands/command.js';
import { dispatch } from './dispatch.js';
import { awaitedMs, boundedWait, staysQuiet } from './heartbeat.js';
import { Frames } from './wire/frames.js';
import { buildReply, MalformedMessageError, parseMessage, type Request } from './wire/message.js';

/** State of the server that its connections share. */
export interface ConnectionContext {
  readonly server: Server;
  readonly log: WorkerLog;
  /** Counts bytes of incomplete messages over all connections; false when there are too many. */
  readonly holdBytes: (delta: number) => boolean;
}

/** The part of a log that crosses from the worker to the main thread. */
export interface WorkerLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Serves one client until it leaves. Requests are taken one after the other. The socket is not read while one is being served, nor while
 * the client does not read its replies. So a client can make the server hold no more than one message.
 */
export async function serveConnection(socket: Socket, connectionId: number, context: ConnectionContext): Promise<void> {
  socket.setNoDelay(true);
  const frames = new Frames();
  let held = 0;
  let replyId = 0;
  const send = async (reply: Buffer): Promise<void> => {
    if (!socket.destroyed && !socket.write(reply)) await drained(socket);
  };
  /**
   * Replies to a hello after the wait that it requests. If the client allows further replies, it gets them until it sends something or
   * leaves.
   */
  const beat = async (request: Request, firstWaitMs: number): Promise<void> => {
    const { clock } = context.server;
    let { id } = request;
    for (let waitMs = firstWaitMs; waitMs === 0 || (await staysQuiet(socket, clock, waitMs));) {
      await send(await reply({ ...request, id }, connectionId, ++replyId, context));
      if (!request.exhaustAllowed) return;
      id = replyId;
      waitMs = boundedWait(Number(request.body['maxAwaitTimeMS']));
    }
  };
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      for (const message of frames.push(chunk)) {
        const request = parseMessage(message);
        const waitMs = awaitedMs(request, context.server.processId);
        if (waitMs !== undefined) await beat(request, waitMs);
        else {
          const response = await reply(request, connectionId, ++replyId, context);
          if (!request.withoutReply) await send(response);
        }
      }
      const delta = frames.pendingBytes - held;
      held += delta;
      if (!context.holdBytes(delta)) throw new MalformedMessageError('too many bytes of incomplete messages are held');
    }
  } catch (error) {
    if (error instanceof MalformedMessageError)
      context.log.warn(
        { connection_id: connectionId, err: error },
        'closed a connection that does not speak the protocol',
      );
    else if (!isDisconnect(error))
      context.log.error({ connection_id: connectionId, err: error }, 'a connection failed');
  } finally {
    context.holdBytes(-held);
    socket.destroy();
  }
}

async function reply(
  request: Request,
  connectionId: number,
  replyId: number,
  { server, log }: ConnectionContext,
): Promise<Buffer> {
  const fail = (error: CommandError): Buffer => buildReply(request, error.toDocument(), replyId);
  try {
    const moreToCome = request.exhaustAllowed && awaitedMs(request, server.processId) !== undefined;
    return buildReply(request, await dispatch(server, request, connectionId), replyId, moreToCome);
  } catch (error) {
    if (error instanceof CommandError) return fail(error);
    log.error({ err: error, command: Object.keys(request.body)[0] }, 'a command failed');
    return fail(new CommandError('InternalError', 'the embedded server failed; its log has the cause'));
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}

/** Whether the client's connection broke. */
function isDisconnect(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

import { Long } from 'bson';
import { endSessions as forget, SESSION_MINUTES, sessionIdOf } from '../store/retried-writes.js';
import { MAX_DOCUMENT_BYTES } from '../values/document.js';
import { MAX_MESSAGE_BYTES } from '../wire/message.js';
import { requiredArray } from './arguments.js';
import type { Command } from './command.js';
import { MAX_STATEMENTS } from './statements.js';

/** Wire version 21 is MongoDB 7.0. Nothing newer is needed, and drivers use the features that a server reports. */
const MAX_WIRE_VERSION = 21;

/**
 * Reports the primary of a replica set of one member. Production has replica sets, and drivers retry writes on replica sets only. The
 * server reports no `hosts`: any path that leads to its socket reaches it, and drivers connect directly. `topologyVersion` shows drivers
 * that a `hello` may wait for a change: see heartbeat.ts.
 */
export const hello: Command = {
  names: ['hello', 'isMaster', 'ismaster'],
  // Drivers offer features here (compression, new extensions), more with each version. The server may ignore them.
  fields: 'any',
  run: ({ name, server, connectionId }) => ({
    ...(name === 'hello' ? { isWritablePrimary: true } : { ismaster: true }),
    helloOk: true,
    setName: 'embedded',
    setVersion: 1,
    secondary: false,
    hosts: [],
    topologyVersion: { processId: server.processId, counter: Long.ZERO },
    logicalSessionTimeoutMinutes: SESSION_MINUTES,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_STATEMENTS,
    localTime: new Date(server.clock.now()),
    connectionId,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
    ok: 1,
  }),
};

export const ping: Command = { names: ['ping'], fields: [], run: () => ({ ok: 1 }) };

export const endSessions: Command = {
  names: ['endSessions'],
  fields: [],
  run: ({ body, server }) => {
    const sessions = requiredArray(body, 'endSessions').map(sessionIdOf);
    return server.store.write((writer) => {
      forget(writer, sessions);
      return { ok: 1 };
    });
  },
};

import { MAX_DOCUMENT_BYTES } from '../values/document.js';
import { MAX_MESSAGE_BYTES } from '../wire/message.js';
import type { Command } from './command.js';
import { MAX_STATEMENTS } from './statements.js';

/** Wire version 21 is MongoDB 7.0. Nothing newer is needed, and drivers use what a server says it has. */
const MAX_WIRE_VERSION = 21;
const VERSION = '7.0.0';

/**
 * A standalone server. It says nothing of logical sessions, so drivers send none and refuse transactions, change streams
 * and retryable writes by themselves.
 */
export const hello: Command = {
  names: ['hello', 'isMaster', 'ismaster'],
  // Drivers offer things here (compression, new extensions) for the server to take up or not: each version has more.
  fields: 'any',
  run: ({ name, server, connectionId }) => ({
    ...(name === 'hello' ? { isWritablePrimary: true } : { ismaster: true }),
    helloOk: true,
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

export const buildInfo: Command = {
  names: ['buildInfo', 'buildinfo'],
  fields: [],
  run: () => ({
    version: VERSION,
    versionArray: [...VERSION.split('.').map(Number), 0],
    modules: ['embedded'],
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    ok: 1,
  }),
};

/** There are none to end, and drivers that have been told so do not ask. */
export const endSessions: Command = { names: ['endSessions'], fields: [], run: () => ({ ok: 1 }) };

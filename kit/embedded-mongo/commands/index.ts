import { aggregate } from './aggregate.js';
import { create, drop, dropDatabase, listCollections, listDatabases } from './collections.js';
import { backup } from './backup.js';
import type { Command } from './command.js';
import { count } from './count.js';
import { createIndexes } from './create-indexes.js';
import { deleteDocuments } from './delete.js';
import { distinct } from './distinct.js';
import { dropIndexes } from './drop-indexes.js';
import { findAndModify } from './find-and-modify.js';
import { find } from './find.js';
import { getMore } from './get-more.js';
import { buildInfo, endSessions, hello, ping } from './hello.js';
import { insert } from './insert.js';
import { killCursors } from './kill-cursors.js';
import { listIndexes } from './list-indexes.js';
import { update } from './update.js';

/** All commands there are, by each of their names. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [
    ...[hello, ping, buildInfo, endSessions],
    backup,
    ...[find, getMore, killCursors, count, distinct, aggregate],
    ...[insert, update, deleteDocuments, findAndModify],
    ...[create, drop, dropDatabase, listCollections, listDatabases, createIndexes, dropIndexes, listIndexes],
  ].flatMap((command) => command.names.map((name) => [name, command] as const)),
);

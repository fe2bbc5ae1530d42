import { aggregate } from './aggregate.js';
import { backup } from './backup.js';
import type { Command } from './command.js';
import { createIndexes } from './create-indexes.js';
import { deleteDocuments } from './delete.js';
import { findAndModify } from './find-and-modify.js';
import { dropIndexes } from './drop-indexes.js';
import { find } from './find.js';
import { getMore } from './get-more.js';
import { endSessions, hello, ping } from './hello.js';
import { insert } from './insert.js';
import { killCursors } from './kill-cursors.js';
import { listCollections } from './list-collections.js';
import { listIndexes } from './list-indexes.js';
import { update } from './update.js';

/** All commands there are, by each of their names. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [
    ...[hello, ping, endSessions],
    backup,
    ...[find, getMore, killCursors, aggregate],
    ...[insert, update, deleteDocuments, findAndModify],
    ...[createIndexes, dropIndexes, listIndexes, listCollections],
  ].flatMap((command) => command.names.map((name) => [name, command] as const)),
);

import type { DatabasePlace } from './config.js';
import type { Output } from './run-command.js';
import type { Words } from './words.js';

type DatabaseCommand = (dataDirectory: string, options: Words['options']) => Promise<Output>;

/**
 * The commands that work on the database of the data folder itself, by their word. Each loads the database's code, which takes longer
 * than most other commands.
 */
export const databaseCommands: Record<string, DatabaseCommand> = {
  backup: async (dataDirectory, { to = '' }) => {
    const { backUp } = await import('./database-folder.js');
    const folder = await backUp(dataDirectory, to, new Date());
    return { json: JSON.stringify({ backup: folder }), text: `backed up to ${folder}\n` };
  },
  restore: async (dataDirectory, { from = '' }) => {
    const { restore } = await import('./database-folder.js');
    await restore(dataDirectory, from);
    return { json: JSON.stringify({ restored: dataDirectory }), text: `restored to ${dataDirectory}\n` };
  },
  export: async (dataDirectory, { to = '' }) => {
    const { exportDatabase } = await import('./export-database.js');
    const documents = await exportDatabase(dataDirectory, to);
    return { json: JSON.stringify({ documents }), text: `exported ${documents} documents to ${to}\n` };
  },
};

/** Throws one line for a database that is not ours to copy. */
export async function runDatabaseCommand({ command, options }: Words, place: DatabasePlace): Promise<Output> {
  const run = databaseCommands[command];
  if (run === undefined) throw new Error(`There is no command "${command}".`);
  if (place.mongodbUrl !== undefined)
    throw new Error('MONGODB_URL is set: the database is a MongoDB. Use mongodump and mongorestore.');
  return run(place.dataDirectory, options);
}

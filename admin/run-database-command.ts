import { resolve } from 'node:path';
import type { Client } from '@connectrpc/connect';
import type { AdminService } from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { holder } from './backup/hold-phone.js';
import type { Clock } from '../kit/async/clock.js';
import { noteVerified } from './backup/note-verified.js';
import { backupOutput, restoredOutput, verifiedOutput } from './backup/outputs.js';
import type { OnProgress } from './backup/progress.js';
import type { DatabasePlace } from './config.js';
import type { Output } from './output.js';
import type { Words } from './words.js';

type DatabaseCommand = (place: DataPlace, options: Words['options']) => Promise<Output>;

/** The data folder, and what its commands need beside it. */
export interface DataPlace extends DatabasePlace {
  /** Connects to the running service, for what only that can do. */
  connect: () => Client<typeof AdminService>;
  onProgress: OnProgress;
  clock: Clock;
}

/**
 * The commands that work directly on the data folder, by their names. Each loads the database's code, which takes longer than most other
 * commands.
 */
export const databaseCommands: Record<string, DatabaseCommand> = {
  backup: async ({ dataDirectory, mongodb, connect, onProgress, clock }, { to = '', phones = 'stopped' }) => {
    const { backUp } = await import('./backup/back-up.js');
    return backupOutput(
      await backUp({
        dataDirectory,
        mongodb,
        to,
        phones: phonesOption(phones),
        hold: holder(connect, dataDirectory),
        onProgress,
        clock,
      }),
    );
  },
  'backup verify': async ({ dataDirectory, onProgress, clock }, { from = '' }) => {
    const { verifyBackup } = await import('./backup/verify-backup.js');
    const file = await verifyBackup(from, onProgress);
    const unnoted = await noteVerified({ dataDirectory, folder: resolve(from), file, nowMs: clock.now() });
    return verifiedOutput(resolve(from), file, unnoted);
  },
  restore: async ({ dataDirectory, mongodb, onProgress, clock }, { from = '', 'data-only': dataOnly }) => {
    const { restoreBackup } = await import('./backup/restore-backup.js');
    const isForData = dataOnly === 'yes';
    const restored = await restoreBackup({ dataDirectory, mongodb, isForData, from, onProgress, clock });
    return restoredOutput(dataDirectory, restored, isForData);
  },
  export: async ({ dataDirectory, mongodb }, { to = '' }) => {
    if (mongodb !== undefined) throw new Error('MONGODB_URL is set: the database is a MongoDB. Use mongodump.');
    const { exportDatabase } = await import('./export-database.js');
    const documents = await exportDatabase(dataDirectory, to);
    return { json: JSON.stringify({ documents }), text: `exported ${documents} documents to ${to}\n` };
  },
};

/** Runs a command. */
export async function runDatabaseCommand({ command, options }: Words, place: DataPlace): Promise<Output> {
  const run = databaseCommands[command];
  if (run === undefined) throw new Error(`There is no command "${command}".`);
  return run(place, options);
}

function phonesOption(text: string): 'stopped' | 'all' | 'none' {
  if (text === 'stopped' || text === 'all' || text === 'none') return text;
  throw new Error(`--phones: "${text}" is not one of stopped, all, none`);
}

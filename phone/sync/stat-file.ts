import { statV1, statV2 } from '../adb/sync-messages.js';
import { type FileStat, fileStat } from './file-stat.js';
import { SyncRefusal, type SyncSession } from './sync-session.js';

/**
 * Returns the stat of a path, or of a link's target where `follow` is true. Version 1 of the protocol cannot follow a link, except to a
 * directory; any other link stays a link.
 */
export async function statFile(
  session: SyncSession,
  path: string,
  { follow }: { follow: boolean },
): Promise<FileStat | SyncRefusal> {
  if (session.features.canUse('stat_v2')) return statV2Of(session, follow ? 'STA2' : 'LST2', path);
  const itself = await statV1Of(session, path);
  if (!follow || itself instanceof SyncRefusal || itself.kind !== 'link') return itself;
  const led = await statV1Of(session, `${path}/.`);
  return led instanceof SyncRefusal ? itself : led;
}

async function statV2Of(session: SyncSession, id: 'STA2' | 'LST2', path: string): Promise<FileStat | SyncRefusal> {
  await session.request(id, path);
  const stat = statV2.read(await session.reader.exactly(statV2.sizeBytes));
  if (stat.id !== id) throw session.nonsense();
  return stat.error === 0 ? fileStat(stat, true) : new SyncRefusal(stat.error);
}

async function statV1Of(session: SyncSession, path: string): Promise<FileStat | SyncRefusal> {
  await session.request('STAT', path);
  const stat = statV1.read(await session.reader.exactly(statV1.sizeBytes));
  if (stat.id !== 'STAT') throw session.nonsense();
  const isMissing = stat.mode === 0 && stat.sizeBytes === 0 && stat.mtimeS === 0;
  return isMissing ? new SyncRefusal('No such file or directory') : fileStat(stat, false);
}

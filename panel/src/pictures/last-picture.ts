import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, type Device, type Schemas, take } from '../api/client.ts';
import type { WatchedPhone } from '../live/watched-phone.ts';
import { forgetPictures, type KeptPicture, keepPicture, readPicture } from './picture-store.ts';

/**
 * Keeps the last picture of each phone, so that it can be shown while the phone is off. The service has no picture of a phone without
 * power, so the browser keeps those that it showed. They belong to one account, and are removed when it is signed out.
 */

/** The most pixels of a picture's longer side. */
const SIDE_PX = 960;

/** The shortest time between two writes of one phone's picture while it runs, ms. */
const EVERY_MS = 20_000;

/** The number of entries of a timeline that are searched for a picture. */
const ENTRIES = 20;

/** The fields that identify a phone. A phone of the same name that is created later is another phone. */
export type Pictured = Pick<Device, 'name' | 'created_at'>;

/** The account whose pictures are kept. Undefined: nobody is signed in, and a picture that comes late is dropped. */
let owner: string | undefined;
/** The time at which the picture of a phone was last kept, by its id. */
const keptMs = new Map<string, number>();

/** Sets the account whose pictures are kept from now on. Undefined: nobody is signed in, and the kept pictures are removed. */
export function setPictureOwner(account: string | undefined): void {
  owner = account;
  keptMs.clear();
  // If the browser stores no data, this fails, and there is nothing to remove.
  if (account === undefined) forgetPictures().catch(() => undefined);
}

/** Returns the query of the last picture that this browser had of a phone; null when it had none. */
export function lastPictureQuery(account: string, device: Pictured) {
  const id = idOf(account, device);
  return queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ client }): Promise<KeptPicture | null> => {
      const read = await readPicture(id);
      // A picture that was kept while the database was read is the newer one.
      return client.getQueryData<KeptPicture | null>(keyOf(id)) ?? read ?? null;
    },
    staleTime: Infinity,
    networkMode: 'always',
    structuralSharing: false,
  });
}

/**
 * Returns the query of the newest picture's path in a phone's timeline; null when there is none. It is for browsers that never showed the
 * phone.
 */
export function timelinePictureQuery(name: string) {
  return queryOptions({
    queryKey: ['timeline-picture', name],
    queryFn: async (): Promise<string | null> => {
      const params = { path: { name }, query: { limit: ENTRIES } };
      // The response is text only where that is requested.
      const { entries } = (await take(
        api.GET('/v1/devices/{name}/timeline', { params }),
      )) as Schemas['ListTimelineResult'];
      return entries.find(({ after }) => after !== undefined)?.after ?? null;
    },
  });
}

/** Keeps a picture of a running phone. Most calls do nothing, because pictures come many times a minute. */
export function keepLastPicture(client: QueryClient, device: Pictured, blob: Blob): void {
  if (isDue(device)) keep(client, device, blob);
}

/** Keeps the picture of a live screen. `isLast`: this is the last picture of the screen, so it is kept in any case. */
export async function keepShown(
  client: QueryClient,
  device: Pictured,
  { phone, isLast }: { phone: WatchedPhone; isLast: boolean },
): Promise<void> {
  if (!isLast && !isDue(device)) return;
  const before = owner;
  const blob = await phone.picture(SIDE_PX);
  if (blob !== undefined && owner === before) keep(client, device, blob);
}

function isDue(device: Pictured): boolean {
  return owner !== undefined && Date.now() - (keptMs.get(idOf(owner, device)) ?? 0) >= EVERY_MS;
}

function keep(client: QueryClient, device: Pictured, blob: Blob): void {
  if (owner === undefined) return;
  const id = idOf(owner, device);
  const kept: KeptPicture = { blob, atMs: Date.now() };
  keptMs.set(id, kept.atMs);
  client.setQueryData(keyOf(id), kept);
  // If the browser cannot store the picture, the page has it until it is closed.
  keepPicture(id, blob).catch(() => undefined);
}

function keyOf(id: string): readonly string[] {
  return ['last-picture', id];
}

function idOf(account: string, { name, created_at }: Pictured): string {
  return `${account} ${name} ${created_at}`;
}

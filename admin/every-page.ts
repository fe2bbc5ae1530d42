import type { Client } from '@connectrpc/connect';
import type { AdminService, OwnedDevice } from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';

type Admin = Client<typeof AdminService>;

/** Items of a page when all pages are fetched. */
export const MAX_PAGE_ITEMS = 200;

/** Returns the e-mail address of the one account that has a device of this name. */
export async function accountWith(admin: Admin, name: string): Promise<string> {
  const [one, other] = (await everyDevice(admin)).filter(({ device }) => device?.name === name);
  if (one === undefined) throw new Error(`There is no device "${name}". See: device list`);
  if (other === undefined) return one.account;
  throw new Error(`Several accounts have a device "${name}". Name one with --account. See: device list`);
}

/** Returns the devices of all accounts, oldest first. */
export function everyDevice(admin: Admin): Promise<OwnedDevice[]> {
  return everyPage(
    (page) => admin.listAllDevices(page),
    ({ devices }) => devices,
  );
}

/** Returns the items of all pages. */
export async function everyPage<A extends { nextCursor?: string | undefined }, T>(
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<A>,
  itemsOf: (response: A) => T[],
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const response = await fetchPage({ limit: MAX_PAGE_ITEMS, ...(cursor !== undefined && { cursor }) });
    items.push(...itemsOf(response));
    cursor = response.nextCursor;
  } while (cursor !== undefined);
  return items;
}

/** Documents of each collection: those of `TENANTS` accounts, of equal shares, in turn. */
export const DOCUMENTS = 300;
export const TENANTS = 5;

/** Documents of one account, or of another owner of an equal share. */
export const OF_TENANT = DOCUMENTS / TENANTS;

/** Hosts, of equal shares too, and each with documents of all accounts. */
export const HOSTS = 3;
export const OF_HOST = DOCUMENTS / HOSTS;

/** The place of a document: `at` among all of them, `number` among those of its account. */
export interface Place {
  at: number;
  number: number;
  accountId: string;
  hostId: string;
}

/** Returns a document for each place. */
export function filled<T>(make: (place: Place) => T): T[] {
  return Array.from({ length: DOCUMENTS }, (_, at) =>
    make({
      at,
      number: Math.floor(at / TENANTS),
      accountId: `acc_${at % TENANTS}`,
      hostId: `host_${Math.floor(at / OF_HOST)}`,
    }),
  );
}

/** An id that sorts by its number. */
export function idOf(prefix: string, number: number): string {
  return `${prefix}_${String(number).padStart(4, '0')}`;
}

/** A minute for each number, from the epoch on. */
export function minuteOf(number: number): Date {
  return new Date(number * 60_000);
}

/** The first of the documents that `is` is true for. */
export function first<T>(documents: readonly T[], is: (document: T) => boolean): T {
  const found = documents.find(is);
  if (found === undefined) throw new Error('no document of the test is like this');
  return found;
}

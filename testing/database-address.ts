/** Returns the socket on which the embedded database of a connection string listens, for clients that do not use the driver of MongoDB. */
export function databaseAddress(url: string): { path: string } {
  return { path: decodeURIComponent(new URL(url).hostname) };
}

/** Returns where the embedded database with this connection string listens, for clients without the driver. */
export function databaseAddress(url: string): { path: string } {
  return { path: decodeURIComponent(new URL(url).hostname) };
}

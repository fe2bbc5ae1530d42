const compiled = new URL('../../', import.meta.url);

/** The programs of the image by their words. `start` is all services in one process, as `npm start` runs them. */
export const programs: ReadonlyMap<string, URL> = new Map(
  Object.entries({
    start: 'start.js',
    gateway: 'gateway/main.js',
    device: 'device-service/main.js',
    screen: 'screen-service/main.js',
    relay: 'relay-service/main.js',
    webhook: 'webhook-service/main.js',
    status: 'status-service/main.js',
    admin: 'admin/main.js',
    live: 'deploy/live/main.js',
  }).map(([name, path]) => [name, new URL(path, compiled)]),
);

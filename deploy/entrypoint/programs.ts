const compiled = new URL('../../', import.meta.url);

/**
 * The programs of the image by their names on the command line. `start` runs all services in one process, as `npm start` does. `gate` and
 * `copy` run in pods that the device service makes.
 */
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
    gate: 'phone/kubernetes/gate/main.js',
    copy: 'phone/kubernetes/copy/main.js',
  }).map(([name, path]) => [name, new URL(path, compiled)]),
);

import type { SettingGroup } from './setting.js';

/** Where services listen, and how customers reach them. */
export const ADDRESSES = {
  title: 'Addresses and ports',
  settings: [
    {
      name: 'PORT',
      fallback: '`8080`',
      meaning:
        'REST and the panel. 0 picks a free port, and then every other port is picked free too, so that a second installation runs beside the first.',
    },
    {
      name: 'HOST',
      fallback: '`127.0.0.1`',
      meaning:
        'Address to listen on. An address beyond loopback needs `MESH_TOKEN` or certificates. It also needs https: by `TLS_CERT`, or by a proxy in front that `PUBLIC_URL` names. Without https the start logs a warning.',
    },
    { name: 'GATEWAY_HOST', fallback: '`127.0.0.1`', meaning: 'In place of `HOST`, where the gateway runs alone.' },
    {
      name: 'DEVICE_HOST',
      fallback: '`127.0.0.1`',
      meaning: 'In place of `HOST`, where the device service runs alone.',
    },
    {
      name: 'SCREEN_HOST',
      fallback: '`127.0.0.1`',
      meaning: 'In place of `HOST`, where the screen service runs alone.',
    },
    {
      name: 'RELAY_GRPC_HOST',
      fallback: '`127.0.0.1`',
      meaning: 'In place of `HOST`, for the gRPC port of a relay service that runs alone.',
    },
    {
      name: 'WEBHOOK_HOST',
      fallback: '`127.0.0.1`',
      meaning: 'In place of `HOST`, where the webhook service runs alone.',
    },
    {
      name: 'STATUS_HOST',
      fallback: '`127.0.0.1`',
      meaning: 'In place of `HOST`, where the status service runs alone.',
    },
    {
      name: 'PUBLIC_URL',
      fallback: '(where it listens)',
      meaning:
        'Where customers reach the edge: the name in the certificate, or the proxy in front. With https, session cookies are `Secure`. Passkeys are bound to its host name; without it there are none.',
    },
    {
      name: 'ALLOWED_HOSTS',
      fallback: '(none)',
      meaning:
        'Further host names, with commas between them, that requests may have in their Host header, such as those of a load balancer, a scraper or a status check. IP addresses, `localhost`, and the names in `HOST`, `OPS_HOST` and `PUBLIC_URL` are always allowed. A request with any other name is refused with 403.',
    },
    {
      name: 'BEHIND_PROXY',
      fallback: '`off`',
      meaning:
        "Whether a proxy is in front that adds the client's address to `X-Forwarded-For`, and the scheme to `X-Forwarded-Proto`. The bounds of connections for each address (1,000 at the edge, 50 at the status page) do not hold then: the proxy has to bound them.",
    },
    {
      name: 'TLS_CERT',
      fallback: '(none)',
      meaning:
        'PEM file, with `TLS_KEY`: the edge and the status page serve https themselves, HTTP/1.1 and HTTP/2 on the same ports. Renewed files are used without a restart: [docs/tls.md](tls.md).',
    },
    { name: 'TLS_KEY', fallback: '(none)', meaning: 'PEM file with the key of `TLS_CERT`.' },
    {
      name: 'REDIRECT_PORT',
      fallback: '(none)',
      meaning: 'With `TLS_CERT`: a second port of the edge, which redirects http to https.',
    },
    {
      name: 'RELAY_HOST',
      fallback: '(`HOST`, or `127.0.0.1` alone)',
      meaning: "The host name or address that customers' adb connects to.",
    },
    {
      name: 'RELAY_LISTEN',
      fallback: '(all addresses, where `RELAY_HOST` is not loopback)',
      meaning: "Address that the ports for customers' adb listen on.",
    },
    {
      name: 'RELAY_PORTS',
      fallback: '(any free; alone `6500-6599`)',
      meaning:
        "A range of ports for customers' adb, such as `6500-6599`: so many phones can be enabled at a time, nine tenths of them by one account.",
    },
    {
      name: 'RELAY_ID',
      fallback: '(host name and port)',
      meaning: 'Name of a relay service among several on one database. It has to be the same after a restart.',
    },
    {
      name: 'RELAY_GRPC_URL',
      fallback: '(none)',
      meaning:
        'With several relay services on one database: where the others reach the gRPC port of this one, such as `http://relay-1:7003`. A client of adb through the API is led to the service that listens for its device.',
    },
    {
      name: 'STATUS_PORT',
      fallback: '`8081`',
      meaning: 'The public [status page](status.md), on a port of its own; the edge shows it too, under `/status`.',
    },
    {
      name: 'STATUS_API_URL',
      fallback: '(`PUBLIC_URL`, or where the edge listens; a status service alone: `http://127.0.0.1:8080`)',
      meaning: "Where the status page's checks reach the API, when that is another address than customers use.",
    },
  ],
} as const satisfies SettingGroup;

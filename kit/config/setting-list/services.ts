import type { SettingGroup } from './setting.js';

/** How services reach and know each other. */
export const SERVICES = {
  title: 'Between services',
  settings: [
    {
      name: 'DEVICE_GRPC_PORT',
      fallback: '`7001`',
      meaning: 'gRPC, gRPC-Web and Connect of the device service over h2c, with reflection and health.',
    },
    { name: 'SCREEN_GRPC_PORT', fallback: '`7002`', meaning: 'The same of the screen service.' },
    { name: 'RELAY_GRPC_PORT', fallback: '`7003`', meaning: 'The same of the relay service.' },
    { name: 'WEBHOOK_GRPC_PORT', fallback: '`7004`', meaning: 'The same of the webhook service.' },
    {
      name: 'DEVICE_SERVICE_URL',
      fallback: '`http://127.0.0.1:7001`',
      meaning: 'Where the others reach the device service, when services run alone.',
    },
    {
      name: 'SCREEN_SERVICE_URL',
      fallback: '(`http://127.0.0.1:7002`; status: none)',
      meaning:
        'Where the others reach the screen service. Without it a status service checks of live screens only that they are refused to strangers.',
    },
    {
      name: 'RELAY_SERVICE_URL',
      fallback: '(`http://127.0.0.1:7003`; status: none)',
      meaning: 'Where the others reach the relay service. Without it a status service does not check ADB.',
    },
    {
      name: 'WEBHOOK_SERVICE_URL',
      fallback: '`http://127.0.0.1:7004`',
      meaning: 'Where the others reach the webhook service.',
    },
    {
      name: 'STATUS_SERVICE_URL',
      fallback: '(none)',
      meaning: 'Where the gateway reaches the status service, if it is to show the status page.',
    },
    {
      name: 'MESH_TOKEN',
      fallback: '(the token in `DATA_DIR/mesh-token`)',
      hasFile: true,
      meaning:
        'Secret that the services show each other for internal rpcs; at least 32 characters, as of `openssl rand -hex 32`. On loopback the first start makes one in `DATA_DIR`; anywhere else it must be set. Two with a comma while it is replaced: the first is shown, both are accepted ([rotation](rotation.md)).',
    },
    {
      name: 'GRPC_TLS_CERT',
      fallback: '(none)',
      meaning:
        'PEM file, with `GRPC_TLS_KEY`: TLS for the gRPC ports; see [operating](operating.md#certificates-for-grpc).',
    },
    { name: 'GRPC_TLS_KEY', fallback: '(none)', meaning: 'PEM file with the key of `GRPC_TLS_CERT`.' },
    {
      name: 'GRPC_TLS_CA',
      fallback: '(none)',
      meaning: 'PEM file of an authority: services verify each other by its certificates, in place of `MESH_TOKEN`.',
    },
  ],
} as const satisfies SettingGroup;

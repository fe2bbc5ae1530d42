import type { SettingGroup } from './setting.js';

/** How processes are watched and stopped. */
export const PROCESS = {
  title: 'Logs, metrics and stops',
  settings: [
    {
      name: 'LOG_LEVEL',
      fallback: '`info`',
      meaning:
        '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, or `silent`. JSON lines on standard error, pretty on a terminal. `npm run phone` alone: `warn`.',
    },
    {
      name: 'OPS_PORT',
      fallback: '(7010; alone: device 7011, screen 7012, relay 7013, webhook 7014, status 7015)',
      meaning:
        "`/metrics` for Prometheus, `/livez` and `/readyz`, for you and not for customers. 0 picks a free port, as it does where `PORT`, or the service's own port, is 0.",
    },
    { name: 'OPS_HOST', fallback: '`127.0.0.1`', meaning: 'Address of `OPS_PORT`.' },
    {
      name: 'STOP_DELAY_MS',
      fallback: '`0`',
      meaning:
        'How long requests are still taken after a SIGTERM, while `/readyz` returns 503, for a load balancer to notice. At most 120,000.',
    },
  ],
} as const satisfies SettingGroup;

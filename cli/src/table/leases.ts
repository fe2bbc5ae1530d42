import type { Command, Option } from '../command/command.js';
import { DEVICE_OPTIONS } from './job-options.js';
import { endOptions } from './lease-options.js';
import { optional, word } from './words.js';

const section = 'Leases and pools';

const TTL: Option = {
  value: 'TIME',
  about: 'How long it holds unless it is renewed, such as 15m, which is the default; 30s to 24h',
};

export const LEASES: readonly Command[] = [
  {
    name: 'lease',
    section,
    about: 'Keep a phone for this key alone; print the phone, the lease and its end',
    arguments: [optional('DEVICE', 'device')],
    options: {
      label: { value: 'KEY:VALUE', about: 'Any free phone with this label' },
      pool: { value: 'POOL', about: 'A phone of a pool, which runs already' },
      ttl: TTL,
      wait: { value: 'TIME', about: 'How long to wait for a phone, such as 2m; not at all by default' },
      ...endOptions('Keep by default; for a phone of a pool delete'),
      note: { value: 'TEXT', about: 'What it is for, for people' },
    },
    example: 'cloudphone lease demo --ttl 15m --note "nightly run"',
    load: async () => ({ run: (await import('../leases/lease.js')).take.run }),
  },
  {
    name: 'lease renew',
    section,
    about: 'Move the end of a lease to --ttl from now',
    arguments: [word('ID')],
    options: { ttl: TTL },
    example: 'cloudphone lease renew lse_1m7x2vye5t4vyenbj210hep75 --ttl 15m',
    load: async () => ({ run: (await import('../leases/lease.js')).renew.run }),
  },
  {
    name: 'lease end',
    section,
    about: 'End a lease',
    arguments: [word('ID')],
    options: {},
    example: 'cloudphone lease end lse_1m7x2vye5t4vyenbj210hep75',
    load: async () => ({ run: (await import('../leases/lease.js')).end.run }),
  },
  {
    name: 'leases',
    section,
    about: 'List the leases of the phones that the key may see',
    arguments: [],
    options: {},
    example: 'cloudphone leases',
    load: async () => ({ run: (await import('../leases/lease.js')).list.run }),
  },
  {
    name: 'pool put',
    section,
    about: 'Make a pool of phones that are kept ready, or change it as a whole; print what it costs',
    arguments: [word('POOL')],
    options: {
      ...DEVICE_OPTIONS,
      ready: { value: 'NUMBER', about: 'How many phones run and are free, 0 to 50; 1 by default' },
      most: { value: 'NUMBER', about: 'How many phones there may be, leased ones included, 1 to 200; 50 by default' },
      app: {
        value: 'APP',
        isMany: true,
        about: 'An app for each phone, of "cloudphone apps", or my/NAME of the library',
      },
      label: { value: 'KEY:VALUE', isMany: true, about: 'A label of each phone' },
    },
    example: 'cloudphone pool put ci --model phone-720p --ready 2 --most 10',
    load: async () => ({ run: (await import('../pools/pool.js')).put.run }),
  },
  {
    name: 'pool get',
    section,
    about: 'Show one pool, its phones and what keeps it from its number',
    arguments: [word('POOL')],
    options: {},
    example: 'cloudphone pool get ci',
    load: async () => ({ run: (await import('../pools/pool.js')).get.run }),
  },
  {
    name: 'pool delete',
    section,
    about: 'Delete a pool with its free phones; leased ones go when their lease ends',
    arguments: [word('POOL')],
    options: {},
    example: 'cloudphone pool delete ci',
    load: async () => ({ run: (await import('../pools/pool.js')).remove.run }),
  },
  {
    name: 'pools',
    section,
    about: 'List the pools that the key may use',
    arguments: [],
    options: {},
    example: 'cloudphone pools',
    load: async () => ({ run: (await import('../pools/pool.js')).list.run }),
  },
];

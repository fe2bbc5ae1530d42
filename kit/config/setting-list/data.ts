import type { SettingGroup } from './setting.js';

/** Settings for the place of stored data, and for the sealing of secrets in it. */
export const DATA = {
  title: 'Data',
  settings: [
    { name: 'DATA_DIR', fallback: '`./data`', meaning: 'Everything that lasts. One service at a time.' },
    {
      name: 'MONGODB_URL',
      fallback: '(embedded)',
      hasFile: true,
      meaning:
        'A MongoDB replica set for production. Without it an embedded server keeps the data in `DATA_DIR`. Relay and webhook services that run alone need it; a gateway alone counts requests together with others by it.',
    },
    { name: 'MONGODB_DATABASE', fallback: '`cloudphone`', meaning: 'Its database.' },
    {
      name: 'HOST_ID',
      fallback: '(made up, kept in `DATA_DIR`)',
      meaning: 'Name of this machine among several on one database.',
    },
    {
      name: 'SECRETS_KEY',
      fallback: '(none)',
      hasFile: true,
      meaning:
        "64 hex digits (`openssl rand -hex 32`). With it, secrets in the database (the digests of API keys, which sign webhooks, proxies, and the steps of groups and schedules) are sealed. They are sealed from this start on and for good: keep the key, and give it to every device service on the database. Two keys with a comma while it is replaced: the first one seals, both open ([rotation](rotation.md)). Earlier unsealed secrets may be left in free space of the database's files and in backups: make new keys for those that matter. Without it, steps are sealed by a key in `DATA_DIR/steps-key`, for the embedded database alone; with `MONGODB_URL`, steps with secret texts are refused.",
    },
    {
      name: 'SNAPSHOT_STORE',
      fallback: '(none)',
      meaning:
        'A bucket, such as `s3://my-bucket/snapshots`, to which snapshots are copied so that they outlive their host: [docs/snapshots.md](snapshots.md#copies-in-a-bucket). The same for every device service on the database.',
    },
    {
      name: 'SNAPSHOT_STORE_ENDPOINT',
      fallback: "(Amazon's, of the region)",
      meaning: 'The URL of a server of S3 that is not Amazon.',
    },
    { name: 'SNAPSHOT_STORE_REGION', fallback: '`us-east-1`', meaning: 'The region of the bucket.' },
    {
      name: 'SNAPSHOT_STORE_KEY_ID',
      fallback: "(those of the machine's role)",
      meaning: 'The id of the access key for the bucket, with `SNAPSHOT_STORE_SECRET`.',
    },
    {
      name: 'SNAPSHOT_STORE_SECRET',
      fallback: '(none)',
      hasFile: true,
      meaning: 'The secret of that access key.',
    },
    {
      name: 'TIMELINE_DAYS',
      fallback: '`7`',
      meaning:
        'How many days [timelines](timeline.md) are kept, 1 to 3,650. The same for every device service of a database.',
    },
    {
      name: 'TIMELINE_MB',
      fallback: '`500`',
      meaning:
        'MiB that the timelines of an account may take, 1 to 1,000,000; the oldest entries go first. The same for every device service of a database.',
    },
    {
      name: 'RECORDING_DAYS',
      fallback: '`7`',
      meaning:
        'How many days [recordings](recordings.md) are kept after their end, 1 to 3,650. The same for every device service of a database.',
    },
    {
      name: 'LIBRARY_DAYS',
      fallback: '`90`',
      meaning:
        'How many days [apps of libraries](apps.md#the-library) are kept without use, 0 to 3,650; 0: always. The same for every device service of a database.',
    },
    {
      name: 'CATALOG_DIR',
      fallback: '(three demo apps)',
      meaning: 'The apps that are on offer, as files: [docs/apps.md](apps.md).',
    },
  ],
} as const satisfies SettingGroup;

import type { SettingGroup } from './setting.js';

/** Settings of simulated phones, which run as a part of the service or alone. */
export const SIMULATED = {
  title: 'Simulated phones',
  settings: [
    { name: 'SIMULATED_BOOT_MS', fallback: '`800`', meaning: 'Length of a simulated boot, ms.' },
    {
      name: 'SIMULATED_APPS_DIR',
      fallback: '(none)',
      meaning:
        'Folder of further apps that the phones have, whose code runs in their processes: [apps of your own](phone.md#apps-of-your-own).',
    },
    {
      name: 'SIMULATED_STORAGE_MB',
      fallback: '`4096`',
      meaning:
        "MiB of a phone's storage, where each file, folder and link counts 4 KiB beside its content and 100,000 fit at most.",
    },
    {
      name: 'SIMULATED_GRACE_MS',
      fallback: '`30000`',
      meaning: 'How long phones go on without a service to look after them, ms.',
    },
    {
      name: 'SIMULATED_PROCESSES',
      fallback: '(one for each core)',
      meaning: 'Processes that simulated phones are spread over, 1 to 256.',
    },
    {
      name: 'SIMULATED_MEMORY_MB',
      fallback: '`1024`',
      meaning: 'MiB that the phones of one process may hold for their clients.',
    },
    {
      name: 'FFMPEG',
      fallback: '`ffmpeg`',
      meaning:
        'Name or path of the program that simulated phones encode video with; without it they have none. [Recordings](recordings.md) of phones without video are made with it too.',
    },
  ],
} as const satisfies SettingGroup;

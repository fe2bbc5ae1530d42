import { namesRead } from '../../kit/config/names-read.js';
import type { Setting } from '../../kit/config/setting-list/setting.js';
import { SETTING_GROUPS } from '../../kit/config/setting-list/setting-list.js';
import { READERS } from './readers.js';

/** Writes docs/settings.md. It runs the readers of each program to find out which programs read a setting. */
export function settingsPage(): string {
  const read = Object.entries(READERS).map(
    ([program, readers]) => [program, new Set(readers.flatMap((reader) => [...namesRead(reader)]))] as const,
  );
  const programsOf = ({ name }: Setting): string =>
    read.flatMap(([program, names]) => (names.has(name) ? [program] : [])).join(', ');
  const row = (setting: Setting): string =>
    `| ${namesOf(setting)} | ${setting.fallback} | ${setting.meaning} | ${programsOf(setting)} |`;
  const groups = SETTING_GROUPS.map(({ title, settings }) =>
    [`## ${title}`, '', '| Name | Default | Meaning | Read by |', '|---|---|---|---|', ...settings.map(row)].join('\n'),
  );
  return `${HEAD}\n${groups.join('\n\n')}\n\n${CLIENTS}`;
}

function namesOf({ name, hasFile }: Setting): string {
  return hasFile === true ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
}

const HEAD = `# Settings

<!-- Written by \`npm run settings\` from kit/config/setting-list/. -->

Every setting of the service is an environment variable; \`npm start -- --help\` prints those of \`npm start\`. A start that finds a fault lists
all of them, and all ports that other programs have. A variable that is one or two letters from a setting, and so has no effect, is a warning
in the log.

- **On and off** are also \`true\` and \`false\`, \`1\` and \`0\`, where the default is \`on\` or \`off\` and no other words are named.
- **Secrets** have a second name that ends in \`_FILE\`: a file whose one line is the secret, as container engines and systemd hand secrets
  over. It is read at the start.
- **Read by** names the programs: \`start\` is \`npm start\` with all services in one process. \`gateway\`, \`device\`, \`screen\`, \`relay\`, \`webhook\`
  and \`status\` are the services alone (\`npm run start:gateway\` and so on, after \`npm run build\`), for several machines on one database.
  \`admin\` is the operator's command, and \`phone\` is \`npm run phone\`, one simulated phone. \`gate\` runs beside Android in a pod.
- Settings of Docker's Compose and of the Helm chart: [containers](containers.md), [Kubernetes](kubernetes.md).
`;

const CLIENTS = `## Programs that use the service

All samples, the MCP server and \`npm run check-phones\` read these. The client libraries read nothing: programs hand them address and key.

| Name | Default | Meaning | Read by |
|---|---|---|---|
| \`CLOUDPHONE_URL\` | must be set | Base URL of the service, with \`/v1\`, such as \`http://127.0.0.1:8080/v1\`. | samples, mcp, check-phones |
| \`CLOUDPHONE_KEY\` | must be set | An API key. | samples, mcp, check-phones |
| \`CLOUDPHONE_DEVICE\` | (none) | The phone of calls that name none. | samples, mcp |
`;

import {
  DrainHostResponseSchema,
  ForgetHostResponseSchema,
  ListHostsResponseSchema,
  SealSecretsResponseSchema,
} from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { formatTimestamp } from '../kit/json/timestamp.js';
import { output, tableOf } from './output.js';
import type { Commands } from './services.js';

/** The commands for hosts, and for secrets in the database. */
export const hostCommands: Commands = {
  'host list': async ({ admin }) => {
    const { hosts } = await admin.listHosts({});
    const rows = hosts.map((host) => [
      host.id,
      host.state,
      host.seenAt === undefined ? '' : formatTimestamp(host.seenAt),
      String(host.devices),
      `${host.freeMemoryMb} MiB`,
      `${host.freeDiskMb} MiB`,
      host.drivers.join(','),
    ]);
    const heads = ['HOST', 'STATE', 'LAST SEEN', 'DEVICES', 'FREE MEMORY', 'FREE DISK', 'PHONES'];
    const table = tableOf(ListHostsResponseSchema, { hosts }, heads, rows);
    const problems = hosts.flatMap(({ id, problems: lines }) => lines.map((line) => `${id}: ${line}\n`));
    return { ...table, text: [table.text, ...problems].join('') };
  },

  'host drain': async ({ admin }, { id = '', undo, move, now }) => {
    if (undo !== undefined && undo !== 'yes') throw new Error(`--undo: "${undo}" is not yes`);
    if (undo !== undefined && move !== undefined) throw new Error('--undo and --move exclude each other');
    if (now !== undefined && move === undefined) throw new Error('--now: only with --move');
    const response = await admin.drainHost({
      ...{ id, undo: undo === 'yes', move: move === 'yes', now: now === 'yes' },
    });
    const { devices } = response;
    const which = now === 'yes' ? 'at once' : 'as soon as each is stopped';
    const moving =
      move === 'yes' ? ` Its ${devices} devices move to other hosts, ${which}. See: host list, job list\n` : '\n';
    const text = undo === 'yes' ? `${id} gets new devices again.\n` : `${id} gets no new devices from now on.${moving}`;
    return output(DrainHostResponseSchema, response, text);
  },

  'secrets seal': async ({ admin }) => {
    const response = await admin.sealSecrets({});
    const rows = response.kinds.map((each) => [each.kind, ...[each.sealed, each.again, each.unreadable].map(String)]);
    const heads = ['SECRETS', 'SEALED', 'AGAIN', 'UNREADABLE'];
    const result = tableOf(SealSecretsResponseSchema, response, heads, rows);
    if (response.kinds.some(({ unreadable }) => unreadable > 0))
      return {
        ...result,
        failure:
          'No key of SECRETS_KEY opens the unreadable secrets. Keep every key that you have, and start the device services with the one ' +
          'that these were sealed with as the second key.',
      };
    const done = response.kinds.every(({ again }) => again === 0);
    const next = done
      ? 'Every secret is sealed with the first key: SECRETS_KEY needs no second one.\n'
      : 'Run this command again: when AGAIN is 0 everywhere, SECRETS_KEY needs no second key.\n';
    return { ...result, text: result.text + next };
  },

  'host forget': async ({ admin }, { id = '' }) => {
    const response = await admin.forgetHost({ id });
    const text = `${id} is forgotten. Devices lost with it: ${response.devices}.\n`;
    return output(ForgetHostResponseSchema, response, text);
  },
};

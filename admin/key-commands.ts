import {
  CreateAccountKeyResponseSchema,
  ListAccountKeysResponseSchema,
} from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScopeSchema } from '../proto/gen/cloudphone/access/v1/key_pb.js';
import { formatTimestamp } from '../kit/json/timestamp.js';
import { wordOf } from '../kit/text/wire-words.js';
import { everyPage } from './every-page.js';
import { wordOption, timeOption } from './options.js';
import { output, tableOf } from './output.js';
import type { Commands } from './services.js';

/** The commands for API keys. */
export const keyCommands: Commands = {
  'key create': async ({ admin }, { account = '', name = '', scope = '', devices = '', ...options }) => {
    const { expires, allow, 'webhook-url': webhookUrl } = options;
    const response = await admin.createAccountKey({
      email: account,
      name,
      scope: wordOption(KeyScopeSchema, 'scope', scope),
      devices: devices.split(',').map((device) => device.trim()),
      ...(webhookUrl !== undefined && { webhookUrl }),
      ...(expires !== undefined && { expiresAt: timeOption('expires', expires) }),
      ...(allow !== undefined && { allow: allow.split(',').map((entry) => entry.trim()) }),
    });
    return output(CreateAccountKeyResponseSchema, response, `${response.key?.key ?? ''}\n`);
  },

  'key list': async ({ admin }, { account = '' }) => {
    const keys = await everyPage(
      (page) => admin.listAccountKeys({ email: account, ...page }),
      ({ keys }) => keys,
    );
    const rows = keys.map((key) => [
      key.id,
      key.prefix,
      wordOf(KeyScopeSchema, key.scope),
      key.devicesLabel ?? key.devices.join(','),
      key.lastUsedAt === undefined ? 'never' : formatTimestamp(key.lastUsedAt),
      key.name,
    ]);
    const heads = ['ID', 'PREFIX', 'SCOPE', 'DEVICES', 'LAST USED', 'NAME'];
    return tableOf(ListAccountKeysResponseSchema, { keys }, heads, rows);
  },

  'key revoke': async ({ admin }, { id = '' }) => {
    await admin.revokeAccountKey({ id });
    return { json: JSON.stringify({ revoked: id }), text: `revoked ${id}\n` };
  },
};

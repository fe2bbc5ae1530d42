import {
  create,
  type DescEnum,
  type DescMessage,
  type EnumShape,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { createJsonEncoders } from '../kit/json/encode.js';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { formatTimestamp, parseTimestamp } from '../kit/json/timestamp.js';
import { enumOf, valueOfWord, wordOf, wordsOf } from '../kit/text/wire-words.js';
import type { Account } from '../proto/gen/cloudphone/access/v1/account_pb.js';
import {
  type AdminService,
  CreateAccountKeyResponseSchema,
  AllowProviderResponseSchema,
  CreateAccountResponseSchema,
  CreatePasswordLinkResponseSchema,
  CreateSignInLinkResponseSchema,
  CreditAccountResponseSchema,
  ListAccountKeysResponseSchema,
  ListAccountsResponseSchema,
  ListAllDevicesResponseSchema,
  DrainHostResponseSchema,
  ForgetHostResponseSchema,
  ListAllJobsResponseSchema,
  ListHostsResponseSchema,
  MoveDeviceResponseSchema,
  DeleteAccountResponseSchema,
  DeleteOwnedDeviceResponseSchema,
  DisableAccountResponseSchema,
  EnableAccountResponseSchema,
  RemoveSecondFactorsResponseSchema,
  ResetPasswordResponseSchema,
  SealSecretsResponseSchema,
  SendTestMailResponseSchema,
  SetAccountQuotasResponseSchema,
  StopOwnedDeviceResponseSchema,
} from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScopeSchema } from '../proto/gen/cloudphone/access/v1/key_pb.js';
import { DeviceStateSchema } from '../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobKindSchema, JobStateSchema } from '../proto/gen/cloudphone/device/v1/job_pb.js';
import {
  ListRelaysResponseSchema,
  type RelayAdminService,
} from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { accountWith, everyDevice, everyPage, MAX_PAGE_ITEMS } from './every-page.js';
import { createTable } from './table.js';
import { upgradeImages } from './upgrade-images.js';
import type { Words } from './words.js';

type Admin = Client<typeof AdminService>;

export interface Services {
  admin: Admin;
  relays: Client<typeof RelayAdminService>;
  /** Called when a command needs a password that was not given. */
  readPassword: () => Promise<string>;
  wait: (ms: number) => Promise<void>;
  /** Gets a line about what a command that takes long does. It is not part of its output. */
  onLine: (line: string) => void;
}

/** The output of a command: JSON on one line, and text for people. */
export interface Output {
  json: string;
  text: string;
  /** Why the command failed all the same, and what to do. Absent: it did not. */
  failure?: string;
}

/** How long an account's devices are waited for: ten minutes, which is far more than a job takes on a host that is there. */
const TRIES = 1_200;
const WAIT_MS = 500;

const encoderFor = createJsonEncoders();

/** Runs a command of a running service. Throws the service's refusals. */
export function runCommand(services: Services, { command, options }: Words): Promise<Output> {
  const run = serviceCommands[command];
  if (run === undefined) throw new Error(`no command ${command}`);
  return run(services, options);
}

/** The function of each command. Its options are those that words.ts lists for the command; required options are always given. */
const serviceCommands: Record<string, (services: Services, options: Words['options']) => Promise<Output>> = {
  'account create': async ({ admin, readPassword }, { email = '', password }) => {
    const response = await admin.createAccount({ email, password: password ?? (await readPassword()) });
    return output(CreateAccountResponseSchema, response, accountLine(response.account));
  },

  'account password': async ({ admin, readPassword }, { email = '', password }) => {
    const response = await admin.resetPassword({ email, password: password ?? (await readPassword()) });
    const text = `${email} has a new password; the person's sessions have ended.\n`;
    return output(ResetPasswordResponseSchema, response, text);
  },

  'account second-factor remove': async ({ admin }, { email = '' }) => {
    const response = await admin.removeSecondFactors({ email });
    const text = `${email} has no second factor now (${response.removed} removed); the person's sessions have ended.\n`;
    return output(RemoveSecondFactorsResponseSchema, response, text);
  },

  'account password-link': async ({ admin }, { email = '' }) => {
    const response = await admin.createPasswordLink({ email });
    const { url, expiresAt } = response;
    const where = url.startsWith('/') ? ' (after the address of the control panel)' : '';
    const until = expiresAt === undefined ? '' : formatTimestamp(expiresAt);
    const text = `${url}${where}\nIt works once, until ${until}. Give it to ${email} alone.\n`;
    return output(CreatePasswordLinkResponseSchema, response, text);
  },

  'mail test': async ({ admin }, { to = '' }) => {
    const response = await admin.sendTestMail({ to });
    return output(SendTestMailResponseSchema, response, `The mail server took the mail: ${response.response}\n`);
  },

  'account sign-in-link': async ({ admin }, { email = '' }) => {
    const response = await admin.createSignInLink({ email });
    return output(CreateSignInLinkResponseSchema, response, `${response.url}\n`);
  },

  'account allow-provider': async ({ admin }, { email = '' }) => {
    const response = await admin.allowProvider({ email });
    const text = `The next sign-in by the identity provider with the verified address ${email} is this person.\n`;
    return output(AllowProviderResponseSchema, response, text);
  },

  'account credit': async ({ admin }, { email = '', amount = '', id }) => {
    const response = await admin.creditAccount({ email, amount, ...(id !== undefined && { id }) });
    return output(CreditAccountResponseSchema, response, accountLine(response.account));
  },

  'account list': async ({ admin }) => {
    const found = await everyPage(
      (page) => admin.listAccounts(page),
      ({ accounts, disabled }) =>
        accounts.map((account) => ({ account, state: disabled.includes(account.email) ? 'disabled' : 'active' })),
    );
    const rows = found.map(({ account: { email, balance, trial }, state }) => [
      ...[email, balance, String(trial?.minutesLeft ?? 0), state],
    ]);
    const accounts = found.map(({ account }) => account);
    const disabled = found.flatMap(({ account, state }) => (state === 'disabled' ? [account.email] : []));
    const heads = ['E-MAIL', 'BALANCE', 'TRIAL MINUTES', 'STATE'];
    return tableOf(ListAccountsResponseSchema, { accounts, disabled }, heads, rows);
  },

  'account disable': async ({ admin, wait }, { email = '' }) => {
    let stopping = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const response = await admin.disableAccount({ email });
      stopping += response.stopping;
      if (response.busy.length === 0) {
        const text = `${email} is disabled; devices being stopped: ${stopping}.\n`;
        return output(DisableAccountResponseSchema, { ...response, stopping }, text);
      }
      await wait(WAIT_MS);
    }
    throw new Error(
      `${email} is disabled, but devices of it are busy and run. Repeat this; see: job list --state running`,
    );
  },

  'account enable': async ({ admin }, { email = '' }) => {
    const response = await admin.enableAccount({ email });
    return output(EnableAccountResponseSchema, response, accountLine(response.account));
  },

  'account delete': async ({ admin, wait }, { email = '' }) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const response = await admin.deleteAccount({ email });
      if (response.devices === 0) return output(DeleteAccountResponseSchema, response, `${email} is deleted.\n`);
      await wait(WAIT_MS);
    }
    throw new Error(`Devices of ${email} are still being deleted. Repeat this; see: job list --state running`);
  },

  'account quota': async ({ admin }, { email = '', devices, 'storage-gb': storageGb }) => {
    const response = await admin.setAccountQuotas({
      email,
      ...(devices !== undefined && { devices: numberOption('devices', devices) }),
      ...(storageGb !== undefined && { storageGb: numberOption('storage-gb', storageGb) }),
    });
    const { devices: most, storageBytes } = response.account?.quotas ?? {};
    const text = `${email}  devices ${bound(most?.most)}, storage ${bound(storageBytes?.most && storageBytes.most / 1e9)} GB\n`;
    return output(SetAccountQuotasResponseSchema, response, text);
  },

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

  'device list': async ({ admin }) => {
    const devices = await everyDevice(admin);
    const rows = devices.map(({ account, host, device }) => [
      account,
      device?.name ?? '',
      wordOf(DeviceStateSchema, device?.state ?? 0),
      device?.model ?? '',
      host,
    ]);
    const heads = ['ACCOUNT', 'DEVICE', 'STATE', 'MODEL', 'HOST'];
    return tableOf(ListAllDevicesResponseSchema, { devices }, heads, rows);
  },

  'device stop': async ({ admin }, { account = '', name = '' }) => {
    const response = await admin.stopOwnedDevice({ email: account, name });
    return output(StopOwnedDeviceResponseSchema, response, `${name} is being stopped, by ${response.job?.id ?? ''}\n`);
  },

  'device delete': async ({ admin }, { account = '', name = '' }) => {
    const response = await admin.deleteOwnedDevice({ email: account, name });
    return output(
      DeleteOwnedDeviceResponseSchema,
      response,
      `${name} is being deleted, by ${response.job?.id ?? ''}\n`,
    );
  },

  'device move': async ({ admin }, { name = '', to = '', account, now }) => {
    const email = account ?? (await accountWith(admin, name));
    const response = await admin.moveDevice({ email, name, to, now: now === 'yes' });
    const text = `${name} moves to ${to}, by ${response.job?.id ?? ''}\n`;
    return output(MoveDeviceResponseSchema, response, text);
  },

  'device upgrade-image': (services, options) => upgradeImages(services, options),

  'job list': async ({ admin }, { state }) => {
    const wanted = state === undefined ? undefined : wordOption(JobStateSchema, 'state', state);
    const response = await admin.listAllJobs({ limit: MAX_PAGE_ITEMS, ...(wanted !== undefined && { state: wanted }) });
    const rows = response.jobs.map(({ account, job }) => [
      account,
      job?.id ?? '',
      wordOf(JobKindSchema, job?.kind ?? 0),
      wordOf(JobStateSchema, job?.state ?? 0),
      job?.device ?? '',
      job?.createdAt === undefined ? '' : formatTimestamp(job.createdAt),
      job?.finishedAt === undefined ? '' : formatTimestamp(job.finishedAt),
      (job?.error?.message ?? '').replace(/\s+/g, ' '),
    ]);
    const heads = ['ACCOUNT', 'JOB', 'KIND', 'STATE', 'DEVICE', 'BEGUN', 'ENDED', 'ERROR'];
    return tableOf(ListAllJobsResponseSchema, response, heads, rows);
  },

  'relay list': async ({ admin, relays: service }) => {
    const { relays } = await service.listRelays({});
    const devices = relays.length === 0 ? [] : await everyDevice(admin);
    const emails = new Map(devices.map(({ accountId, account }) => [accountId, account]));
    const rows = relays.map(({ device, accountId, adb }) => [
      `${adb?.host ?? ''}:${adb?.port ?? ''}`,
      device,
      emails.get(accountId) ?? accountId,
      String(adb?.sessions.length ?? 0),
      adb?.expiresAt === undefined ? '' : formatTimestamp(adb.expiresAt),
    ]);
    return tableOf(ListRelaysResponseSchema, { relays }, ['ADDRESS', 'DEVICE', 'ACCOUNT', 'SESSIONS', 'UNTIL'], rows);
  },

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

function wordOption<D extends DescEnum>(desc: D, name: string, word: string): EnumShape<D> {
  if (valueOfWord(desc, word) !== undefined) return enumOf(desc, word);
  throw new Error(`--${name}: "${word}" is not one of ${wordsOf(desc).join(', ')}`);
}

function timeOption(name: string, text: string): Timestamp {
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  throw new Error(`--${name}: "${text}" is not a time such as 2027-11-20T17:00:00Z`);
}

function numberOption(name: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`--${name}: "${text}" is not a whole number from 0 to 1000000`);
}

function bound(most: number | undefined): string {
  return most === undefined ? 'without bound' : `up to ${most}`;
}

function accountLine(account: Account | undefined): string {
  return `${account?.email ?? ''}  balance ${account?.balance ?? ''} USD\n`;
}

function output<D extends DescMessage>(schema: D, message: MessageShape<D>, text: string): Output {
  return { json: encoderFor(schema)(message), text };
}

/** A list: as a response in JSON, as a table for people. */
function tableOf<D extends DescMessage>(
  schema: D,
  init: MessageInitShape<D>,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): Output {
  return output(schema, create(schema, init), createTable(heads, rows));
}

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
import { enumOf, valueOfWord, wordOf, wordsOf } from '../kit/wire-words.js';
import type { Account } from '../proto/gen/cloudphone/access/v1/account_pb.js';
import {
  type AdminService,
  CreateAccountKeyResponseSchema,
  CreateAccountResponseSchema,
  CreditAccountResponseSchema,
  ListAccountKeysResponseSchema,
  ListAccountsResponseSchema,
  ListAllDevicesResponseSchema,
  DrainHostResponseSchema,
  ForgetHostResponseSchema,
  ListAllJobsResponseSchema,
  ListHostsResponseSchema,
  type OwnedDevice,
} from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScopeSchema } from '../proto/gen/cloudphone/access/v1/key_pb.js';
import { DeviceStateSchema } from '../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobKindSchema, JobStateSchema } from '../proto/gen/cloudphone/device/v1/job_pb.js';
import {
  ListRelaysResponseSchema,
  type RelayAdminService,
} from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { createTable } from './table.js';
import type { Words } from './words.js';

type Admin = Client<typeof AdminService>;

/** Formats the output of a command: JSON on one line, or text for people. */
export interface Output {
  json: string;
  text: string;
}

/** Items of a page when all pages are fetched. */
const PAGE = 200;

const encoderFor = createJsonEncoders();

/** Runs a command. `readPassword` is called when the password was not given. Throws the service's refusals. */
export function runCommand(
  { admin, relays }: { admin: Admin; relays: Client<typeof RelayAdminService> },
  { command, options }: Words,
  readPassword: () => Promise<string>,
): Promise<Output> {
  const option = (name: string): string => options[name] ?? '';
  switch (command) {
    case 'account create':
      return createAccount(admin, option('email'), options['password'], readPassword);
    case 'account credit':
      return creditAccount(admin, option('email'), option('amount'), options['id']);
    case 'account list':
      return listAccounts(admin);
    case 'key create':
      return createKey(admin, options);
    case 'key list':
      return listKeys(admin, option('account'));
    case 'key revoke':
      return revokeKey(admin, option('id'));
    case 'device list':
      return listDevices(admin);
    case 'job list':
      return listJobs(admin, options['state']);
    case 'host list':
      return listHosts(admin);
    case 'host drain':
      return drainHost(admin, option('id'), options['undo']);
    case 'host forget':
      return forgetHost(admin, option('id'));
    case 'relay list':
      return listRelays(relays, admin);
    default:
      throw new Error(`no command ${command}`);
  }
}

async function createAccount(
  admin: Admin,
  email: string,
  given: string | undefined,
  readPassword: () => Promise<string>,
): Promise<Output> {
  const response = await admin.createAccount({ email, password: given ?? (await readPassword()) });
  return output(CreateAccountResponseSchema, response, accountLine(response.account));
}

async function creditAccount(admin: Admin, email: string, amount: string, id: string | undefined): Promise<Output> {
  const response = await admin.creditAccount({ email, amount, ...(id !== undefined && { id }) });
  return output(CreditAccountResponseSchema, response, accountLine(response.account));
}

async function listAccounts(admin: Admin): Promise<Output> {
  const accounts = await everyPage(
    (page) => admin.listAccounts(page),
    ({ accounts }) => accounts,
  );
  const rows = accounts.map(({ email, balance, trial }) => [email, balance, String(trial?.minutesLeft ?? 0)]);
  return outputOf(ListAccountsResponseSchema, { accounts }, createTable(['E-MAIL', 'BALANCE', 'TRIAL MINUTES'], rows));
}

async function createKey(admin: Admin, options: Words['options']): Promise<Output> {
  const { account: email = '', name = '', scope = '', devices = '', 'webhook-url': webhookUrl } = options;
  const response = await admin.createAccountKey({
    email,
    name,
    scope: wordOption(KeyScopeSchema, 'scope', scope),
    devices: devices.split(',').map((device) => device.trim()),
    ...(webhookUrl !== undefined && { webhookUrl }),
  });
  return output(CreateAccountKeyResponseSchema, response, `${response.key?.key ?? ''}\n`);
}

async function listKeys(admin: Admin, email: string): Promise<Output> {
  const keys = await everyPage(
    (page) => admin.listAccountKeys({ email, ...page }),
    ({ keys }) => keys,
  );
  const rows = keys.map((key) => [
    key.id,
    key.prefix,
    wordOf(KeyScopeSchema, key.scope),
    key.devices.join(','),
    key.lastUsedAt === undefined ? 'never' : new Date(Number(key.lastUsedAt.seconds) * 1000).toISOString(),
    key.name,
  ]);
  return outputOf(
    ListAccountKeysResponseSchema,
    { keys },
    createTable(['ID', 'PREFIX', 'SCOPE', 'DEVICES', 'LAST USED', 'NAME'], rows),
  );
}

async function revokeKey(admin: Admin, id: string): Promise<Output> {
  await admin.revokeAccountKey({ id });
  return { json: JSON.stringify({ revoked: id }), text: `revoked ${id}\n` };
}

function everyDevice(admin: Admin): Promise<OwnedDevice[]> {
  return everyPage(
    (page) => admin.listAllDevices(page),
    ({ devices }) => devices,
  );
}

async function listDevices(admin: Admin): Promise<Output> {
  const devices = await everyDevice(admin);
  const rows = devices.map(({ account, host, device }) => [
    account,
    device?.name ?? '',
    wordOf(DeviceStateSchema, device?.state ?? 0),
    device?.model ?? '',
    host,
  ]);
  return outputOf(
    ListAllDevicesResponseSchema,
    { devices },
    createTable(['ACCOUNT', 'DEVICE', 'STATE', 'MODEL', 'HOST'], rows),
  );
}

async function listJobs(admin: Admin, state: string | undefined): Promise<Output> {
  const wanted = state === undefined ? undefined : wordOption(JobStateSchema, 'state', state);
  const response = await admin.listAllJobs({ limit: PAGE, ...(wanted !== undefined && { state: wanted }) });
  const rows = response.jobs.map(({ account, job }) => [
    account,
    job?.id ?? '',
    wordOf(JobKindSchema, job?.kind ?? 0),
    wordOf(JobStateSchema, job?.state ?? 0),
    job?.device ?? '',
  ]);
  return output(ListAllJobsResponseSchema, response, createTable(['ACCOUNT', 'JOB', 'KIND', 'STATE', 'DEVICE'], rows));
}

async function listRelays(relays: Client<typeof RelayAdminService>, admin: Admin): Promise<Output> {
  const response = await relays.listRelays({});
  const devices = response.relays.length === 0 ? [] : await everyDevice(admin);
  const emails = new Map(devices.map(({ accountId, account }) => [accountId, account]));
  const rows = response.relays.map(({ device, accountId, adb }) => [
    `${adb?.host ?? ''}:${adb?.port ?? ''}`,
    device,
    emails.get(accountId) ?? accountId,
    String(adb?.sessions.length ?? 0),
    adb?.expiresAt === undefined ? '' : new Date(Number(adb.expiresAt.seconds) * 1000).toISOString(),
  ]);
  return output(
    ListRelaysResponseSchema,
    response,
    createTable(['ADDRESS', 'DEVICE', 'ACCOUNT', 'SESSIONS', 'UNTIL'], rows),
  );
}

async function everyPage<A extends { nextCursor?: string | undefined }, T>(
  ask: (page: { limit: number; cursor?: string }) => Promise<A>,
  itemsOf: (response: A) => T[],
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const response = await ask({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    items.push(...itemsOf(response));
    cursor = response.nextCursor;
  } while (cursor !== undefined);
  return items;
}

async function listHosts(admin: Admin): Promise<Output> {
  const response = await admin.listHosts({});
  const rows = response.hosts.map((host) => [
    host.id,
    host.state,
    host.seenAt === undefined ? '' : new Date(Number(host.seenAt.seconds) * 1000).toISOString(),
    String(host.devices),
    `${host.freeMemoryMb} MiB`,
    `${host.freeDiskMb} MiB`,
    host.drivers.join(','),
  ]);
  const table = createTable(['HOST', 'STATE', 'LAST SEEN', 'DEVICES', 'FREE MEMORY', 'FREE DISK', 'PHONES'], rows);
  return output(ListHostsResponseSchema, response, table);
}

async function drainHost(admin: Admin, id: string, undo: string | undefined): Promise<Output> {
  if (undo !== undefined && undo !== 'yes') throw new Error(`--undo: "${undo}" is not yes`);
  const response = await admin.drainHost({ id, undo: undo === 'yes' });
  const text = undo === 'yes' ? `${id} gets new devices again.\n` : `${id} gets no new devices from now on.\n`;
  return output(DrainHostResponseSchema, response, text);
}

async function forgetHost(admin: Admin, id: string): Promise<Output> {
  const response = await admin.forgetHost({ id });
  return output(ForgetHostResponseSchema, response, `${id} is forgotten. Devices lost with it: ${response.devices}.\n`);
}

function wordOption<D extends DescEnum>(desc: D, name: string, word: string): EnumShape<D> {
  if (valueOfWord(desc, word) !== undefined) return enumOf(desc, word);
  throw new Error(`--${name}: "${word}" is not one of ${wordsOf(desc).join(', ')}`);
}

function accountLine(account: Account | undefined): string {
  return `${account?.email ?? ''}  balance ${account?.balance ?? ''} USD\n`;
}

function output<D extends DescMessage>(schema: D, message: MessageShape<D>, text: string): Output {
  return { json: encoderFor(schema)(message), text };
}

function outputOf<D extends DescMessage>(schema: D, init: MessageInitShape<D>, text: string): Output {
  return output(schema, create(schema, init), text);
}

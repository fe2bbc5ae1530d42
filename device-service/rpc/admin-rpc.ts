import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import { parseMoney } from '../../kit/money.js';
import { readPage } from '../../kit/page.js';
import type { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { accountMessage } from '../access/account-message.js';
import { revokeKey } from '../access/change-key.js';
import { deleteAccount, type DeleteParts, disableAccount, OPERATOR } from '../access/disable-account.js';
import { resetPassword, type PasswordParts } from '../access/change-password.js';
import { createKey, type KeyParts } from '../access/create-key.js';
import { keyMessage } from '../access/key-message.js';
import { listKeys } from '../access/list-keys.js';
import { createAccount, type SignUpParts } from '../access/sign-up.js';
import { credit } from '../billing/credit.js';
import type { Ledger } from '../billing/ledger.js';
import { MOST_CREDIT_MICROS } from '../billing/prices.js';
import { forgetHost, type ForgetHostParts } from '../hosts/forget-host.js';
import { listHosts } from '../hosts/list-hosts.js';
import { deviceMessage } from '../devices/device-message.js';
import { acceptJob } from '../jobs/accept-job.js';
import { jobOf } from '../jobs/job-message.js';
import { listAllJobs } from '../jobs/list-all-jobs.js';
import type { Prices } from '../billing/prices.js';
import type { Quotas } from '../quotas/quotas.js';
import type { AccountDocument } from '../store/accounts.js';
import { noSuchDevice } from '../access/visibility.js';
import type { GroupStore } from '../store/groups.js';
import type { JobStore } from '../store/jobs.js';
import { scopeWord } from './key-rpc.js';

export interface AdminParts extends SignUpParts, KeyParts, PasswordParts, DeleteParts {
  groups: GroupStore;
  jobs: JobStore;
  ledger: Ledger;
  quotas: Quotas;
  prices: Prices;
  forget: ForgetHostParts;
}

/** Unpack, call, pack: operations across accounts, for the operator's command line. */
export function adminRpc(parts: AdminParts): ServiceImpl<typeof AdminService> {
  const { accounts, devices, ledger, clock } = parts;
  const message = async (account: AccountDocument) =>
    accountMessage(parts, account, await ledger.standing(account._id));
  const accountOf = async (email: string): Promise<AccountDocument> => {
    const account = await accounts.findByEmail(email);
    if (account !== null) return account;
    throw new ApiError('not_found', `There is no account "${email}".`);
  };
  const emails = async (ids: readonly string[]): Promise<Map<string, string>> => {
    const found = await accounts.findByIds([...new Set(ids)]);
    return new Map(found.map(({ _id, email }) => [_id, email]));
  };
  const beginOn = async (kind: 'stop' | 'delete', { email, name }: { email: string; name: string }) => {
    const device = await devices.findByName((await accountOf(email))._id, name);
    if (device === null) throw noSuchDevice(name);
    return { job: jobOf(await acceptJob(parts, device, { kind, requestedBy: OPERATOR })) };
  };
  return {
    createAccount: async (request) => ({ account: await message(await createAccount(parts, request)) }),
    resetPassword: async ({ email, password }) => {
      const account = await accountOf(email);
      await resetPassword(parts, account, password);
      return { account: await message(account) };
    },
    creditAccount: async ({ email, amount, id }) => {
      const account = await accountOf(email);
      const amountMicros = parseMoney(amount);
      if (amountMicros === undefined || amountMicros === 0 || amountMicros > MOST_CREDIT_MICROS) {
        throw new ApiError('bad_request', `amount: "${amount}" is not an amount of USD such as 5.00, up to 1000000`);
      }
      await credit(parts, account._id, amountMicros, id ?? createId('cr', clock.now()));
      return { account: await message(await accountOf(email)) };
    },
    listAccounts: async (request) => {
      const { items, ...page } = await readPage(
        request,
        (limit, afterId) => accounts.list(limit, afterId),
        ({ _id }) => _id,
      );
      const disabled = items.flatMap(({ email, disabledAt }) => (disabledAt === undefined ? [] : [email]));
      return { accounts: await Promise.all(items.map(message)), disabled, ...page };
    },
    disableAccount: async ({ email }) => disableAccount(parts, await accountOf(email)),
    enableAccount: async ({ email }) => {
      await accounts.setDisabled((await accountOf(email))._id, undefined);
      parts.forgetCallers();
      return { account: await message(await accountOf(email)) };
    },
    deleteAccount: async ({ email }) => ({ devices: await deleteAccount(parts, await accountOf(email)) }),
    setAccountQuotas: async ({ email, devices: most, storageGb }) => {
      await accounts.setQuotas((await accountOf(email))._id, {
        ...(most !== undefined && { devices: most }),
        ...(storageGb !== undefined && { storageBytes: storageGb * 1e9 }),
      });
      return { account: await message(await accountOf(email)) };
    },
    stopOwnedDevice: (request) => beginOn('stop', request),
    deleteOwnedDevice: (request) => beginOn('delete', request),
    createAccountKey: async ({ email, ...request }) => {
      const { _id } = await accountOf(email);
      const { key, text } = await createKey(parts, _id, { ...request, scope: scopeWord(request.scope) });
      return { key: keyMessage(key, text) };
    },
    listAccountKeys: async ({ email, ...request }) => {
      const { items, ...page } = await listKeys(parts.keys, (await accountOf(email))._id, request);
      return { keys: items.map((key) => keyMessage(key)), ...page };
    },
    revokeAccountKey: async ({ id }) => {
      await revokeKey(parts, id);
      return {};
    },
    listAllDevices: async (request) => {
      const { items, ...page } = await readPage(
        request,
        (limit, afterId) => devices.listAll(limit, afterId),
        ({ _id }) => _id,
      );
      const owners = await emails(items.map(({ accountId }) => accountId));
      return {
        devices: items.map((device) => ({
          account: owners.get(device.accountId) ?? device.accountId,
          accountId: device.accountId,
          host: device.hostId,
          device: deviceMessage(device, clock.now()),
        })),
        ...page,
      };
    },
    listHosts: async () => ({ hosts: await listHosts(parts.forget) }),
    drainHost: async ({ id, undo }) => {
      if (!(await parts.forget.hosts.drain(id, !undo))) throw new ApiError('not_found', `There is no host "${id}".`);
      return {};
    },
    forgetHost: async ({ id }) => ({ devices: await forgetHost(parts.forget, id) }),
    listAllJobs: async (request) => {
      const jobs = await listAllJobs(parts, request);
      const owners = await emails(jobs.map(({ accountId }) => accountId));
      return { jobs: jobs.map(({ accountId, job }) => ({ account: owners.get(accountId) ?? accountId, job })) };
    },
  };
}

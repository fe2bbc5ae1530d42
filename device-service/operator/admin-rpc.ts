import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../kit/errors/api-error.js';
import { createId } from '../../kit/text/ids.js';
import { parseMoney } from '../../kit/text/money.js';
import { readPage } from '../../kit/call/page.js';
import type { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { accountMessage } from '../accounts/people/account-message.js';
import { revokeKey } from '../accounts/keys/change-key.js';
import { deleteAccount, disableAccount } from './disable-account.js';
import { resetPassword } from '../accounts/people/change-password.js';
import { passwordLink } from '../accounts/mail-flows/reset-password-by-mail.js';
import { sendTestMail } from '../accounts/mail-flows/send-test-mail.js';
import { allowProvider, createSignInLink } from '../accounts/oidc/sign-in-link.js';
import { createKey } from '../accounts/keys/create-key.js';
import { keyMessage, listKeys } from '../accounts/keys/keys.js';
import { removeAllFactors } from '../accounts/factors/remove-factor.js';
import { createAccount } from '../accounts/people/sign-up.js';
import { findPerson } from '../accounts/people/find-person.js';
import { accountMadeFor } from '../store/people.js';
import { credit } from '../accounts/billing/credit.js';
import { MAX_CREDIT_MICROS } from '../accounts/billing/prices.js';
import { holdPhone } from '../devices/phones/hold-phone.js';
import { forgetHost, type ForgetHostParts } from '../devices/hosts/forget-host.js';
import { listHosts } from '../devices/hosts/list-hosts.js';
import { deviceMessage } from '../record/device-message.js';
import { acceptJob } from '../devices/jobs/accept-job.js';
import { acceptDelete } from '../devices/lifecycle/accept-delete.js';
import { acceptMove } from '../devices/moves/accept-move.js';
import { acceptUpgrade } from '../devices/upgrades/accept-upgrade.js';
import { jobOf } from '../record/job-message.js';
import { sealSecrets } from './seal-secrets.js';
import { OPERATOR } from '../record/operator.js';
import { getOwnedJob } from './get-owned-job.js';
import { listAllJobs } from './list-all-jobs.js';
import type { AccountDocument } from '../store/accounts.js';
import type { DeviceDocument } from '../store/devices.js';
import { noSuchDevice } from '../accounts/callers/visibility.js';
import { scopeWord } from '../accounts/rpc/key-rpc.js';
import type { FleetContext } from '../fleet/fleet-context.js';

/** Adapts the operations across accounts to their rpcs, for the operator's command line. */
export function adminRpc(
  context: FleetContext,
  forget: ForgetHostParts,
  hasSecretsKey: boolean,
): ServiceImpl<typeof AdminService> {
  const { accounts, devices, ledger, clock } = context;
  const message = async (account: AccountDocument) =>
    accountMessage(context, account, await ledger.standing(account._id));
  const accountOf = async (email: string): Promise<AccountDocument> => {
    const account = await accounts.findByEmail(email);
    if (account !== null) return account;
    throw new ApiError('not_found', `There is no account "${email}".`);
  };
  const emails = async (ids: readonly string[]): Promise<Map<string, string>> => {
    const found = await accounts.findByIds([...new Set(ids)]);
    return new Map(found.map(({ _id, email }) => [_id, email]));
  };
  const deviceOf = async ({ email, name }: { email: string; name: string }): Promise<DeviceDocument> => {
    const device = await devices.findByName((await accountOf(email))._id, name);
    if (device === null) throw noSuchDevice(name);
    return device;
  };
  return {
    createAccount: async (request) => ({ account: await message(await createAccount(context, request)) }),
    resetPassword: async ({ email, password }) => {
      const person = await findPerson(context, email);
      if (person === null) throw new ApiError('not_found', `Nobody signs in as "${email}".`);
      await resetPassword(context, person, password);
      const account = await context.accounts.find(accountMadeFor(person._id));
      return account === null ? {} : { account: await message(account) };
    },
    removeSecondFactors: async ({ email }) => {
      const person = await findPerson(context, email);
      if (person === null) throw new ApiError('not_found', `Nobody signs in as "${email}".`);
      return { removed: await removeAllFactors(context, person) };
    },
    createPasswordLink: async ({ email }) => {
      const person = await findPerson(context, email);
      if (person === null) throw new ApiError('not_found', `Nobody signs in as "${email}".`);
      const { path, expiresAt } = await passwordLink(context, person);
      const { publicUrl } = context;
      return {
        url: publicUrl === undefined ? path : new URL(path, publicUrl).href,
        expiresAt: timestampFromDate(expiresAt),
      };
    },
    sendTestMail: async ({ to }) => ({ response: await sendTestMail(context, to) }),
    createSignInLink: async ({ email }) => {
      const path = await createSignInLink(context, email);
      const { oidc } = context;
      return { url: oidc === undefined ? path : new URL(path, oidc.config.publicUrl).href };
    },
    allowProvider: async ({ email }) => {
      await allowProvider(context, email);
      return {};
    },
    creditAccount: async ({ email, amount, id }) => {
      const account = await accountOf(email);
      const amountMicros = parseMoney(amount);
      if (amountMicros === undefined || amountMicros === 0 || amountMicros > MAX_CREDIT_MICROS) {
        throw new ApiError('bad_request', `amount: "${amount}" is not an amount of USD such as 5.00, up to 1000000`);
      }
      await credit(context, account._id, amountMicros, id ?? createId('cr', clock.now()));
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
    disableAccount: async ({ email }) => disableAccount(context, await accountOf(email)),
    enableAccount: async ({ email }) => {
      await accounts.setDisabled((await accountOf(email))._id, undefined);
      context.forgetCallers();
      return { account: await message(await accountOf(email)) };
    },
    deleteAccount: async ({ email }) => ({ devices: await deleteAccount(context, await accountOf(email)) }),
    setAccountQuotas: async ({ email, devices: most, storageGb }) => {
      await accounts.setQuotas((await accountOf(email))._id, {
        ...(most !== undefined && { devices: most }),
        ...(storageGb !== undefined && { storageBytes: storageGb * 1e9 }),
      });
      return { account: await message(await accountOf(email)) };
    },
    stopOwnedDevice: async (request) => ({
      job: jobOf(await acceptJob(context, await deviceOf(request), { kind: 'stop', requestedBy: OPERATOR })),
    }),
    deleteOwnedDevice: async (request) => ({
      job: jobOf(await acceptDelete(context, await deviceOf(request), OPERATOR)),
    }),
    moveDevice: async ({ to, now, ...request }) => ({
      job: jobOf(await acceptMove(context, await deviceOf(request), { to, now, requestedBy: OPERATOR })),
    }),
    upgradeImage: async ({ now, ...request }) => ({
      job: jobOf(await acceptUpgrade(context, await deviceOf(request), { now, requestedBy: OPERATOR })),
    }),
    getOwnedJob: async ({ email, id }) => getOwnedJob(context, (await accountOf(email))._id, id),
    createAccountKey: async ({ email, ...request }) => {
      const { _id } = await accountOf(email);
      const { key, text } = await createKey(context, _id, undefined, {
        ...request,
        scope: scopeWord(request.scope),
        expiresAt: request.expiresAt && timestampDate(request.expiresAt),
      });
      return { key: keyMessage(key, text) };
    },
    listAccountKeys: async ({ email, ...request }) => {
      const { items, ...page } = await listKeys(context.keys, (await accountOf(email))._id, undefined, request);
      return { keys: items.map((key) => keyMessage(key)), ...page };
    },
    revokeAccountKey: async ({ id }) => {
      await revokeKey(context, id);
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
    listHosts: async () => ({ hosts: await listHosts(context) }),
    drainHost: async ({ id, undo, move, now }) => {
      const moving = move ? (now ? 'now' : 'stopped') : undefined;
      if (!(await context.hosts.drain(id, !undo, moving))) throw new ApiError('not_found', `There is no host "${id}".`);
      return { devices: await devices.ofHost(id).count() };
    },
    holdPhone: ({ phoneId }, { signal }) => holdPhone(context, phoneId, signal),
    forgetHost: async ({ id }) => ({ devices: await forgetHost(forget, id) }),
    sealSecrets: async () => ({ kinds: await sealSecrets(context, hasSecretsKey) }),
    listAllJobs: async (request) => {
      const jobs = await listAllJobs(context, request);
      const owners = await emails(jobs.map(({ accountId }) => accountId));
      return { jobs: jobs.map(({ accountId, job }) => ({ account: owners.get(accountId) ?? accountId, job })) };
    },
  };
}

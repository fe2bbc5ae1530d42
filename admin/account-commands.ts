import {
  AllowProviderResponseSchema,
  CreateAccountResponseSchema,
  CreatePasswordLinkResponseSchema,
  CreateSignInLinkResponseSchema,
  CreditAccountResponseSchema,
  ListAccountsResponseSchema,
  DeleteAccountResponseSchema,
  DisableAccountResponseSchema,
  EnableAccountResponseSchema,
  RemoveSecondFactorsResponseSchema,
  ResetPasswordResponseSchema,
  SendTestMailResponseSchema,
  SetAccountQuotasResponseSchema,
} from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import type { Account } from '../proto/gen/cloudphone/access/v1/account_pb.js';
import { formatTimestamp } from '../kit/json/timestamp.js';
import { everyPage } from './every-page.js';
import { numberOption } from './options.js';
import { output, tableOf } from './output.js';
import type { Commands } from './services.js';

/** How long an account's devices are waited for: ten minutes, which is far more than a job takes on a host that is there. */
const TRIES = 1_200;
const WAIT_MS = 500;

/** The commands for accounts, their people and mail. */
export const accountCommands: Commands = {
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
};

function bound(most: number | undefined): string {
  return most === undefined ? 'without bound' : `up to ${most}`;
}

function accountLine(account: Account | undefined): string {
  return `${account?.email ?? ''}  balance ${account?.balance ?? ''} USD\n`;
}

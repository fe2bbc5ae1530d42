import { generateSync } from 'otplib';
import { silentLog } from '../kit/log/log.js';
import { SecondFactorKind } from '../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import { accountsContext } from './accounts-context.js';
import { FakeClock } from './fake-clock.js';
import { openTemporaryDatabase } from '../test/temporary-database.js';
import type { PersonDocument } from '../device-service/store/people.js';
import { openStores } from '../device-service/store/stores.js';
import type { AccountsContext } from '../device-service/accounts/accounts-context.js';
import { createAccount } from '../device-service/accounts/people/sign-up.js';
import { beginFactor } from '../device-service/accounts/factors/begin-factor.js';
import { confirmFactor } from '../device-service/accounts/factors/confirm-factor.js';

export const PASSWORD = 'correct horse battery';
export const ADDRESS = '192.0.2.1';

/** An account of Ann with a fake clock, for tests of second factors. */
export class FactorTestWorld {
  readonly context: AccountsContext;
  readonly clock: FakeClock;
  readonly close: () => Promise<void>;

  private constructor(context: AccountsContext, clock: FakeClock, close: () => Promise<void>) {
    this.context = context;
    this.clock = clock;
    this.close = close;
  }

  static async open(more: Partial<AccountsContext> = {}): Promise<FactorTestWorld> {
    const opened = await openTemporaryDatabase();
    // The clock is not before the present, as the database removes documents whose time is over.
    const clock = new FakeClock(Date.now());
    const stores = await openStores(opened.database, { clock, log: silentLog });
    const context = accountsContext(stores, clock, { publicUrl: new URL('https://phones.example.com'), ...more });
    const world = new FactorTestWorld(context, clock, async () => {
      await context.lastUse.close();
      await opened.close();
    });
    await createAccount(context, { email: 'ann@example.com', password: PASSWORD });
    return world;
  }

  async person(email = 'ann@example.com'): Promise<PersonDocument> {
    const person = await this.context.people.findByEmail(email);
    if (person === null) throw new Error(`nobody signs in as ${email}`);
    return person;
  }

  /** Gives Ann an app, a step of codes ago. */
  async addApp(): Promise<{ secret: string; recoveryCodes: string[]; id: string }> {
    const begun = await beginFactor(this.context, await this.person(), { kind: SecondFactorKind.TOTP, name: 'Phone' });
    const secret = begun.totp?.secret ?? '';
    const proof = { id: begun.id, code: this.code(secret) };
    const session = { sessionId: 'ses_none', address: ADDRESS };
    const { recoveryCodes } = await confirmFactor(this.context, await this.person(), session, proof);
    this.clock.turn(30_000);
    return { secret, recoveryCodes, id: begun.id };
  }

  /** Returns the code that an app shows now. */
  code(secret: string): string {
    return generateSync({ secret, epoch: Math.floor(this.clock.now() / 1000) });
  }

  /** Returns a code that is wrong now, and a step before and after. */
  wrongCode(secret: string): string {
    const right = [-30, 0, 30].map((s) => generateSync({ secret, epoch: Math.floor(this.clock.now() / 1000) + s }));
    const wrong = Array.from({ length: 4 }, (_, at) => `00000${at}`).find((one) => !right.includes(one));
    return wrong ?? '';
  }
}

import type { Collection, Db } from 'mongodb';

export interface AccountDocument {
  _id: string;
  /** Lower case. */
  email: string;
  createdAt: Date;
}

export class AccountStore {
  readonly #accounts: Collection<AccountDocument>;

  constructor(database: Db) {
    this.#accounts = database.collection<AccountDocument>('accounts');
  }

  async createIndexes(): Promise<void> {
    await this.#accounts.createIndexes([{ key: { email: 1 }, name: 'email', unique: true }]);
  }

  async insert(account: AccountDocument): Promise<void> {
    await this.#accounts.insertOne(account);
  }

  /** Any account, to tell a first start from a later one. */
  findAny(): Promise<AccountDocument | null> {
    return this.#accounts.findOne({});
  }

  findByEmail(email: string): Promise<AccountDocument | null> {
    return this.#accounts.findOne({ email: email.toLowerCase() });
  }
}

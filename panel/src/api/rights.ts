/** The roles of members, each of which includes the ones before it. */
export const ROLES = ['viewer', 'operator', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * What needs more than looking, with the least role for it. Pages, buttons and the command palette all ask this table. A test compares it
 * with the roles of the API's routes.
 */
export const ROLE_FOR = {
  /** Creates, starts, touches, changes and deletes phones, and what is made of phones. */
  phones: 'operator',
  /** API keys and their webhooks. */
  keys: 'operator',
  /** Sees the balance and the ledger. */
  billing: 'admin',
  /** Invites people, changes their roles, removes them. */
  members: 'admin',
  /** Reads who did what. */
  audit: 'admin',
  /** Settings of the account, such as its mails. */
  settings: 'admin',
  /** Buys credit. */
  topups: 'owner',
} as const satisfies Record<string, Role>;

export type Right = keyof typeof ROLE_FOR;

/** Returns whether a role has a right. */
export function hasRight(role: Role, right: Right): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(ROLE_FOR[right]);
}

/** Returns the roles that a member of a role may give to others: an admin makes no owners. */
export function rolesToGive(role: Role): readonly Role[] {
  return role === 'owner' ? ROLES : ROLES.filter((one) => one !== 'owner');
}

/** What people of each role can do, as forms explain it. */
export const ROLE_WORDS: Record<Role, string> = {
  viewer: 'sees phones and their settings, and changes nothing',
  operator: 'does everything with phones, and has API keys',
  admin: 'also has all keys, the members, the audit log and the settings',
  owner: 'everything, also payments and owners',
};

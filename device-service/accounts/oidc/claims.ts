/** What the identity provider says of a person. */
export interface Claims {
  subject: string;
  /** In lower case. Absent: the provider names none. */
  email?: string;
  emailVerified: boolean;
  name?: string;
  groups: string[];
}

/** Groups of one person that are read, and characters of a text. A provider that sends more is cut, so that no more is allowed by it. */
const MAX_GROUPS = 2_000;
const MAX_TEXT = 254;

/**
 * Reads the claims of an ID token, and where that lacks some, those of the userinfo. Returns undefined for a subject that is none. The
 * userinfo comes second, as it is not signed.
 */
export function readClaims(
  sources: readonly Readonly<Record<string, unknown>>[],
  groupsClaim: string,
): Claims | undefined {
  const subject = sources[0]?.['sub'];
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_TEXT) return undefined;
  const withEmail = sources.find(({ email }) => isText(email));
  const email = withEmail?.['email'];
  const name = sources.map((source) => source['name']).find(isText);
  return {
    subject,
    ...(isText(email) && { email: email.toLowerCase() }),
    // The claim is believed only from the source that names the address.
    emailVerified: withEmail?.['email_verified'] === true,
    ...(name !== undefined && { name: name.slice(0, 100) }),
    groups: groupsIn(sources, groupsClaim),
  };
}

/** Returns whether the claim with the groups is there. */
export function hasGroups(source: Readonly<Record<string, unknown>>, groupsClaim: string): boolean {
  return claimAt(source, groupsClaim) !== undefined;
}

function groupsIn(sources: readonly Readonly<Record<string, unknown>>[], groupsClaim: string): string[] {
  const claim = sources.map((source) => claimAt(source, groupsClaim)).find((value) => value !== undefined);
  const list: unknown[] = Array.isArray(claim) ? claim : [claim];
  return list.slice(0, MAX_GROUPS).filter((each): each is string => typeof each === 'string');
}

/** Returns a claim by its name, or by a way through objects. A name with dots, as a URL has, comes first. */
function claimAt(source: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(source, path)) return source[path];
  let at: unknown = source;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}

import { createHash } from 'node:crypto';

/** The result of a check: the entries that were read, or the first line that does not fit. */
export type Verified =
  { entries: number; first: string; last: string; digest: string } | { line: number; problem: string };

interface Entry {
  id: string;
  before: string;
  digest: string;
  [field: string]: unknown;
}

/**
 * Checks an export of the audit log, one JSON object a line, newest or oldest first. It finds an entry that was changed, removed, added or
 * moved. It cannot find that entries at either end are missing: the digest of the newest entry has to be kept elsewhere for that.
 */
export async function verifyChain(lines: AsyncIterable<string>): Promise<Verified> {
  let line = 0;
  let entries = 0;
  let step = 0;
  let previous: Entry | undefined;
  let oldest: Entry | undefined;
  let newest: Entry | undefined;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const entry = readEntry(text);
    if (entry === undefined) return { line, problem: 'is no entry of an audit log' };
    if (digestOf(entry) !== entry.digest) return { line, problem: 'was changed: its digest is another' };
    if (previous !== undefined) {
      const by = Number(entry.id) - Number(previous.id);
      if (step === 0) step = by;
      if (Math.abs(by) !== 1 || by !== step) {
        return { line, problem: `does not follow entry ${previous.id}: entries are missing, or in another order` };
      }
      const [earlier, later] = step === 1 ? [previous, entry] : [entry, previous];
      if (later.before !== earlier.digest) return { line, problem: 'does not name the digest of the entry before it' };
    }
    oldest = oldest === undefined || step === -1 ? entry : oldest;
    newest = newest === undefined || step === 1 ? entry : newest;
    previous = entry;
    entries += 1;
  }
  if (oldest === undefined || newest === undefined) return { line: 1, problem: 'is missing: there is no entry' };
  return { entries, first: oldest.id, last: newest.id, digest: newest.digest };
}

function readEntry(text: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { id, before, digest } = value as Partial<Entry>;
    const isEntry = typeof id === 'string' && typeof before === 'string' && typeof digest === 'string';
    return isEntry ? (value as Entry) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the digest as the service makes it: the SHA-256 of a JSON list of the fields, in which an absent one is an empty text. */
function digestOf(entry: Entry): string {
  const actor = (entry['actor'] ?? {}) as Record<string, unknown>;
  const { role, action, device, target, outcome, address, request_id: requestId } = entry;
  const { kind, id, name } = actor;
  const values = [entry.id, entry['at'], kind, id, name, role, action, device, target, outcome, address, requestId];
  const texts = [...values, entry.before].map((value) => value ?? '');
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

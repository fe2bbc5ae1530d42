import { createHash } from 'node:crypto';
import type { AuditDocument } from '../../store/audit.js';
import { lineId } from '../../store/ledger.js';

/** An entry before it has its place in the chain of its account. */
export type AuditLine = Omit<AuditDocument, '_id' | 'seq' | 'before' | 'digest' | 'writer' | 'device' | 'target'> & {
  device?: string | undefined;
  target?: string | undefined;
};

/** Most characters of a text of an entry. A longer one is cut, as callers choose some of them. */
export const MAX_TEXT_CHARACTERS = 254;

/** A line whose texts are cut. */
export type BoundedLine = Omit<AuditDocument, '_id' | 'seq' | 'before' | 'digest' | 'writer'>;

/**
 * Returns a line with its texts cut to the bound, and without halves of characters, which no database stores. It has the fields of an entry
 * alone: one that cannot be stored would keep all later ones of its account back.
 */
export function bounded(line: AuditLine): BoundedLine {
  return {
    accountId: line.accountId,
    at: line.at,
    actorKind: line.actorKind,
    actorId: cut(line.actorId),
    actorName: cut(line.actorName),
    ...(line.role !== undefined && { role: line.role }),
    action: cut(line.action),
    ...(line.device !== undefined && { device: cut(line.device) }),
    ...(line.target !== undefined && { target: cut(line.target) }),
    outcome: cut(line.outcome),
    address: cut(line.address),
    requestId: cut(line.requestId),
  };
}

function cut(text: string): string {
  return Buffer.from(text.slice(0, MAX_TEXT_CHARACTERS), 'utf8').toString('utf8');
}

/** Returns the entry that follows another one in the chain. Its time is never before that of the other, whatever the clocks say. */
export function chained(line: BoundedLine, head: AuditDocument | undefined, writer: string): AuditDocument {
  const seq = (head?.seq ?? 0) + 1;
  const at = head !== undefined && head.at > line.at ? head.at : line.at;
  const entry = { ...line, at, seq, before: head?.digest ?? '' };
  return { ...entry, _id: lineId(line.accountId, seq), digest: digestOf(entry), writer };
}

/** Returns the digest of an entry: the hex SHA-256 of a JSON list of its fields, in which an absent text is empty. */
export function digestOf(entry: Omit<AuditDocument, '_id' | 'digest' | 'writer'>): string {
  const fields = [
    String(entry.seq),
    entry.at.toISOString(),
    entry.actorKind,
    entry.actorId,
    entry.actorName,
    entry.role ?? '',
    entry.action,
    entry.device ?? '',
    entry.target ?? '',
    entry.outcome,
    entry.address,
    entry.requestId,
    entry.before,
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

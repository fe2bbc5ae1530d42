import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { csvTable } from '../../../kit/text/csv.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import {
  AuditActorKindSchema,
  type AuditEntry,
  AuditEntrySchema,
} from '../../../proto/gen/cloudphone/access/v1/audit_service_pb.js';
import type { AuditDocument } from '../../store/audit.js';
import { roleOf } from '../callers/role-words.js';

export function auditMessage(entry: AuditDocument): AuditEntry {
  const { seq, at, actorKind, actorId, actorName, role } = entry;
  return create(AuditEntrySchema, {
    id: String(seq),
    at: timestampFromDate(at),
    actor: { kind: enumOf(AuditActorKindSchema, actorKind), id: actorId, name: actorName },
    ...(role !== undefined && { role: roleOf(role) }),
    action: entry.action,
    device: entry.device,
    target: entry.target,
    outcome: entry.outcome,
    address: entry.address,
    requestId: entry.requestId,
    before: entry.before,
    digest: entry.digest,
  });
}

/** Returns an entry as the object of its JSON, for lines that programs read. */
export function auditObject({ seq, at, actorKind, actorId, actorName, role, ...entry }: AuditDocument): object {
  const { action, device, target, outcome, address, requestId, before, digest } = entry;
  return {
    id: String(seq),
    at: at.toISOString(),
    actor: { kind: actorKind, id: actorId, name: actorName },
    role,
    action,
    device,
    target,
    outcome,
    address,
    request_id: requestId,
    before,
    digest,
  };
}

/** Returns entries as one JSON object a line. */
export function auditLines(entries: readonly AuditDocument[]): string {
  return entries.map((entry) => `${JSON.stringify(auditObject(entry))}\n`).join('');
}

/** Returns entries as CSV, in the order of the JSON. */
export function auditTable(entries: readonly AuditDocument[]): string {
  const head = ['id', 'at', 'actor_kind', 'actor_id', 'actor_name', 'role', 'action', 'device', 'target'];
  return csvTable(
    [...head, 'outcome', 'address', 'request_id', 'before', 'digest'],
    entries.map((entry) => [
      { number: String(entry.seq) },
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
      entry.digest,
    ]),
  );
}

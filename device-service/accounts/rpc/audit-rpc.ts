import type { IncomingMessage } from 'node:http';
import type { ServiceImpl } from '@connectrpc/connect';
import accepts from 'accepts';
import type { Auditor } from '../../../kit/rpc/audit-calls.js';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { AuditService } from '../../../proto/gen/cloudphone/access/v1/audit_service_pb.js';
import type { AuditStore } from '../../store/audit.js';
import { auditLines, auditMessage, auditTable } from '../audit/entry-message.js';
import { listAudit } from '../audit/list-audit.js';

const JSON_TYPE = 'application/json';
const TYPES = [JSON_TYPE, 'text/csv', 'application/x-ndjson'];

/** Adapts the operations of the audit log to their rpcs. */
export function auditRpc({ audit }: { audit: AuditStore }, auditor: Auditor): ServiceImpl<typeof AuditService> {
  return {
    listAudit: async (request, context) => {
      const { items, ...page } = await listAudit(audit, callerOf(context).accountId, request);
      const type = preferredType(request.accept);
      if (type === JSON_TYPE) return { entries: items.map(auditMessage), ...page };
      const isTable = type === 'text/csv';
      const data = Buffer.from(isTable ? auditTable(items) : auditLines(items), 'utf8');
      return {
        file: { contentType: `${type}; charset=utf-8`, data, fileName: `audit.${isTable ? 'csv' : 'ndjson'}` },
      };
    },
    recordAudit: async ({ calls, caller }, context) => {
      const call = callOf(context);
      call.caller = caller ?? callerOf(context);
      await Promise.all(calls.map((audited) => auditor.record(call, audited)));
      return {};
    },
  };
}

function preferredType(accept: string | undefined): string {
  const request = { headers: { accept: accept ?? JSON_TYPE } } as Partial<IncomingMessage> as IncomingMessage;
  const type = accepts(request).type(TYPES);
  return typeof type === 'string' ? type : JSON_TYPE;
}

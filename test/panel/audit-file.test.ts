import { expect } from 'chai';
import { panelModules } from './panel-module.js';

interface AuditQueries {
  auditFile: (filter: object, type: 'csv' | 'jsonl') => Promise<Blob>;
  EVERYTHING: object;
}

const HEAD = 'id,at,actor_kind\r\n';

/** Returns the part of an audit log with these ids, newest first. */
function part(type: 'csv' | 'jsonl', newest: number, count: number): string {
  const ids = Array.from({ length: count }, (_, index) => newest - index);
  if (type === 'jsonl') return ids.map((id) => `{"id":"${id}","at":"2026-11-20T17:00:00.000Z"}\n`).join('');
  return HEAD + ids.map((id) => `${id},2026-11-20T17:00:00.000Z,person\r\n`).join('');
}

describe('the file of the audit log', () => {
  let audit: AuditQueries;
  const usual = { fetch: globalThis.fetch, location: (globalThis as { location?: unknown }).location };
  before(async () => {
    [audit] = await panelModules<[AuditQueries]>('pages/audit/audit-query.ts');
  });
  after(() => Object.assign(globalThis, usual));

  for (const type of ['csv', 'jsonl'] as const) {
    it(`has all entries, also where one response has not all of them, as ${type}`, async () => {
      const asked: (string | null)[] = [];
      Object.assign(globalThis, {
        location: { href: 'http://panel/audit' },
        fetch: (request: Request) => {
          const after = new URL(request.url).searchParams.get('before');
          asked.push(after);
          return Promise.resolve(new Response(after === null ? part(type, 10_002, 10_000) : part(type, 2, 2)));
        },
      });
      const text = await (await audit.auditFile(audit.EVERYTHING, type)).text();
      expect(asked).to.deep.equal([null, '3']);
      expect(text).to.equal(part(type, 10_002, 10_002));
    });
  }
});

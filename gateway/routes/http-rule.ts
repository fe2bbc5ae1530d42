import type { HttpRule } from '../../proto/gen/google/api/http_pb.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** One HTTP method and path of an rpc, from its google.api.http rule. */
export interface Binding {
  method: HttpMethod;
  /** The path as in the proto file: /v1/devices/{name}/start. */
  template: string;
  segments: readonly Segment[];
  /** The request field that the body fills. `*` means every field that the path does not fill. Absent: there is no body. */
  body: string | undefined;
}

export type Segment = { literal: string } | { field: string };

/**
 * Reads a rule and its additional bindings. It understands the part of the grammar that our contracts use: literal segments and
 * `{field}`. Anything else throws, so that no part of a rule is ignored.
 */
export function bindingsOf(rule: HttpRule): Binding[] {
  return [bindingOf(rule), ...rule.additionalBindings.flatMap(bindingsOf)];
}

function bindingOf({ pattern, body }: HttpRule): Binding {
  if (pattern.case === undefined || pattern.case === 'custom') {
    throw new Error('an HTTP rule must have one of get, put, post, delete and patch');
  }
  const template = pattern.value;
  const method = pattern.case.toUpperCase() as HttpMethod;
  if (body !== '' && (method === 'GET' || method === 'DELETE')) throw new Error(`${template}: ${method} takes no body`);
  return { method, template, segments: parseTemplate(template), body: body === '' ? undefined : body };
}

const LITERAL = /^[A-Za-z0-9._~-]+$/;
const VARIABLE = /^\{([a-z][a-z0-9_]*)\}$/;

function parseTemplate(template: string): Segment[] {
  const [before, ...parts] = template.split('/');
  if (before !== '' || parts.length === 0) throw new Error(`${template}: a path begins with a slash`);
  return parts.map((part) => {
    const field = VARIABLE.exec(part)?.[1];
    if (field !== undefined) return { field };
    if (LITERAL.test(part)) return { literal: part };
    throw new Error(`${template}: "${part}" is neither a literal segment nor {field}`);
  });
}

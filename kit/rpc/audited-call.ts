import { type DescMessage, type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import { http } from '../../proto/gen/google/api/annotations_pb.js';
import { type Route, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { routeOf } from './mesh.js';

/** What the audit log has of a call besides its caller, its request id and its client's address. */
export interface AuditedCall {
  /** The rpc, such as `DeviceService.DeleteDevice`. */
  action: string;
  /** Name of the device that the call is about. */
  device?: string | undefined;
  /** Identifier or name of the other thing that it is about. */
  target?: string | undefined;
  /** `ok`, or the kind of the error. */
  outcome: string;
  /** It counts only where the caller may control devices. */
  ifControlling: boolean;
}

/** Returns whether the calls of an rpc are in the audit log. */
export function isAudited(method: DescMethod): boolean {
  const traits = routeOf(method);
  if (traits === undefined) return false;
  return traits.audited || (!traits.notAudited && traits.scope >= Scope.CONTROL);
}

/** Returns the name of an rpc in the audit log. */
export function actionOf({ parent, name }: DescMethod): string {
  return `${parent.name}.${name}`;
}

/**
 * Returns what the audit log has of a call that ended with `outcome`. The names are those in the path of the route. Where a call makes
 * something, that is in the response. No other field is read, so that bodies and secrets stay out.
 */
export function auditedCall(
  method: DescMethod,
  { request, response, outcome }: { request?: object | undefined; response?: object | undefined; outcome: string },
): AuditedCall {
  const traits = routeOf(method);
  const { deviceField = '' } = traits ?? {};
  const device = request === undefined ? undefined : textOf(method.input, request, deviceField);
  const target = request === undefined ? undefined : pathNames(method, request, deviceField);
  const made = target === undefined && response !== undefined ? madeBy(method.output, response) : undefined;
  const isDevice = made?.field === 'device' && device === undefined;
  return {
    action: actionOf(method),
    ...named('device', isDevice ? made.name : device),
    ...named('target', isDevice ? undefined : (target ?? made?.name)),
    outcome,
    ifControlling: traits !== undefined && isRead(traits),
  };
}

function isRead({ scope }: Route): boolean {
  return scope === Scope.READ;
}

function named(key: 'device' | 'target', value: string | undefined): Partial<Record<typeof key, string>> {
  return value === undefined || value === '' ? {} : { [key]: value };
}

/** Returns the parts of the path that are no device, with slashes between them; undefined when there are none. */
function pathNames(method: DescMethod, request: object, deviceField: string): string | undefined {
  if (!hasOption(method, http)) return undefined;
  const template = getOption(method, http).pattern.value;
  const fields = [...(typeof template === 'string' ? template : '').matchAll(/\{([a-z0-9_]+)\}/g)].map(
    ([, name = '']) => name,
  );
  const names = fields
    .filter((name) => name !== deviceField)
    .map((name) => textOf(method.input, request, name))
    .filter((name) => name !== undefined && name !== '');
  return names.length === 0 ? undefined : names.join('/');
}

/** Returns the id or name of the first thing in a response. A job is what is being done, so it comes after all others. */
function madeBy(output: DescMessage, response: object): { field: string; name: string } | undefined {
  const found = output.fields.flatMap((field) => {
    const inner: unknown = field.fieldKind === 'message' ? Reflect.get(response, field.localName) : undefined;
    if (field.fieldKind !== 'message' || typeof inner !== 'object' || inner === null) return [];
    const name = textOf(field.message, inner, 'id') ?? textOf(field.message, inner, 'name');
    return name === undefined ? [] : [{ field: field.name, name }];
  });
  return found.find(({ field }) => field !== 'job') ?? found[0];
}

/** Returns a text field of a message; undefined when the message has no such field or no text in it. */
function textOf(message: DescMessage, values: object, name: string): string | undefined {
  const field = message.fields.find((one) => one.name === name);
  const value: unknown = field === undefined ? undefined : Reflect.get(values, field.localName);
  return typeof value === 'string' ? value : undefined;
}

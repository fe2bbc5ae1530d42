import type { ApiError } from '../../kit/errors/api-error.js';
import type { RequestId } from './message.js';

/** JSON-RPC's range for errors of an implementation. */
const CODE = -32_000;

/** Returns a refusal of a request in the form that MCP clients expect beside its status. */
export function errorBody(error: ApiError, id: RequestId | null = null): object {
  const { kind, message } = error;
  return { jsonrpc: '2.0', id, error: { code: CODE, message, data: { error: kind } } };
}

/** Returns the refusal of a tool's call as the result of the call, which models read. */
export function refusedCall(id: RequestId, { kind, message }: ApiError): object {
  const content = [{ type: 'text', text: `${kind}: ${message}` }];
  return { jsonrpc: '2.0', id, result: { content, isError: true } };
}

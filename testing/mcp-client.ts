import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** A message of JSON-RPC, as tests read responses. */
export interface RpcResponse {
  id: string | number | null;
  result?: { content: { type: string; text: string; data: string; mimeType: string }[]; isError?: boolean } & Record<
    string,
    unknown
  >;
  error?: { code: number; message: string; data?: { error?: string } };
}

/** Connects the SDK's own client to `<base>/mcp` with an API key. */
export async function connectMcp(base: string, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
  return client;
}

/** Returns a JSON-RPC request as text. */
export function rpc(method: string, params: object = {}, id: string | number = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** Returns the call of a tool as text. */
export function toolCall(name: string, args: object = {}, id: string | number = 1): string {
  return rpc('tools/call', { name, arguments: args }, id);
}

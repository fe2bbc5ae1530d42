import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The server's program, as its command starts it. */
export const MCP_MAIN = join(ROOT, 'mcp', 'cloudphone-mcp.mjs');

/** Variables that the server gets; nothing else of this process's. */
export type McpEnvironment = Partial<Record<'CLOUDPHONE_URL' | 'CLOUDPHONE_KEY' | 'CLOUDPHONE_DEVICE', string>>;

/** A tool call's result: its texts joined, its pictures, and whether it is an error. */
export interface ToolResult {
  text: string;
  pictures: { mimeType: string; data: Buffer }[];
  isError: boolean;
}

export function toolResult(result: unknown): ToolResult {
  const { content, isError = false } = result as CallToolResult;
  return {
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    pictures: content.flatMap((part) =>
      part.type === 'image' ? [{ mimeType: part.mimeType, data: Buffer.from(part.data, 'base64') }] : [],
    ),
    isError,
  };
}

/** A client over standard input and output, and the server's output on standard error. */
export async function openStdio(environment: McpEnvironment): Promise<{ client: Client; said: () => string }> {
  const { PATH = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_MAIN],
    env: { PATH, ...environment },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return { client, said: () => said };
}

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { getEncoding } from 'js-tiktoken';

const encoding = getEncoding('o200k_base');

/** Size of a model's reading: bytes of UTF-8, and tokens. */
export interface Cost {
  calls: number;
  bytes: number;
  tokens: number;
}

/** An MCP server as a host has it, which counts the text that its model would read. */
export class ToolClient {
  readonly #client: Client;
  readonly toolsTokens: number;
  cost: Cost = { calls: 0, bytes: 0, tokens: 0 };

  private constructor(client: Client, toolsTokens: number) {
    this.#client = client;
    this.toolsTokens = toolsTokens;
  }

  static async open(
    program: string,
    words: readonly string[],
    environment: Record<string, string>,
  ): Promise<ToolClient> {
    const { PATH = '' } = process.env;
    const client = new Client({ name: 'bench', version: '1.0.0' });
    const args = [program, ...words];
    const env = { PATH, ...environment };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    return new ToolClient(client, tokensOf(JSON.stringify(tools)));
  }

  /** Calls a tool and returns the text of its result, errors included. */
  async call(name: string, args: Record<string, unknown>): Promise<string> {
    const result = (await this.#client.callTool({ name, arguments: args }, undefined, {
      timeout: 120_000,
    })) as CallToolResult;
    const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    this.cost.calls++;
    this.cost.bytes += Buffer.byteLength(text);
    this.cost.tokens += tokensOf(text);
    return text;
  }

  /** The cost of `work`. */
  async costOf(work: () => Promise<unknown>): Promise<Cost> {
    this.cost = { calls: 0, bytes: 0, tokens: 0 };
    await work();
    return this.cost;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

function tokensOf(text: string): number {
  return encoding.encode(text).length;
}

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { CloudPhone, Job } from '../../client/src/index.js';
import { callTool } from './call.js';
import { doubtText } from './results.js';
import type { ToolNames } from './tool-names.js';
import type { Tool } from './tools.js';

/** Instructions for models: how to read and use the tools' results. */
const INSTRUCTIONS = `Android phones in the cloud. observe shows the screen as text, one element a line:
  e7 switch "Auto-rotate screen" @360,497 checked
is id, role, words, center in pixels, states; a text field's content follows "=". "@" alone after an id: it only moved. "gone": no longer there.
act does up to 20 steps in one call, waits until the screen is still, and returns what changed, so observe only at first or in doubt. \
Target elements by id ({"element": "e7"}) or by a whole text or label ({"text": "Save"}). Give "expect" with a step whose effect you know. \
Ask for a picture (observe with screenshot "jpeg") only when the text is not enough.`;

/** Returns the text for a fault of the program itself. Only what changes nothing is safe to try again. */
function faultText(tool: Tool): string {
  const next = doubtText(tool) || ' Try again.';
  return `Something went wrong in the MCP server.${next} If it persists, report it to the operator.`;
}

/** Validates what users write into forms of the server, which has none. The SDK would make a validator for each server. */
const NO_FORMS: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('This server has no forms.');
  },
};

export interface ServerParts {
  /** The tools that can be called. */
  tools: readonly Tool[];
  /** The tools that clients are shown. */
  listed: readonly Tool[];
  names: ToolNames;
  phone: CloudPhone;
  version: string;
  defaultDevice: string | undefined;
  newKey: () => string;
  /** Receives a fault of the program itself, which clients are not shown. */
  onFault: (fault: unknown) => void;
}

export type McpServer = ReturnType<typeof createServer>;

/** An MCP server for one client and one key. */
export function createServer({ tools, listed, names, phone, version, defaultDevice, newKey, onFault }: ServerParts) {
  const byName = new Map(tools.map((tool) => [tool.shown.name, tool]));
  // The high-level class takes schemas of zod only. The tools have JSON Schemas, which are made from the contract.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const server = new Server(
    { name: 'cloudphone', title: 'Cloud phones', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_FORMS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed.map(({ shown }) => shown) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const tool = byName.get(params.name);
    if (tool === undefined) {
      throw new McpError(
        ErrorCode.InvalidParams,
        `There is no tool "${params.name}". There are: ${[...byName.keys()].join(', ')}.`,
      );
    }
    const progressToken = params._meta?.progressToken;
    const notify = (job: Job): void => {
      if (progressToken === undefined) return;
      const progress = {
        progressToken,
        progress: job.progress,
        total: 100,
        message: `${job.kind} of ${job.device}: ${job.state}`,
      };
      // The transport notices a client that is gone.
      void sendNotification({ method: 'notifications/progress', params: progress }).catch(() => undefined);
    };
    const onProgress = progressToken === undefined ? undefined : notify;
    const context = { phone, names, defaultDevice, newKey, signal, onProgress };
    return callTool(tool, params.arguments ?? {}, context).catch((error: unknown) => {
      if (signal.aborted) throw error;
      onFault(error);
      throw new McpError(ErrorCode.InternalError, faultText(tool));
    });
  });
  return server;
}

/** How an operation of the API is offered as a tool. */
export interface Offer {
  /** Its `operationId`. The tool has the same name in snake_case, unless `tool` has another. */
  operation: string;
  tool?: string;
  /** Parameters that are set unless the call sets them, and then shown with these defaults. */
  defaults?: Record<string, unknown>;
  /** Parameters that are left out, as models have no use for them, or another tool for it. */
  without?: readonly string[];
  /** One step of `act` as a tool of its own: the field of the step that the arguments become. */
  step?: string;
  /** Whether it only adds something, and ends, replaces and deletes nothing. */
  adds?: boolean;
}

const PAGES = ['cursor', 'limit'];

/** How pictures and texts of the screen are shaped: by default as little to read as possible. */
const SCREEN = { without: ['format', 'quality', 'settle_ms'] };

/** The tools, in the order in which models read them. Few enough to be read with each task. */
export const OFFERS: readonly Offer[] = [
  { operation: 'observe', ...SCREEN, defaults: { screenshot: 'none', elements: 'compact' } },
  { operation: 'act', ...SCREEN, defaults: { observe: 'elements', elements: 'changed' } },
  { operation: 'act', tool: 'open_app', step: 'open_app', defaults: { observe: 'elements', elements: 'compact' } },
  {
    operation: 'getScreenshot',
    tool: 'screenshot',
    without: ['If-None-Match'],
    defaults: { format: 'jpeg', max_size: 1024 },
  },
  { operation: 'listTimeline', tool: 'recent_steps', without: ['cursor'], defaults: { limit: 20 } },
  { operation: 'getLogs', defaults: { lines: 100 } },
  { operation: 'listDevices', without: PAGES },
  { operation: 'createDevice', adds: true },
  { operation: 'startDevice', adds: true },
  { operation: 'stopDevice' },
  { operation: 'restartDevice' },
  { operation: 'deleteDevice' },
  { operation: 'listModels', without: PAGES },
  { operation: 'listNetworkOptions', without: PAGES },
  { operation: 'changeNetwork' },
  { operation: 'listApps', without: PAGES },
  { operation: 'listCatalogue', without: PAGES },
  { operation: 'installApp', adds: true },
  { operation: 'uninstallApp' },
  { operation: 'listSnapshots', without: PAGES },
  { operation: 'createSnapshot', adds: true },
  { operation: 'restoreSnapshot' },
  { operation: 'cloneSnapshot', adds: true },
  { operation: 'getJob', defaults: { wait_s: 45 } },
];

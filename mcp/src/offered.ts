/** How an operation of the API is offered as a tool. */
export interface Offer {
  /** The `operationId`. The tool has the same name in snake_case, unless `tool` has another. */
  operation: string;
  tool?: string;
  /** A text for models on what the operation does. Absent: the contract's text is used. */
  about?: string;
  /** Arguments of a correct call, which a refusal shows as an example. Absent: the call needs at most a device. */
  example?: Record<string, unknown>;
  /** Parameters that get these values when a call leaves them out. The tool shows the values as their defaults. */
  defaults?: Record<string, unknown>;
  /** Parameters that the tool does not have, because models have no use for them or another tool serves their purpose. */
  without?: readonly string[];
  /** The field of a step of `act` that the arguments become. It makes this one step a tool of its own. */
  step?: string;
  /** Whether the operation only adds something, and ends, replaces and deletes nothing. */
  adds?: boolean;
  /** Whether each call must name the device, because what the call removes cannot be brought back. */
  namesDevice?: boolean;
}

const PAGES = ['cursor', 'limit'];

/** The tools for the screen do not have these parameters. Their responses are as short as possible by default. */
const SCREEN = { without: ['format', 'quality', 'settle_ms', 'screen_on_failure'] };

/** The tools, in the order in which models read them. They are few, because models read all of them with each task. */
export const OFFERS: readonly Offer[] = [
  {
    operation: 'observe',
    about: 'The screen: app in front and elements, one a line, with ids for act.',
    example: { screenshot: 'jpeg' },
    ...SCREEN,
    defaults: { screenshot: 'none', elements: 'compact' },
  },
  {
    operation: 'act',
    about:
      'Does up to 20 steps in order, waits after each until the screen is still, and shows what changed. Stops at the first that fails; ' +
      'the screen comes all the same. Short forms work: {"tap": "Save"}, {"key": "back"}, "expect": "Saved".',
    example: { steps: [{ tap: { text: 'Save' }, expect: { text: 'Saved' } }] },
    ...SCREEN,
    defaults: { observe: 'elements', elements: 'changed', screen_on_failure: true },
  },
  {
    operation: 'act',
    tool: 'open_app',
    about: 'Brings an app to the front, and shows its screen.',
    example: { app: 'Settings' },
    step: 'open_app',
    defaults: { observe: 'elements', elements: 'compact', screen_on_failure: true },
  },
  {
    operation: 'getScreenshot',
    tool: 'screenshot',
    about: 'The screen as a picture.',
    example: { max_size: 1024 },
    without: ['If-None-Match', 'quality'],
    defaults: { format: 'jpeg', max_size: 1024 },
  },
  {
    operation: 'listTimeline',
    tool: 'recent_steps',
    about:
      'What all keys did with the phone lately, oldest first. Kept only while its timeline is on, which it is not at first.',
    example: { limit: 20 },
    without: ['cursor'],
    defaults: { limit: 20 },
  },
  {
    operation: 'getLogs',
    about: "The phone's log (logcat), oldest line first.",
    example: { lines: 100, level: 'error' },
    defaults: { lines: 100 },
  },
  {
    operation: 'listDevices',
    about: 'The phones that the key may see.',
    example: { state: 'running' },
    without: PAGES,
  },
  {
    operation: 'createDevice',
    about: 'Makes a phone and starts it.',
    example: { model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' },
    without: ['idle_stop_s', 'labels'],
    adds: true,
  },
  { operation: 'startDevice', about: 'Boots a phone, until it is usable.', adds: true },
  { operation: 'stopDevice' },
  { operation: 'restartDevice' },
  {
    operation: 'deleteDevice',
    about: 'Deletes a phone for good, with its files and snapshots.',
    example: { device: 'demo' },
    namesDevice: true,
  },
  { operation: 'listModels', about: 'Models of phones.', without: PAGES },
  { operation: 'listNetworkOptions', about: 'Network exits on sale.', without: PAGES },
  {
    operation: 'changeNetwork',
    about: "Changes a running phone's network exit.",
    example: { type: 'direct', country: 'de' },
  },
  { operation: 'listApps', about: 'All apps on a running phone.', without: PAGES },
  { operation: 'listCatalogue', about: 'Apps that can be installed.', without: PAGES },
  {
    operation: 'installApp',
    about: 'Installs or updates an app of the catalogue or the library.',
    example: { app: 'postcards' },
    adds: true,
  },
  { operation: 'uninstallApp', about: 'Removes an app, with its data.', example: { package: 'com.example.notes' } },
  { operation: 'listSnapshots', about: 'Saved states of a phone, newest first.', without: PAGES },
  {
    operation: 'createSnapshot',
    about: "Saves a phone's state: files, apps and settings.",
    example: { label: 'before' },
    adds: true,
  },
  {
    operation: 'restoreSnapshot',
    about: 'Rolls a phone back to a snapshot and starts it. Its present content is lost.',
    example: { device: 'demo', id: 'snap_1m7x2vye5t4vyenb' },
    namesDevice: true,
  },
  {
    operation: 'cloneSnapshot',
    about: 'Makes a new phone from a snapshot of this one and starts it.',
    example: { id: 'snap_1m7x2vye5t4vyenb', name: 'copy' },
    adds: true,
  },
  {
    operation: 'startRecording',
    about: 'Begins a video of the screen, for people to watch later.',
    example: { max_s: 120 },
    without: ['max_size', 'fps'],
    adds: true,
  },
  {
    operation: 'stopRecording',
    about: 'Ends a video of the screen.',
    example: { id: 'rec_1m7x2vye5t4vyenb' },
    adds: true,
  },
  {
    operation: 'createHandover',
    tool: 'ask_person',
    about:
      'Hands the phone to a person for what you must not or cannot do, waits, and returns their note and the screen.',
    example: { reason: 'Type the code from the message' },
    without: ['access'],
    adds: true,
  },
  {
    operation: 'getHandover',
    tool: 'wait_for_person',
    about: 'Waits on for a person whom ask_person asked.',
    example: { id: 'hnd_1m7x2vye5t4vyenb' },
    without: ['wait_s'],
  },
  {
    operation: 'getJob',
    about: 'Waits for a job that a tool left running.',
    example: { id: 'job_1m7x2vye5t4vyenb' },
    defaults: { wait_s: 45 },
  },
];

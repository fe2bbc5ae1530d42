/** Tests, and what only they use. */
const TESTS = '\\.test\\.ts$|^test/|(^|/)testing/';

/** The modules of the device service from the ground up: each knows those before it (docs/adr/0074-modules-of-the-device-service.md). */
const MODULES = ['store', 'record', 'accounts', 'history', 'devices', 'recordings', 'fleet', 'operator'];

/** The folders of rooms from the ground up: each imports from those before it. `.`: the files in the room itself, where they are not above all. */
const FLOORS = {
  // embedded-mongo/README.md
  'embedded-mongo': ['values', 'wire', 'filter', 'store', 'query', 'update', 'commands'],
  // docs/adr/0080-floors-of-kit.md
  kit: [
    ...['async', 'text', 'log', 'errors', 'json', 'call', 'timeline', 'files', 'process', 'net', 'https'],
    ...['ops', 'db', 'rpc', 'config', 'service'],
  ],
  // docs/adr/0079-floors-of-the-panel-and-the-simulated-phone.md
  'panel/src': [
    ...['api', 'parts', 'copy', 'deliveries', 'handovers', 'leases', 'live', 'pictures', 'steps'],
    ...['pages', 'palette', 'shell', 'session', 'share'],
  ],
  // docs/adr/0107-replays.md
  replay: ['format', 'timeline'],
  // docs/adr/0078-reference-of-files.md
  reference: ['samples', 'document', 'api', 'pages', 'search', 'site'],
  'simulated-phone': [
    ...['ui', 'patterns', 'memory', 'streams', 'system', 'process', 'conditions', 'logcat', 'properties', 'settings'],
    ...['files', 'input-devices', 'packages', 'network', 'video', 'machine', 'capture', 'system-image', 'apps'],
    ...['screen', 'automation', 'shell', 'adbd', 'phone', 'host', 'alone', 'container', 'image', 'processes'],
  ],
  'simulated-phone/apps': ['.', 'launcher', 'browser', 'chooser', 'clock', 'messages', 'notes', 'settings'],
  'simulated-phone/shell': ['grammar', '.', 'commands', 'builtins', 'interpreter'],
  'simulated-phone/shell/commands': ['awk', 'scrcpy', '.'],
  // docs/adr/0075-floors-of-the-screen-service.md
  'screen-service': [
    ...[
      'shapes',
      'link',
      'logs',
      'crashes',
      'display',
      'capture',
      'tree',
      'secrets',
      'live',
      'recording',
      'input',
      'app',
      'observe',
    ],
    ...['phones', 'files', 'act', 'action', 'timeline', 'rpc'],
  ],
};

/** A pattern for the paths below `folder` of a room. */
const below = (folder) => (folder === '.' ? '[^/]+$' : `${folder}/`);

// Forbids circular imports, type-only ones included: two files that need each other are one idea, or hide a third.
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      // Only tests import what is made for tests.
      name: 'no-testing-in-product',
      severity: 'error',
      from: { pathNot: [TESTS, '^gateway/(edge-world|raw-client)\\.ts$'] },
      to: { path: TESTS },
    },
    {
      // A database server: of the service it has the clock, the log, the way to begin work ahead, and two ways to use a folder.
      name: 'embedded-mongo-stands-alone',
      severity: 'error',
      from: { path: '^embedded-mongo/', pathNot: TESTS + '|/conformance/' },
      to: {
        path: '^(?!embedded-mongo/|node_modules/|kit/(async/(begun-ahead|clock)|log/log|files/(folder-lock|socket-path))\\.ts$)[^/]+/',
      },
    },
    {
      name: 'kit-lies-below-all-rooms',
      severity: 'error',
      from: { path: '^kit/', pathNot: TESTS },
      to: { path: '^(?!kit/|proto/|node_modules/)[^/]+/', dependencyTypesNot: ['core'] },
    },
    {
      // The edge serves the documentation's files, and knows nothing of what is in them.
      name: 'gateway-serves-files',
      severity: 'error',
      from: { path: '^gateway/', pathNot: TESTS },
      to: { path: '^(reference|panel)/' },
    },
    {
      // Replay files are read by programs of callers and in browsers: nothing of the service is in them.
      name: 'replay-stands-alone',
      severity: 'error',
      from: { path: '^replay/', pathNot: TESTS },
      to: { path: '^(?!replay/|node_modules/yaml/)' },
    },
    {
      // The tools for agents are served by the program, and by the edge, which loads them with the first message.
      name: 'mcp-is-served-in-two-places',
      severity: 'error',
      from: { path: '^(?!mcp/|gateway/mcp/protocol\\.ts$)', pathNot: TESTS },
      to: { path: '^mcp/' },
    },
    {
      // The documentation is made from the contract: of the edge it has the routes, the limits, and the slots for settings.
      name: 'reference-is-made-from-the-contract',
      severity: 'error',
      // The scripts of pages run in browsers, beside files that the build puts there.
      from: { path: '^reference/', pathNot: TESTS + '|^reference/page/' },
      to: {
        path: '^(?!reference/|kit/|proto/|node_modules/|gateway/(routes/[^/]+|contracts|limits|slots)\\.ts$)[^/]+/',
        dependencyTypesNot: ['core'],
      },
    },
    {
      // The phone knows the protocol, APKs and the interface of drivers, and not how the service reaches phones.
      name: 'simulated-phone-is-a-phone',
      severity: 'error',
      from: { path: '^simulated-phone/', pathNot: TESTS + '|/clients/' },
      to: { path: '^(gateway|panel|admin|[a-z]+-service|embedded-mongo|phone/(attached|link))/' },
    },
    ...MODULES.map((module, floor) => ({
      name: `device-service-${module}-knows-only-what-is-below`,
      severity: 'error',
      from: { path: `^device-service/${module}/`, pathNot: TESTS },
      // Above are the modules after it, and the files that open them all.
      to: { path: ['^device-service/[^/]+$', ...MODULES.slice(floor + 1).map((above) => `^device-service/${above}/`)] },
    })),
    {
      // The gym works with any service, by its public API. It also has the packets of ADB, which the tunnel of the API carries.
      name: 'gym-is-a-client',
      severity: 'error',
      from: { path: '^gym/src/', pathNot: TESTS },
      to: { path: '^(?!gym/src/|client/src/|phone/adb/[^/]+$|node_modules/)[^/]+/', dependencyTypesNot: ['core'] },
    },
    {
      // The panel runs in browsers and knows the service by its public API alone, as everybody's programs do. It shows samples, and makes
      // replays of timelines, too.
      name: 'panel-is-a-client',
      severity: 'error',
      from: { path: '^panel/src/' },
      to: { pathNot: '^panel/(src|gen)/|^reference/samples/|^replay/|^node_modules/' },
    },
    {
      // Two folders of pages that need each other are seen by the rule of folder cycles; a folder and the one that holds it are not.
      name: 'panel-floor-of-inner-folders',
      severity: 'error',
      from: { path: '^(panel/src/.+)/[^/]+/[^/]+$' },
      to: { path: '^$1/[^/]+$' },
    },
    // A folder with floors below it imports those, and the limits of its room.
    ...Object.entries(FLOORS).flatMap(([room, folders]) =>
      folders.map((folder, at) => ({
        name: `${room}-floor-of-${folder}`,
        severity: 'error',
        from: { path: `^${room}/${below(folder)}`, pathNot: TESTS + '|/clients/' },
        to: {
          path: `^${room}/(?!limits\\.ts$|${folders
            .slice(0, at + 1)
            .map(below)
            .join('|')})`,
        },
      })),
    ),
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^proto/gen/'] },
    exclude: { path: ['(^|/)dist/', '^data/', '^proto/deps/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};

/** Tests, and what only they use. */
const TESTS = '\\.test\\.ts$|^test/|(^|/)testing/';

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
      // A database server: of the service it has the clock, the log and two ways to use a folder.
      name: 'embedded-mongo-stands-alone',
      severity: 'error',
      from: { path: '^embedded-mongo/', pathNot: TESTS + '|/conformance/' },
      to: { path: '^(?!embedded-mongo/|node_modules/|kit/(clock|log|folder-lock|socket-path)\\.ts$)[^/]+/' },
    },
    {
      // The phone knows the protocol, APKs and the interface of drivers, and not how the service reaches phones.
      name: 'simulated-phone-is-a-phone',
      severity: 'error',
      from: { path: '^simulated-phone/', pathNot: TESTS + '|/clients/' },
      to: { path: '^(gateway|panel|admin|[a-z]+-service|embedded-mongo|phone/(attached|link))/' },
    },
    {
      // The panel runs in browsers and knows the service by its public API alone, as everybody's programs do.
      name: 'panel-is-a-client',
      severity: 'error',
      from: { path: '^panel/src/' },
      to: { pathNot: '^panel/(src|gen)/|^node_modules/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^proto/gen/'] },
    exclude: { path: ['(^|/)dist/', '^data/', '^proto/deps/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
